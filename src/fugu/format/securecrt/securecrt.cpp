// Passwords that SecureCRT saved before version 7.3.3.
//
// A session file has the line S:"Password"=u and hexadecimal digits. They are CBC under two fixed keys, with
// IVs of zero: under the second, UTF-16LE that two zero bytes end; that, between 4 and 4 random bytes, under
// the first.

#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kOuterKey = "24a63dde5bd3b3829c7e06f40816aa07";
constexpr std::string_view kInnerKey = "5fb045a29417d916c6c6a2ff064182b7";
constexpr std::size_t kRandomBytes = 4;  // on each side
constexpr std::string_view kLine = "S:\"Password\"=";
constexpr std::string_view kLineOfAes = "S:\"Password V2\"=";
constexpr std::size_t kMinDigits = 4 * kBlockBytes;

// The value of the line that begins with `name`; empty without one.
std::string_view value_of(std::string_view file, std::string_view name) {
  for (std::size_t at = file.find(name); at != file.npos; at = file.find(name, at + 1)) {
    if (at != 0 && file[at - 1] != '\n' && file[at - 1] != '\xbf') continue;  // the last byte of a BOM
    const std::string_view rest = file.substr(at + name.size());
    return trimmed(rest.substr(0, rest.find('\n')));
  }
  return {};
}

bool is_session(std::string_view file) {
  return file.find(kLine) != file.npos || file.find(kLineOfAes) != file.npos;
}

[[noreturn]] void refuse_aes() {
  throw Error(Errc::unknown_format,
              "a SecureCRT password of version 7.3.3 or later, which encrypts with AES, not Blowfish");
}

// The digits after "u".
std::string_view digits_in(std::string_view file) {
  std::string_view value = is_session(file) ? value_of(file, kLine) : trimmed(file);
  if (value.empty() && !value_of(file, kLineOfAes).empty()) refuse_aes();
  if (value.starts_with("02:") || value.starts_with("03:")) refuse_aes();
  if (value.starts_with('u')) value.remove_prefix(1);
  if (value.empty()) throw Error(Errc::damaged, "has no saved password");
  return value;
}

void decrypt(engine::Engine& engine, std::string_view key, std::span<std::byte> message) {
  transform(engine, *parse_hex(key), {.iv = mode::Iv()}, Direction::decrypt, message);
}

// Writes UTF-16LE up to two zeros as UTF-8.
void write_password(std::span<std::byte> text, stream::Sink& sink) {
  std::size_t bytes = 0;
  while (bytes + 1 < text.size() && (text[bytes] | text[bytes + 1]) != std::byte{0}) {
    std::swap(text[bytes], text[bytes + 1]);
    bytes += 2;
  }
  if (bytes + 1 >= text.size())
    throw Error(Errc::damaged, "the saved password is damaged: its end is missing");
  for_each_character(text.first(bytes), Charset::utf16_big, [&](char32_t character) {
    if (character >= 0xd800 && character < 0xe000)
      throw Error(Errc::damaged, "the saved password is damaged: it is not UTF-16");
    write_utf8(sink, character);
  });
}

bool holds_password(std::span<const std::byte> head) {
  const std::string_view value = value_of(text_of(head), kLine);
  const std::string_view digits = value.substr(std::min<std::size_t>(value.size(), 1), kMinDigits);
  const bool is_password = value.starts_with('u') && digits.size() == kMinDigits && parse_hex(digits);
  return is_password || value_of(text_of(head), kLineOfAes).starts_with("0");
}

Opened open_securecrt(const Job& job, const OpenRequest&) {
  const core::WipedBytes file = read_whole(job, "a SecureCRT session");
  const auto bytes = parse_hex(digits_in(text_of(file)));
  if (!bytes || bytes->size() < 2 * kBlockBytes || bytes->size() % kBlockBytes != 0)
    throw Error(Errc::damaged, "the saved password is not 16 or more bytes in hexadecimal digits");
  core::WipedBytes message(bytes->begin(), bytes->end());
  decrypt(job.engine, kOuterKey, message);
  const std::span<std::byte> inner =
      std::span(message).subspan(kRandomBytes, message.size() - 2 * kRandomBytes);
  decrypt(job.engine, kInnerKey, inner);
  stream::MemorySink password;
  write_password(inner, password);
  write_whole(job, password.bytes());
  Opened opened = proved("SecureCRT, cbc twice");
  opened.all_content = !is_session(text_of(file));
  if (!opened.all_content) opened.notes.push_back("only the password of the session was written");
  return opened;
}

}  // namespace

const Codec kSecureCrtCodec{
    .name = "securecrt",
    .summary = "passwords that SecureCRT saved (session .ini)",
    .made_by = "SecureCRT before 7.3.3",
    .details = "The value of the line S:\"Password\" alone is opened with --format securecrt.",
    .wrong_secret = kNoSecretToTell,
    .secrets = 0,
    .recognise = recognise_if<holds_password>,
    .open = open_securecrt,
    .describe = describe_as<"a saved SecureCRT password">,
    .no_salvage = "it holds one password",
    .holds_passwords = true,
    .is_text = true,
    .has_messages = true,
};

}  // namespace fugu::format
