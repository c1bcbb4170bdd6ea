#include "fugu/format/mcrypt/detail/header.hpp"

#include <algorithm>
#include <bit>

#include "fugu/error.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/rows.hpp"

namespace fugu::format {
namespace {

constexpr unsigned kHasSalt = 0x40;
constexpr unsigned kHasNoIv = 0x80;
constexpr std::size_t kMagicBytes = 3;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kS2kSaltBytes = 8;
constexpr std::uint64_t kIteratedBytes = 1024;
constexpr std::array kModeValues{Mode::cbc,   Mode::ecb, Mode::cfb8, Mode::ofb8,
                                 Mode::cfb64, Mode::ofb, Mode::ctr};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::unknown_format, what + ": open it with mcrypt");
}

// A zero-terminated name of lower-case letters, digits and dashes.
std::string take_name(Lookahead& source, const char* what) {
  const auto seen = source.peek(kMaxNameBytes);
  const auto end = std::ranges::find(seen, std::byte{0});
  if (end == seen.end() && seen.size() < kMaxNameBytes)
    throw Error(Errc::damaged, "the file ends inside mcrypt's header");
  std::string name(text_of(seen.first(static_cast<std::size_t>(end - seen.begin()))));
  const bool plain = std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  if (end == seen.end() || !plain)
    throw Error(Errc::damaged, std::string("mcrypt's header is damaged: no name of a ") + what);
  source.skip(name.size() + 1);
  return name;
}

template <class Names>
void check_name(const Names& names, const std::string& name, const char* what) {
  if (std::ranges::find(names, name) == names.end())
    refuse("an mcrypt file with the " + std::string(what) + " '" + name + "', which fugu does not open");
}

core::ByteOrder words_of(const std::string& algorithm) {
  if (algorithm == "blowfish") return core::ByteOrder::big;
  if (algorithm == "blowfish-compat") return core::ByteOrder::little;
  refuse("an mcrypt file with the cipher '" + algorithm + "', not Blowfish");
}

void read_salt(Lookahead& source, unsigned flags, McryptHeader& header) {
  if ((flags & kHasSalt) == 0) return;
  const auto stated = std::to_integer<std::size_t>(source.take(1, "mcrypt's header").front());
  if (stated % 2 == 0)
    throw Error(Errc::damaged, "mcrypt's header is damaged: the size of its salt is wrong");
  header.salt = source.take(stated - 1, "mcrypt's header");
}

void read_iv(Lookahead& source, bool has_iv, McryptHeader& header) {
  if (has_iv && header.mode != "ecb") header.iv = iv_of(source.take(kBlockBytes, "the IV"));
}

McryptHeader read_bare(Lookahead& source, const OptionValues& options) {
  McryptHeader header;
  header.bare = true;
  header.words = options.text("words") == "le" ? core::ByteOrder::little : core::ByteOrder::big;
  if (const auto bytes = options.number("key-bytes")) header.key_bytes = static_cast<std::size_t>(*bytes);
  header.mode = options.text("mode").value_or(header.mode);
  header.keymode = options.text("keymode").value_or(header.keymode);
  read_iv(source, !options.has("noiv"), header);
  return header;
}

auth::SecretBytes filled(const auth::SecretBytes& passphrase, std::size_t bytes) {
  auth::SecretBytes key(bytes);
  std::ranges::copy(passphrase.span().first(std::min(bytes, passphrase.size())), key.data());
  return key;
}

auth::SecretBytes from_hex(const auth::SecretBytes& digits, std::size_t bytes) {
  auth::SecretBytes key(bytes);
  const std::size_t given = std::min(bytes, digits.size() / 2);
  if (!parse_hex(text_of(digits.span().first(2 * given)), key.span().first(given)))
    throw Error(Errc::wrong_key, "wrong passphrase: in this keymode it is hexadecimal digits");
  return key;
}

