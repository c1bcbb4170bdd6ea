// The text encodings of nppcrypt. Crypto++ skips all other characters; here white space alone is skipped, so
// that nothing after the text goes unseen. Base32 is a decoder of its own: no other program here has it.
#include <array>
#include <string_view>

#include "fugu/error.hpp"
#include "fugu/format/nppcrypt/detail/header.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {
namespace {

int base32_digit(char c) noexcept {
  constexpr std::string_view kDigits = "ABCDEFGHIJKMNPQRSTUVWXYZ23456789";
  const std::size_t value = kDigits.find(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return value == kDigits.npos ? -1 : static_cast<int>(value);
}

class Base32Decoder final : public stream::Source {
 public:
  explicit Base32Decoder(stream::Source& inner) : inner_(inner) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      if (next_ == held_ && !refill()) {
        require_whole_group();
        break;
      }
      const char c = std::to_integer<char>(buffer_[next_++]);
      if (stream::kTextSpace.find(c) != std::string_view::npos) continue;
      const int value = base32_digit(c);
      padded_ = padded_ || c == '=';
      if (padded_ ? c != '=' : value < 0)
        throw Error(Errc::damaged,
                    "there is a character in the text, or after it, that does not belong there");
      if (padded_) continue;
      window_ = (window_ << kBitsPerDigit | static_cast<unsigned>(value)) & 0xffffU;
      bits_ += kBitsPerDigit;
      if (bits_ < 8) continue;
      bits_ -= 8;
      into[filled++] = static_cast<std::byte>(window_ >> bits_ & 0xffU);
    }
    return filled;
  }
  void cancel() noexcept override { inner_.cancel(); }

 private:
  static constexpr unsigned kBitsPerDigit = 5;

  // Fewer bits than a digit's are left of the last byte.
  void require_whole_group() const {
    if (bits_ >= kBitsPerDigit) throw Error(Errc::damaged, "the text ends inside a group");
  }
  bool refill() {
    held_ = inner_.read(buffer_);
    next_ = 0;
    return held_ != 0;
  }

  stream::Source& inner_;
  std::array<std::byte, 16384> buffer_;
  std::size_t held_ = 0;
  std::size_t next_ = 0;
  unsigned window_ = 0;
  unsigned bits_ = 0;
  bool padded_ = false;  // nothing but padding may follow
};

}  // namespace

std::unique_ptr<stream::Source> nppcrypt_decoder(stream::Source& source, NppEncoding encoding) {
  switch (encoding) {
    case NppEncoding::base16:
      return stream::hex_decoder(stream::borrow(source));
    case NppEncoding::base32:
      return std::make_unique<Base32Decoder>(source);
    case NppEncoding::base64:
      return stream::base64_decoder(stream::borrow(source));
    case NppEncoding::ascii:
      break;
  }
  return stream::borrow(source);
}

}  // namespace fugu::format
