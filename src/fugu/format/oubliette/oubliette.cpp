// Password stores of Oubliette (.oub), a program in Delphi with DCPcrypt 1.
//
//   "OUBP" | cipher, "F" for Blowfish | 3 bytes | bytes of the data, u32 little-endian | check 32 | data
//
// The key is SHA-1(passphrase) and 12 bytes ff, the IV a block of ff encrypted under it. The check is the key
// in CBC under itself, which proves the passphrase; the data is CBC too, and its rest of n < 8 bytes is
// combined with the first n bytes of the block before, encrypted once more.
#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr Literal kMagic = "OUBP";
constexpr std::size_t kKeyBytes = 32;
constexpr std::byte kFill{0xff};
constexpr const char* kEndsEarly = "the file ends early: it is truncated";

struct Header {
  char cipher = 0;
  std::uint32_t data_bytes = 0;
  std::span<const std::byte> check;
};

Header take_header(Reader& reader) {
  reader.take(kMagic.size());
  Header header;
  header.cipher = std::to_integer<char>(reader.take(4).front());
  header.data_bytes = reader.little(4);
  header.check = reader.take(kKeyBytes);
  return header;
}

auth::SecretBytes key_of(const auth::SecretBytes& passphrase) {
  const auth::SecretBytes digest = auth::digest("sha1", {passphrase.span()});
  auth::SecretBytes key(kKeyBytes);
  std::ranges::fill(key.span(), kFill);
  std::ranges::copy(digest.span(), key.data());
  return key;
}

// A changed byte spoils two blocks of the check: each of the others proves the passphrase.
void require_check(const Job& job, std::span<const std::byte> check, std::span<const std::byte> key) {
  bool proves = false;
  for (std::size_t at = 0; at < kKeyBytes; at += kBlockBytes)
    proves = proves || std::ranges::equal(check.subspan(at, kBlockBytes), key.subspan(at, kBlockBytes));
  if (!proves) throw Error(Errc::wrong_key, "wrong passphrase");
  holds(job, std::ranges::equal(check, key), "the check of the passphrase in the header is damaged");
}

Opened open_oubliette(const Job& job, const OpenRequest& request) {
  const core::WipedBytes file = read_whole(job, "a password store");
  if (!starts_with(file, kMagic)) throw Error(Errc::unknown_format, "not an Oubliette store");
  Reader reader(file, kEndsEarly);
  const Header header = take_header(reader);
  if (header.cipher != 'F')
    throw Error(Errc::unknown_format,
                "an Oubliette store with a cipher other than Blowfish: open it with Oubliette");
  core::WipedBytes data(reader.left().begin(), reader.left().end());
  holds(job, data.size() >= header.data_bytes, kEndsEarly);
  holds(job, data.size() <= header.data_bytes, "bytes follow the end of the data");
  const auth::SecretBytes key = key_of(request.secret(SecretKind::passphrase));
  const cipher::Schedule schedule = schedule_of(key.span());
  mode::Settings settings{.padding = mode::Padding::residual, .iv = mode::Iv()};
  std::ranges::fill(*settings.iv, kFill);
  transform(job.engine, schedule, {.mode = Mode::ecb}, Direction::encrypt, *settings.iv);
  core::WipedBytes check(header.check.begin(), header.check.end());
  transform(job.engine, schedule, settings, Direction::decrypt, check);
  require_check(job, check, std::as_const(key).span());
  mode::CipherStream(job.engine, schedule, settings, Direction::decrypt).process(data, data.size(), true);
  write_whole(job, data);
  return proved("Oubliette, bf-cbc, SHA-1");
}

}  // namespace

const Codec kOublietteCodec{
    .name = "oubliette",
    .extensions = kExtensions<".oub">,
    .summary = "Oubliette, a password manager for Windows (.oub)",
    .made_by = "Oubliette 1.9 with Blowfish",
    .details = "The content is written as it is stored, in binary records.",
    .wrong_secret = "the key, encrypted under itself",
    .recognise = recognise_if<begins_with<kMagic>>,
    .open = open_oubliette,
    .describe = describe_as<"an Oubliette password store">,
    .holds_passwords = true,
};

}  // namespace fugu::format
