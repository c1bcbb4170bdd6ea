// The text encodings of nppcrypt. Crypto++ skips all other characters; here white space alone is skipped, so
// that nothing after the text goes unseen.
#include <algorithm>
#include <array>
#include <string_view>

#include "fugu/error.hpp"
#include "fugu/format/nppcrypt/detail/header.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kBase16 = "0123456789ABCDEF";
constexpr std::string_view kBase32 = "ABCDEFGHIJKMNPQRSTUVWXYZ23456789";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

class Decoder final : public stream::Source {
 public:
  Decoder(stream::Source& inner, std::string_view digits, unsigned bits_per_digit)
      : inner_(inner), bits_per_digit_(bits_per_digit) {
    values_.fill(kStranger);
    for (const char space : stream::kTextSpace) set(space, kSpace, false);
    set('=', kPadding, false);
    for (std::size_t i = 0; i < digits.size(); ++i) set(digits[i], static_cast<int>(i), bits_per_digit != 6);
  }

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      if (next_ == held_ && !refill()) {
        require_whole_group();
        break;
      }
      const int value = values_[std::to_integer<std::size_t>(buffer_[next_++])];
      if (value == kSpace) continue;
      if (value == kPadding) padded_ = true;
      if (value == kStranger || (padded_ && value != kPadding))
        throw Error(Errc::damaged,
                    "there is a character in the text, or after it, that does not belong there");
      if (padded_) continue;
      window_ = (window_ << bits_per_digit_ | static_cast<unsigned>(value)) & 0xffffU;
      bits_ += bits_per_digit_;
      if (bits_ < 8) continue;
      bits_ -= 8;
      into[filled++] = static_cast<std::byte>(window_ >> bits_ & 0xffU);
    }
    return filled;
  }
  std::optional<stream::FileId> file_id() const override { return inner_.file_id(); }
  void cancel() noexcept override { inner_.cancel(); }

 private:
  static constexpr int kSpace = -1, kPadding = -2, kStranger = -3;

  // Fewer bits than a digit's are left of the last byte.
  void require_whole_group() const {
    if (bits_ >= bits_per_digit_) throw Error(Errc::damaged, "the text ends inside a group");
  }
  void set(char digit, int value, bool either_case) {
    values_[static_cast<unsigned char>(digit)] = value;
    if (either_case && digit >= 'A' && digit <= 'Z')
      values_[static_cast<unsigned char>(digit - 'A' + 'a')] = value;
  }
  bool refill() {
    held_ = inner_.read(buffer_);
    next_ = 0;
    return held_ != 0;
  }

  stream::Source& inner_;
  unsigned bits_per_digit_;
  std::array<int, 256> values_;
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
      return std::make_unique<Decoder>(source, kBase16, 4);
    case NppEncoding::base32:
      return std::make_unique<Decoder>(source, kBase32, 5);
    case NppEncoding::base64:
      return std::make_unique<Decoder>(source, kBase64, 6);
    case NppEncoding::ascii:
      break;
  }
  return stream::borrow(source);
}

}  // namespace fugu::format
