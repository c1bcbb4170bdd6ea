// The common part of the text encodings: lines out, characters in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// Cuts its input into lines and writes their encoding to `inner`: of empty input, nothing.
class LineEncoder : public Sink {
 public:
  ~LineEncoder() override;  // wipes its buffers, whose contents may be secret

  void write(std::span<const std::byte> from) override;
  void finish() override;
  void cancel() noexcept override { inner_.cancel(); }

 protected:
  static constexpr std::size_t kMostLineBytes = 48;
  static constexpr std::size_t kMostLineChars = 64;

  LineEncoder(Sink& inner, TextLines lines, std::size_t line_bytes);

 private:
  // Writes the characters of a line, which is short only at the end, and returns their end.
  virtual char* encode(std::span<const std::byte> line, char* to) const = 0;

  void put_held();
  void put_line(std::span<const std::byte> line);
  void flush();

  Sink& inner_;
  TextLines lines_;
  std::size_t line_bytes_;
  std::array<std::byte, kMostLineBytes> line_;  // the beginning of an incomplete line
  std::size_t held_ = 0;
  std::string out_;
};

// The characters of a source, which a decoder consumes one at a time or many.
class CharacterReader {
 public:
  explicit CharacterReader(std::unique_ptr<Source> inner);

  // False at the end; otherwise at least one character is ahead.
  bool more();

  std::span<const std::byte> ahead() const { return std::span(text_).first(end_).subspan(at_); }
  void take(std::size_t characters) { at_ += characters; }

  // Throws Error{damaged}: the next character `is` not valid.
  [[noreturn]] void refuse(const char* is) const;

  Source& inner() { return *inner_; }
  const Source& inner() const { return *inner_; }

 private:
  std::unique_ptr<Source> inner_;
  std::vector<std::byte> text_;
  std::size_t at_ = 0;        // in text_
  std::size_t end_ = 0;       // end of text_
  std::uint64_t offset_ = 0;  // the offset of text_[0] in the input
};

}  // namespace fugu::stream
