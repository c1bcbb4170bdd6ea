#include "fugu/format/nppcrypt/detail/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>

#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/rows.hpp"
#include "fugu/format/recognition.hpp"

namespace fugu::format {
namespace {

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

constexpr std::array<std::string_view, 5> kModes{"cbc", "ecb", "cfb", "ofb", "ctr"};  // in the order of 1008
constexpr std::array kModeValues{Mode::cbc, Mode::ecb, Mode::cfb64, Mode::ofb, Mode::ctr};
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

}  // namespace

std::string NppHeader::describe() const {
  std::string text = "nppcrypt " + std::to_string(version) + ", " +
                     std::string(kModes[place_of(kModeValues, mode)]) + ", key of " +
                     std::to_string(key_bytes) + " bytes by " + derivation;
  if (derivation == "pbkdf2") text += " (" + digest + ", " + std::to_string(iterations) + " iterations)";
  return text;
}

bool is_nppcrypt(std::span<const std::byte> head) {
  if (starts_with(head, kByteOrderMark)) head = head.subspan(kByteOrderMark.size());
  return starts_with(head, kBegin) || starts_with(head, kOldBegin);
}

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

}  // namespace fugu::format
