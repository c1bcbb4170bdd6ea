// Texts that nppcrypt, a Notepad++ plug-in, encrypted with Blowfish: headers 1010 to 1016, and 1008 and
// 1009.
//
//   <nppcrypt version=".." ..> | <encryption cipher=".." mode=".." encoding=".." /> | <key algorithm=".." ..
//   /> | <iv ../> or <random ../> | </nppcrypt> | ciphertext, as bytes, base16, base32 or base64 "nppcrypt"
//   01 | cipher | mode | .. | "Salted__" and salt 8, maybe | ciphertext
//
// ECB and CBC have PKCS#7 padding. A message authentication code, if present, has its own passphrase and is
// not checked.
#include <algorithm>
#include <array>
#include <string_view>

#include "fugu/error.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/format/nppcrypt/detail/header.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {
namespace {

// The text encodings. Crypto++ skips all other characters; here white space alone is skipped, so that nothing
// after the text goes unseen. Base32 is a decoder of its own: no other program here has it.
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
        throw Error(Errc::damaged, "a character in the text, or after it, is not valid");
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

std::unique_ptr<stream::Source> nppcrypt_decoder(stream::Source& source, NppEncoding encoding) {
  if (encoding == NppEncoding::base16) return stream::hex_decoder(stream::borrow(source));
  if (encoding == NppEncoding::base32) return std::make_unique<Base32Decoder>(source);
  if (encoding == NppEncoding::base64) return stream::base64_decoder(stream::borrow(source));
  return stream::borrow(source);
}

constexpr unsigned kLastWithZero = 1010;  // passphrases up to this version could end in a zero

Tried judged(const Job& job, Lookahead& data, const NppHeader& header, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes stream = derive_nppcrypt_key(header, passphrase);
  const Recipe recipe{.derivation = Derivation::literal,
                      .mode = header.mode,
                      .padding = mode::is_padded(header.mode) ? TailPadding::pkcs7 : TailPadding::none};
  RecipeInput input{.salt = {}, .iv = mode::Iv()};
  if (header.iv || header.derives_iv)
    input.iv = iv_of(header.iv ? std::span<const std::byte>(*header.iv) : stream.span().last(kBlockBytes));
  return std::move(
      try_recipes(job.engine, {recipe}, auth::SecretBytes(stream.span().first(header.key_bytes)), input, data)
          .front());
}

Tried find_key(const Job& job, Lookahead& data, const NppHeader& header,
               const auth::SecretBytes& passphrase) {
  Tried best = judged(job, data, header, passphrase);
  if (header.version <= kLastWithZero) {
    auth::SecretBytes with_zero(passphrase.size() + 1);
    std::ranges::copy(passphrase.span(), with_zero.data());
    Tried other = judged(job, data, header, with_zero);
    if (is_better(other, best)) best = std::move(other);
  }
  return best;
}

// In 1008 and 1009 a salt precedes the ciphertext.
void take_old_salt(Lookahead& data, NppHeader& header) {
  if (header.version > 1009 || !starts_with(data.peek(kSalted.size()), kSalted)) return;
  data.skip(kSalted.size());
  header.salt = data.take(kSaltBytes, "its salt");
}

Opened open_nppcrypt(const Job& job, const OpenRequest& request) {
  Lookahead text(job.source);
  NppHeader header = read_nppcrypt_header(text);
  count_read(job, static_cast<std::size_t>(text.position()));
  const auto decoder = nppcrypt_decoder(text, header.encoding);
  Lookahead data(*decoder);
  take_old_salt(data, header);
  const Verdict found = fitting(job, [&] {
    std::vector<Tried> best;
    best.push_back(find_key(job, data, header, request.secret(SecretKind::passphrase)));
    return only_recipe(std::move(best), header.describe(), data);
  });
  Opened opened = likely(header.describe(), found.bits);
  if (header.has_mac)
    opened.notes.push_back("the text has an HMAC under a passphrase of its own, which was not checked");
  run_recipe(with_source(job, data), found.found);
  return opened;
}

Description describe_nppcrypt(stream::Source& source, const OptionValues&) {
  Lookahead text(source);
  const NppHeader header = read_nppcrypt_header(text);
  Description description{.title = "nppcrypt " + std::to_string(header.version)};
  description.add_text("parameters", "parameters", header.describe());
  description.add_flag("hmac", "HMAC", header.has_mac);
  return description;
}

}  // namespace

const Codec kNppcryptCodec{
    .name = "nppcrypt",
    .summary = "nppcrypt, a Notepad++ plug-in, with Blowfish; its ofb uses only one core",
    .made_by = "nppcrypt 1.0.0.8 to 1.0.1.6",
    .wrong_secret = "nothing but padding, in ecb and cbc, and how the beginning looks",
    .recognise = recognise_if<is_nppcrypt>,
    .open = open_nppcrypt,
    .describe = describe_nppcrypt,
};

}  // namespace fugu::format
