// The containers of Blowfish Advanced CS and of BFA97.
//
//   24 08 19 92 | header size 35, u16 | version, u16 | plaintext bytes, u64 | iv size 8, u16 | block size 8,
//   u16 | salt 11 | key check, u32 | iv 8 | CBC ciphertext
//
// All little-endian, the cipher's words too. The plaintext is a header with the file's name, size and
// compression, then the content, then its CRC-32. The key check proves the passphrase with 32 bits; the inner
// header's magic proves that the cipher, which is not stored, is Blowfish.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/bfa/detail/content.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kMagic = "\x24\x08\x19\x92";
constexpr std::size_t kHeaderBytes = 35;
constexpr std::size_t kSaltBytes = 11;
constexpr std::size_t kKeyBytes = 56;
constexpr std::byte kMajorVersion{1};

constexpr std::array kOptions{kMaxOutputRow};

struct Header {
  std::uint64_t plaintext_bytes = 0;
  std::vector<std::byte> salt;
  std::uint64_t key_check = 0;
  mode::Iv iv;
};

Header read_header(Lookahead& source) {
  const std::vector<std::byte> bytes = source.take(kHeaderBytes, "its header");
  const std::span<const std::byte> header = bytes;
  if (!starts_with(header, kMagic)) throw Error(Errc::unknown_format, "not a Blowfish Advanced CS file");
  const bool known = load_little(header.subspan(4, 2)) == kHeaderBytes && header[7] == kMajorVersion &&
                     load_little(header.subspan(16, 2)) == kBlockBytes &&
                     load_little(header.subspan(18, 2)) == kBlockBytes;
  if (!known)
    throw Error(Errc::unknown_format,
                "a Blowfish Advanced CS file of another version, or with a cipher of another block size: "
                "open it with Blowfish Advanced CS");
  Header read;
  read.plaintext_bytes = load_little(header.subspan(8, 8));
  read.salt.assign(bytes.begin() + 20, bytes.begin() + 20 + kSaltBytes);
  read.key_check = load_little(header.subspan(31, 4));
  read.iv = iv_of(source.take(kBlockBytes, "its header"));
  return read;
}

// 60 bytes of the chain, the last four of which are added to the first.
auth::SecretBytes derive_key(const Header& header, const auth::SecretBytes& passphrase) {
  constexpr std::size_t kChainBytes = 60;
  const auth::SecretBytes chain = sha1_chain(passphrase, header.salt, kChainBytes);
  auth::SecretBytes key(chain.span().first(kKeyBytes));
  for (std::size_t i = kKeyBytes; i < kChainBytes; ++i) key.data()[i - kKeyBytes] ^= chain.span()[i];
  return key;
}

bool fits(const Header& header, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes md5 = auth::digest("md5", {header.salt, passphrase.span()});
  std::uint64_t check = 0;
  for (std::size_t at = 0; at < md5.size(); at += 4) check ^= load_little(md5.span().subspan(at, 4));
  return check == header.key_check;
}

mode::Settings settings_of(const Header& header) {
  return {.padding = mode::Padding::none, .iv = header.iv, .words = core::ByteOrder::little};
}

// The cipher is not stored: a right passphrase with a wrong beginning means another cipher.
void check_cipher(const Job& job, Lookahead& source, const Header& header, const cipher::Schedule& schedule) {
  const auto seen = source.peek(kBlockBytes);
  if (seen.size() < kBlockBytes) throw Error(Errc::damaged, "the file ends inside its first block");
  std::vector<std::byte> block(seen.begin(), seen.end());
  transform(job.engine, schedule, settings_of(header), Direction::decrypt, block);
  if (is_bfa_content(block)) return;
  throw Error(Errc::unknown_format,
              "the passphrase is right, but the cipher is not Blowfish (Blowfish Advanced CS has others, "
              "such as CAST and "
              "3DES): open it with Blowfish Advanced CS");
}

bool is_bfa(std::span<const std::byte> head) {
  return starts_with(head, kMagic) && head.size() > 7 && head[7] == kMajorVersion;
}

Opened open_bfa(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  count_read(job, static_cast<std::size_t>(source.position()));
  const auth::SecretBytes& passphrase = request.secret(SecretKind::passphrase);
  if (!fits(header, passphrase)) throw Error(Errc::wrong_key, "wrong passphrase");
  const cipher::Schedule schedule = schedule_of(derive_key(header, passphrase).span());
  check_cipher(job, source, header, schedule);

  const auto content = bfa_content(job.sink, header.plaintext_bytes, OutputLimit(request.options));
  const auto sink = up_to_damage(job, *content);
  run_cipher(with_sink(with_source(job, source), *sink), schedule, settings_of(header), Direction::decrypt);
  Opened opened = proved("Blowfish Advanced CS");
  opened.checked = true;  // a CRC-32
  return opened;
}

Description describe_bfa(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  Description description{.title = "Blowfish Advanced CS"};
  description.add_number("plaintext_bytes", "plaintext", read_header(source).plaintext_bytes,
                         " bytes with its header");
  return description;
}

}  // namespace

const Codec kBfaCodec{
    .name = "bfa",
    .extensions = kExtensions<".bfa">,
    .summary = "Blowfish Advanced CS and BFA97 (.bfa)",
    .made_by = "Blowfish Advanced CS 2.x, Blowfish Advanced 97",
    .wrong_secret = "a check of 32 bits in the header",
    .options = kOptions,
    .recognise = recognise_if<is_bfa>,
    .open = open_bfa,
    .describe = describe_bfa,
};

}  // namespace fugu::format
