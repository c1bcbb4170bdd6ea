// The common part of the text encodings: lines out, parts of a text in.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// Cuts its input into lines and writes their encoding to `inner`: of empty input, nothing.
class LineEncoder final : public Sink {
 public:
  // Writes the characters of a line, which is short only at the end, and returns their end.
  using Encode = char* (*)(std::span<const std::byte> line, char* to) noexcept;

  // `line_bytes` is at most kMaxLineBytes, and makes at most kMaxLineChars.
  LineEncoder(Sink& inner, TextLines lines, std::size_t line_bytes, Encode encode);
  ~LineEncoder() override;  // wipes its buffers, whose contents may be secret

  void write(std::span<const std::byte> from) override;
  void finish() override;
  void cancel() noexcept override { inner_.cancel(); }

 private:
  static constexpr std::size_t kMaxLineBytes = 48;
  static constexpr std::size_t kMaxLineChars = 64;

  void put_held();
  void put_line(std::span<const std::byte> line);
  void flush();

  Sink& inner_;
  TextLines lines_;
  std::size_t line_bytes_;
  Encode encode_;
  std::array<std::byte, kMaxLineBytes> line_;  // the beginning of an incomplete line
  std::size_t held_ = 0;
  std::string out_;
};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool begins_like(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

// What a decoder did with a stretch of text: `fault` says why the next character is not valid.
struct Decoded {
  std::size_t taken = 0;
  std::size_t written = 0;
  const char* fault = nullptr;
};

[[noreturn]] void refuse_character(std::uint64_t offset, const char* is);
[[noreturn]] void refuse_text(const char* fault);

// The text of `inner`, decoded. A Decoding is the state between two parts of a text:
//   Decoded decode(text, into)  decodes until `text` is used up, `into` is full, or a character at fault
//   const char* end()               after the last part: null or the fault; decode() may then have more
//   output
template <class Decoding>
class DecodedSource final : public Source {
 public:
  explicit DecodedSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)), text_(kTextBytes) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      if (at_ == end_ && !ended_) refill();
      const Decoded decoded =
          decoding_.decode(std::span(text_).first(end_).subspan(at_), into.subspan(filled));
      at_ += decoded.taken;
      filled += decoded.written;
      if (decoded.fault != nullptr) refuse_character(offset_ + at_, decoded.fault);
      if (ended_ && decoded.written == 0) break;
    }
    return filled;
  }

  std::optional<FileId> file_id() const override { return inner_->file_id(); }
  void cancel() noexcept override { inner_->cancel(); }

 private:
  static constexpr std::size_t kTextBytes = std::size_t{64} * 1024;

  void refill() {
    offset_ += end_;
    at_ = 0;
    end_ = inner_->read(text_);
    ended_ = end_ == 0;
    const char* const fault = ended_ ? decoding_.end() : nullptr;
    if (fault != nullptr) refuse_text(fault);
  }

  std::unique_ptr<Source> inner_;
  Decoding decoding_;
  std::vector<std::byte> text_;
  std::size_t at_ = 0;        // in text_
  std::size_t end_ = 0;       // end of text_
  std::uint64_t offset_ = 0;  // the offset of text_[0] in the input
  bool ended_ = false;
};

// A whole text; `into` has more room than it can fill.
template <class Decoding>
DecodedText decode_whole(std::string_view text, std::span<std::byte> into) noexcept {
  Decoding decoding;
  const Decoded decoded = decoding.decode(std::as_bytes(std::span(text)), into);
  if (decoded.fault != nullptr) return {decoded.written, decoded.taken, decoded.fault};
  const char* const fault = decoding.end();
  const std::size_t bytes = decoded.written + decoding.decode({}, into.subspan(decoded.written)).written;
  return {bytes, text.size(), fault, fault != nullptr};
}

}  // namespace fugu::stream
