// Texts that nppcrypt, a Notepad++ plug-in, encrypted with Blowfish: headers 1010 to 1016, and 1008 and
// 1009.
//
//   <nppcrypt version=".." ..> | <encryption cipher=".." mode=".." encoding=".." /> | <key algorithm=".." ..
//   /> | <iv ../> or <random ../> | </nppcrypt> | ciphertext, as bytes, base16, base32 or base64 "nppcrypt"
//   01 | cipher | mode | .. | "Salted__" and salt 8, maybe | ciphertext
//
// ECB and CBC have PKCS#7 padding. A message authentication code, if present, has its own passphrase and is
// not checked.
#include <bit>

#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

constexpr std::array<std::string_view, 5> kModes{"cbc", "ecb", "cfb", "ofb", "ctr"};  // in the order of 1008
constexpr std::array kModeValues{Mode::cbc, Mode::ecb, Mode::cfb64, Mode::ofb, Mode::ctr};

enum class NppEncoding : std::uint8_t { ascii, base16, base32, base64 };

struct NppHeader {
  unsigned version = 0;
  std::size_t key_bytes = 16;
  mode::Mode mode = mode::Mode::cbc;
  NppEncoding encoding = NppEncoding::base64;
  std::string derivation;  // "scrypt" or "pbkdf2"
  std::string digest;      // of pbkdf2, OpenSSL's name
  std::uint64_t iterations = 0;
  std::uint64_t scrypt_n = 0;
  std::uint64_t scrypt_r = 0;
  std::uint64_t scrypt_p = 0;
  std::vector<std::byte> salt;
  std::optional<std::vector<std::byte>> iv;  // as stored
  bool derives_iv = false;                   // it follows the key in the derived bytes
  bool has_mac = false;

  // "nppcrypt 1016, cbc, key of 16 bytes by scrypt"
  std::string describe() const {
    std::string text = "nppcrypt " + std::to_string(version) + ", " +
                       std::string(kModes[place_of(kModeValues, mode)]) + ", key of " +
                       std::to_string(key_bytes) + " bytes by " + derivation;
    if (derivation == "pbkdf2") text += " (" + digest + ", " + std::to_string(iterations) + " iterations)";
    return text;
  }
};

constexpr std::string_view kBegin = "<nppcrypt version=\"";
constexpr std::string_view kEnd = "</nppcrypt>";
constexpr std::string_view kOldBegin = "nppcrypt\x01";
constexpr std::size_t kMaxHeaderBytes = 4096;
constexpr std::size_t kOldHeaderBytes = 16;
constexpr std::uint64_t kOldIterations = 1000;
constexpr std::uint64_t kMaxIterations = 10'000'000;
constexpr std::uint64_t kMaxScryptBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxScryptWorkBytes = std::uint64_t{4}
                                              << 30;  // bytes of memory, times the number of passes

constexpr std::array<std::string_view, 4> kEncodings{"ascii", "base16", "base32", "base64"};

[[noreturn]] void damaged() {
  throw Error(Errc::damaged, "the nppcrypt header is damaged");
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::unknown_format,
              "an nppcrypt text with " + what + ", which fugu does not open: open it with nppcrypt");
}

using Attributes = std::map<std::string, std::string, std::less<>>;

// The attributes of the first element called `name`; empty if there is none.
std::optional<Attributes> attributes_of(std::string_view header, std::string_view name) {
  std::string opening(1, '<');
  opening.append(name).append(1, ' ');
  const std::size_t begin = header.find(opening);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(begin + 1 + name.size());
  Attributes attributes;
  for (;;) {
    const std::size_t name_at = rest.find_first_not_of(" \t\r\n");
    if (name_at == std::string_view::npos) damaged();
    rest = rest.substr(name_at);
    if (rest.starts_with('>') || rest.starts_with('/')) return attributes;
    const std::size_t equals = rest.find("=\"");
    const std::size_t end = equals == std::string_view::npos ? equals : rest.find('"', equals + 2);
    if (end == std::string_view::npos) damaged();
    attributes.emplace(rest.substr(0, equals), rest.substr(equals + 2, end - equals - 2));
    rest = rest.substr(end + 1);
  }
}

