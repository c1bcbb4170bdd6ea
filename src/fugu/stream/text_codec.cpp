#include "fugu/stream/detail/text_codec.hpp"

#include <cstring>
#include <utility>

#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"

namespace fugu::stream {
namespace {

constexpr std::size_t kBufferChars = std::size_t{64} * 1024;

}  // namespace

LineEncoder::LineEncoder(Sink& inner, TextLines lines, std::size_t line_bytes, Encode encode)
    : inner_(inner), lines_(lines), line_bytes_(line_bytes), encode_(encode) {
  out_.reserve(kBufferChars + 2 * kMaxLineChars);
}

LineEncoder::~LineEncoder() {
  out_.resize(out_.capacity());
  core::wipe(out_.data(), out_.size());
  core::wipe(line_.data(), line_.size());
}

// A line is encoded whole, so only its end and the buffer's need a check in between.
void LineEncoder::write(std::span<const std::byte> from) {
  while (!from.empty()) {
    const std::size_t step = std::min(from.size(), line_bytes_ - held_);
    if (step == line_bytes_) {
      put_line(from.first(step));
    } else {
      std::memcpy(line_.data() + held_, from.data(), step);
      held_ += step;
      if (held_ == line_bytes_) put_held();
    }
    from = from.subspan(step);
  }
}

void LineEncoder::finish() {
  if (held_ != 0) put_held();
  flush();
  inner_.finish();
}

void LineEncoder::put_held() {
  put_line(std::span(line_).first(std::exchange(held_, 0)));
}

void LineEncoder::put_line(std::span<const std::byte> line) {
  std::array<char, kMaxLineChars + 1> text;
  char* end = encode_(line, text.data());
  if (lines_ == TextLines::wrapped) *end++ = '\n';
  out_.append(text.data(), static_cast<std::size_t>(end - text.data()));
  if (out_.size() >= kBufferChars) flush();
}

void LineEncoder::flush() {
  if (!out_.empty()) inner_.write(std::as_bytes(std::span(out_)));
  out_.clear();
}

void refuse_character(std::uint64_t offset, const char* is) {
  throw Error(Errc::damaged, "character at byte " + std::to_string(offset) + " " + is);
}

void refuse_text(const char* fault) {
  throw Error(Errc::damaged, fault);
}

}  // namespace fugu::stream