// Seven bits of each byte and odd parity.
auth::SecretBytes with_parity(const auth::SecretBytes& passphrase, std::size_t bytes) {
  auth::SecretBytes key = filled(passphrase, bytes);
  for (std::byte& byte : key.span()) {
    const unsigned low = std::to_integer<unsigned>(byte) & 0x7fU;
    byte = static_cast<std::byte>(low | (std::popcount(low) % 2 == 0 ? 0x80U : 0U));
  }
  return key;
}

auth::SecretBytes from_s2k(const McryptHeader& header, const auth::SecretBytes& passphrase) {
  const std::string_view keymode = header.keymode;
  std::string digest(keymode.substr(keymode.rfind('-') + 1));
  if (digest == "ripemd") digest = "ripemd160";
  const auto salt = std::span(header.salt).first(std::min(header.salt.size(), kS2kSaltBytes));
  if (keymode.starts_with("s2k-simple")) return s2k(digest, passphrase, {}, 0, header.key_bytes);
  const bool iterated = keymode.starts_with("s2k-isalted");
  return s2k(digest, passphrase, salt, iterated ? kIteratedBytes : 0, header.key_bytes);
}

}  // namespace

mode::Settings McryptHeader::settings() const {
  return {.mode = kModeValues[place_of(kMcryptModes, mode)],
          .padding = mode::Padding::none,
          .iv = iv,
          .words = words};
}

std::string McryptHeader::describe() const {
  return std::string("mcrypt, ") + (words == core::ByteOrder::little ? "blowfish-compat, " : "blowfish, ") +
         mode + ", key of " + std::to_string(key_bytes) + " bytes by " + keymode +
         (bare ? ", without a header" : ", digest " + digest);
}

bool is_mcrypt_header(std::span<const std::byte> head) {
  if (head.size() <= kMagicBytes || head[0] != std::byte{0} || head[1] != std::byte{0x6d}) return false;
  return head[2] == std::byte{3} && (std::to_integer<unsigned>(head[3]) & ~(kHasSalt | kHasNoIv)) == 0;
}

McryptHeader read_mcrypt_header(Lookahead& source, const OptionValues& options) {
  if (options.has("bare")) return read_bare(source, options);
  const auto head = source.peek(kMagicBytes + 1);
  if (head.size() >= kMagicBytes && head[0] == std::byte{0} && head[1] == std::byte{0x6d} &&
      head[2] < std::byte{3})
    refuse("an mcrypt 2.1 or 2.2 file");
  if (!is_mcrypt_header(head))
    throw Error(Errc::unknown_format, "not an mcrypt file: for one without a header, give ⟦bare⟧");
  const auto flags = std::to_integer<unsigned>(head[kMagicBytes]);
  source.skip(kMagicBytes + 1);
  McryptHeader header;
  header.words = words_of(take_name(source, "cipher"));
  header.key_bytes = static_cast<std::size_t>(load_little(source.take(2, "mcrypt's header")));
  if (header.key_bytes == 0 || header.key_bytes > cipher::kMaxKeyBytes)
    throw Error(Errc::damaged,
                "mcrypt's header is damaged: a key of " + std::to_string(header.key_bytes) + " bytes");
  header.mode = take_name(source, "mode");
  check_name(kMcryptModes, header.mode, "mode");
  header.keymode = take_name(source, "keymode");
  check_name(kMcryptKeymodes, header.keymode, "keymode");
  read_salt(source, flags, header);
  header.digest = take_name(source, "digest");
  read_iv(source, (flags & kHasNoIv) == 0, header);
  return header;
}

auth::SecretBytes derive_mcrypt_key(const McryptHeader& header, const auth::SecretBytes& passphrase) {
  if (header.keymode == "mcrypt-sha1") return sha1_chain(passphrase, header.salt, header.key_bytes);
  if (header.keymode == "hex") return from_hex(passphrase, header.key_bytes);
  if (header.keymode == "pkdes") return with_parity(passphrase, header.key_bytes);
  if (header.keymode.starts_with("s2k-")) return from_s2k(header, passphrase);
  return filled(passphrase, header.key_bytes);  // for asis; mcrypt-md5 never did more
}

}  // namespace fugu::format