std::string text_at(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

std::uint64_t number_at(const Attributes& attributes, std::string_view name) {
  const std::optional<std::uint64_t> number = parse_number(text_at(attributes, name));
  if (!number) damaged();
  return *number;
}

std::vector<std::byte> base64_at(const Attributes& attributes, std::string_view name) {
  std::optional<std::vector<std::byte>> bytes = parse_base64(text_at(attributes, name));
  if (!bytes) damaged();
  return *std::move(bytes);
}

// The index of the word among `words`. Files may hold anything: an error repeats only plain characters.
template <class Words>
std::size_t known_place(const Words& words, const std::string& word, const char* what) {
  if (const std::size_t place = place_of(words, word); place < words.size()) return place;
  const bool plain = !word.empty() && word.size() <= 32 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  std::string text = what;
  if (plain) text.append(" '").append(word).append("'");
  refuse(text);
}

// In version 1016 "sha2" and 32 mean SHA-256; older headers have the name alone.
std::string digest_of(const Attributes& key) {
  const std::string name = text_at(key, "hash");
  constexpr std::array<std::string_view, 9> kNames{"md5",    "sha1",      "sha256", "sha512",   "sha384",
                                                   "sha224", "ripemd160", "md4",    "whirlpool"};
  if (!key.contains("digest-length")) return std::string(kNames[known_place(kNames, name, "the digest")]);
  const std::string bits = std::to_string(8 * std::min<std::uint64_t>(number_at(key, "digest-length"), 1024));
  if (name == "sha2") return "sha" + bits;
  if (name == "sha3") return "sha3-" + bits;
  if (name == "ripemd") return "ripemd" + bits;
  return std::string(kNames[known_place(kNames, name, "the digest")]);
}

void read_key(const Attributes& key, NppHeader& header) {
  constexpr std::array<std::string_view, 2> kDerivations{"scrypt", "pbkdf2"};
  header.derivation =
      kDerivations[known_place(kDerivations, text_at(key, "algorithm"), "the key derivation")];
  header.salt = base64_at(key, "salt");
  header.derives_iv = text_at(key, "generateIV") == "true";
  if (header.derivation == "scrypt") {
    header.scrypt_n = number_at(key, "N");
    header.scrypt_r = number_at(key, "r");
    header.scrypt_p = number_at(key, "p");
  } else {
    header.digest = digest_of(key);
    header.iterations = number_at(key, "iterations");
    if (!auth::digest_exists(header.digest)) refuse("a digest that OpenSSL does not have");
  }
}

std::size_t key_bytes_at(const Attributes& encryption) {
  const std::uint64_t bytes = number_at(encryption, "key-length");
  if (bytes == 0 || bytes > cipher::kMaxKeyBytes) damaged();
  return static_cast<std::size_t>(bytes);
}

// `text` ends before "</nppcrypt>".
NppHeader parse_header(std::string_view text) {
  const auto outer = attributes_of(text, "nppcrypt");
  const auto encryption = attributes_of(text, "encryption");
  const auto key = attributes_of(text, "key");
  if (!outer || !encryption || !key) damaged();
  NppHeader header;
  header.version = static_cast<unsigned>(std::min<std::uint64_t>(number_at(*outer, "version"), 9999));
  header.has_mac = outer->contains("hmac");
  constexpr std::array<std::string_view, 1> kCiphers{"blowfish"};
  known_place(kCiphers, text_at(*encryption, "cipher"), "the cipher");
  if (encryption->contains("key-length")) header.key_bytes = key_bytes_at(*encryption);
  header.mode = kModeValues[known_place(kModes, text_at(*encryption, "mode"), "the mode")];
  header.encoding =
      static_cast<NppEncoding>(known_place(kEncodings, text_at(*encryption, "encoding"), "the encoding"));
  read_key(*key, header);
  if (const auto iv = attributes_of(text, "iv")) header.iv = base64_at(*iv, "value");
  if (const auto random = attributes_of(text, "random")) {
    if (random->contains("iv")) header.iv = base64_at(*random, "iv");
    if (random->contains("salt")) header.salt = base64_at(*random, "salt");
  }
  if (header.iv && header.iv->size() != kBlockBytes) damaged();
  return header;
}

NppHeader read_old_header(Lookahead& source) {
  const std::vector<std::byte> bytes = source.take(kOldHeaderBytes, "its header");
  NppHeader header;
  header.version = 1009;
  if (bytes[9] != std::byte{0}) refuse("a cipher other than Blowfish");
  const auto mode = std::to_integer<std::size_t>(bytes[10]);
  if (mode >= kModes.size() || bytes[12] != std::byte{0})
    refuse("a mode or key derivation from before version 1008");
  header.mode = kModeValues[mode];
  header.encoding = bytes[13] == std::byte{1} ? NppEncoding::base16 : NppEncoding::ascii;
  header.derivation = "pbkdf2";
  header.digest = "md5";
  header.iterations = kOldIterations;
  header.derives_iv = true;
  return header;
}

void skip_line_end(Lookahead& source) {
  const std::string_view next = text_of(source.peek(2));
  source.skip(next.starts_with("\r\n") ? 2 : next.starts_with('\n') ? 1 : 0);
}

bool is_nppcrypt(std::span<const std::byte> head) {
  if (starts_with(head, kByteOrderMark)) head = head.subspan(kByteOrderMark.size());
  return starts_with(head, kBegin) || starts_with(head, kOldBegin);
}

// Takes the header and the line end after it. Throws Error{unknown_format} naming unsupported parameters,
// Error{damaged} for an invalid header.
NppHeader read_nppcrypt_header(Lookahead& source) {
  if (starts_with(source.peek(kByteOrderMark.size()), kByteOrderMark)) source.skip(kByteOrderMark.size());
  const std::string_view head = text_of(source.peek(kMaxHeaderBytes));
  if (head.starts_with(kOldBegin)) return read_old_header(source);
  if (!head.starts_with(kBegin)) throw Error(Errc::unknown_format, "not an nppcrypt text");
  const std::size_t end = head.find(kEnd);
  if (end == std::string_view::npos) throw Error(Errc::damaged, "the file ends inside its header");
  const NppHeader header = parse_header(head.substr(0, end));
  source.skip(end + kEnd.size());
  skip_line_end(source);
  return header;
}

// Derives key and IV, 8 bytes. Throws Error{unknown_format} when the derivation needs more memory or time
// than any known file.
auth::SecretBytes derive_nppcrypt_key(const NppHeader& header, const auth::SecretBytes& passphrase) {
  const std::size_t bytes = header.key_bytes + kBlockBytes;
  if (header.derivation == "pbkdf2") {
    if (header.iterations == 0) damaged();
    if (header.iterations > kMaxIterations) refuse("more than 10000000 iterations");
    return auth::pbkdf2(header.digest, passphrase, header.salt, static_cast<std::uint32_t>(header.iterations),
                        bytes);
  }
  if (!std::has_single_bit(header.scrypt_n) || header.scrypt_n < 2 || header.scrypt_r == 0 ||
      header.scrypt_p == 0)
    damaged();
  const bool too_much = header.scrypt_r > kMaxScryptBytes / 128 ||
                        header.scrypt_n > kMaxScryptBytes / (128 * header.scrypt_r) ||
                        header.scrypt_p > kMaxScryptWorkBytes / (128 * header.scrypt_r * header.scrypt_n);
  if (too_much) refuse("a key derivation of more than 1 GiB");
  const auth::ScryptCost cost{.log2_n = static_cast<unsigned>(std::countr_zero(header.scrypt_n)),
                              .r = static_cast<unsigned>(header.scrypt_r),
                              .p = static_cast<unsigned>(header.scrypt_p)};
  return auth::scrypt(passphrase, header.salt, cost, bytes);
}

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
    return only_recipe(find_key(job, data, header, request.secret(SecretKind::passphrase)), header.describe(),
                       data);
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
