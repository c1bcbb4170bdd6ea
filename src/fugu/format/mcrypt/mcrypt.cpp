// The files of mcrypt(1), and of its --bare.
//
//   00 6d 03 | flags | algorithm, 0 | key bytes, u16 | mode, 0 | keymode, 0 | salt size and salt | digest, 0
//   | iv 8 | ciphertext of: data | digest of the data | in cbc and ecb: fill, whose last byte says how much
//   is no fill
//
// Integers are little-endian; "blowfish-compat" has little-endian words. The digest is unkeyed: it reveals
// wrong passphrases and accidents, at the end. --bare is the iv, and ciphertext without a digest.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>

#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/mcrypt/detail/header.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::array<std::string_view, 2> kOrders{"be", "le"};

// Outputs up to this size are released only after the digest has been checked.
constexpr std::size_t kDelayedBytes = std::size_t{1} << 20;

constexpr std::array kOptions{
    marked(flag_option("bare",
                       "The file has no header, as mcrypt --bare writes. ofb and nofb use only one core.",
                       OptionUse::open),
           &OptionRow::names_format),
    word_option("mode NAME", kMcryptModes,
                "With --bare: cbc (the default), ecb, cfb and ofb (8 bits), ncfb, nofb or ctr.",
                OptionUse::open),
    word_option("keymode NAME", kMcryptKeymodes,
                "With --bare: how the passphrase becomes a key, mcrypt-sha1 by default.", OptionUse::open),
    number_option("key-bytes N", {1, cipher::kMaxKeyBytes}, "With --bare: key length, 56 by default.",
                  OptionUse::open),
    word_option("words ORDER", kOrders, "With --bare: be (the default), or le for blowfish-compat.",
                OptionUse::open),
    flag_option("noiv", "With --bare: the file has no IV.", OptionUse::open),
};

[[noreturn]] void wrong_digest(bool plausible) {
  if (plausible)
    throw Error(Errc::damaged, "the digest at the end is wrong: the file is damaged or truncated");
  throw Error(Errc::wrong_key, "wrong passphrase, or a damaged file");
}

bool is_filled(const McryptHeader& header) {
  return header.mode == "cbc" || header.mode == "ecb";
}

// The number of fill bytes at the end of `tail`, from its last byte; empty if that is impossible.
std::optional<std::size_t> fill_bytes(std::span<const std::byte> tail) {
  if (tail.size() < kBlockBytes) return std::nullopt;
  const auto valid = std::to_integer<std::size_t>(tail.back());
  return valid < kBlockBytes ? std::optional(kBlockBytes - valid) : std::nullopt;
}

// In ncfb mcrypt encrypts data and digest in two calls, and the second continues a partial block in an
// irregular way: the first of every 8 bytes take the rest of one keystream block and the others the beginning
// of the next, and the shift register takes in wrong bytes at a wrong position. mcrypt cannot read these
// files itself.
std::vector<std::byte> decrypt_ncfb_digest(const Job& job, const cipher::Schedule& schedule,
                                           const McryptHeader& header, const mode::Iv& before,
                                           std::span<const std::byte> partial,
                                           std::span<const std::byte> digest) {
  mode::Settings ecb = header.settings();
  ecb.mode = Mode::ecb;
  const auto encrypted = [&](mode::Iv block) {
    transform(job.engine, schedule, ecb, Direction::encrypt, block);
    return block;
  };
  const std::size_t used = partial.size();
  const std::size_t left = kBlockBytes - used;
  auto keystream = encrypted(before);
  auto shift = before;  // the shift register
  std::ranges::copy(partial, shift.begin());
  std::vector<std::byte> plain(digest.begin(), digest.end());
  std::size_t at = 0;
  for (; at + kBlockBytes <= digest.size(); at += kBlockBytes) {
    for (std::size_t i = 0; i < left; ++i) plain[at + i] ^= keystream[used + i];
    keystream = encrypted(shift);
    for (std::size_t i = 0; i < used; ++i) plain[at + left + i] ^= keystream[i];
    std::copy_n(&digest[at], used, &shift[left]);
  }
  for (std::size_t i = 0; at + i < digest.size(); ++i) {
    if (i < left) {
      plain[at + i] ^= keystream[used + i];
      shift[used + i] = digest[at + i];
    } else {
      plain[at + i] ^= shift[i - left];
    }
  }
  return plain;
}

// If the digest follows a partial block, makes the source end before it and returns its decryption.
std::optional<std::vector<std::byte>> take_ncfb_digest(const Job& job, Lookahead& source,
                                                       const cipher::Schedule& schedule,
                                                       const McryptHeader& header, std::size_t digest_bytes) {
  static_cast<void>(source.peek(kLookaheadBytes));
  const std::optional<std::uint64_t> left = source.bytes_left();
  if (!left)
    throw Error(
        Errc::unknown_format,
        "ncfb needs the digest, which is at the end and cannot be read first from a pipe: give a file");
  if (*left < digest_bytes) throw Error(Errc::damaged, "the file ends inside its digest");
  const std::uint64_t data_bytes = *left - digest_bytes;
  const auto partial_bytes = static_cast<std::size_t>(data_bytes % kBlockBytes);
  if (partial_bytes == 0) return std::nullopt;
  const bool has_block = data_bytes >= kBlockBytes;
  std::vector<std::byte> end((has_block ? kBlockBytes : 0) + partial_bytes + digest_bytes);
  if (!source.peek_end(end)) throw Error(Errc::io, "the end of the file cannot be read");
  source.limit(data_bytes);
  const mode::Iv before = has_block ? iv_of(end) : header.iv;
  const auto partial = std::span(end).subspan(has_block ? kBlockBytes : 0, partial_bytes);
  return decrypt_ncfb_digest(job, schedule, header, before, partial, std::span(end).last(digest_bytes));
}

std::unique_ptr<Checksum> digest_of(const McryptHeader& header) {
  constexpr std::array<std::string_view, 11> kKnown{"crc32",  "crc32b", "adler32",  "md5",
                                                    "sha1",   "sha224", "sha256",   "sha384",
                                                    "sha512", "md4",    "ripemd160"};
  if (std::ranges::find(kKnown, header.digest) == kKnown.end())
    throw Error(Errc::unknown_format, "an mcrypt file with the digest '" + header.digest +
                                          "', which fugu does not open: open it with mcrypt");
  return make_checksum(header.digest);
}

void run_checked(const Job& job, Lookahead& source, const cipher::Schedule& schedule,
                 const McryptHeader& header, bool plausible) {
  const std::unique_ptr<Checksum> digest = digest_of(header);
  const std::size_t digest_bytes = digest->size();
  std::optional<std::vector<std::byte>> expected;  // ncfb only, where the data ends before it
  bool at_end = false;
  const auto delay = delayed(job.sink, kDelayedBytes);
  const auto checked = watched(
      *delay,
      [&](std::span<const std::byte> data) {
        if (!at_end) digest->update(data);
      },
      [&] {
        if (expected && digest->finish() != *expected) holds(job, [&] { wrong_digest(plausible); });
      });
  const Job from = with_source(job, source);
  if (header.mode == "ncfb") expected = take_ncfb_digest(job, source, schedule, header, digest_bytes);
  if (expected) return run_cipher(with_sink(from, *checked), schedule, header.settings(), Direction::decrypt);
  const std::size_t fill = is_filled(header) ? kBlockBytes : 0;
  const auto sink = hold_back(*checked, digest_bytes + fill, [&](std::span<const std::byte> tail) {
    at_end = true;
    const std::optional<std::size_t> filled = fill != 0 ? fill_bytes(tail) : 0;
    if (filled && tail.size() >= digest_bytes + *filled) {
      const auto data = tail.first(tail.size() - *filled - digest_bytes);
      digest->update(data);
      if (std::ranges::equal(digest->finish(), tail.subspan(data.size(), digest_bytes))) return data.size();
    }
    holds(job, [&] { wrong_digest(plausible); });
    return tail.size();  // the tail may be data
  });
  run_cipher(with_sink(from, *sink), schedule, header.settings(), Direction::decrypt);
}

void run_bare(const Job& job, const cipher::Schedule& schedule, const McryptHeader& header, bool plausible) {
  if (!is_filled(header)) return run_cipher(job, schedule, header.settings(), Direction::decrypt);
  const auto sink = hold_back(job.sink, kBlockBytes, [&](std::span<const std::byte> last_block) {
    const std::optional<std::size_t> filled = fill_bytes(last_block);
    const bool is_filled = holds(job, [&] {
      if (!filled && plausible) throw Error(Errc::damaged, "the end is damaged or missing");
      if (!filled) throw Error(Errc::wrong_key, "wrong passphrase, other parameters, or a damaged end");
    });
    return last_block.size() - (is_filled ? *filled : 0);
  });
  run_cipher(with_sink(job, *sink), schedule, header.settings(), Direction::decrypt);
}

void check_options(const OptionValues& options) {
  if (options.has("bare")) return;
  for (const OptionRow& row : kOptions) {
    if (options.has(row.name))
      throw Error(Errc::usage, "⟦" + std::string(row.name) + "⟧ needs ⟦bare⟧: otherwise the header says it");
  }
}

Opened open_mcrypt(const Job& job, const OpenRequest& request) {
  check_options(request.options);
  Lookahead source(job.source);
  const McryptHeader header = read_mcrypt_header(source, request.options);
  count_read(job, static_cast<std::size_t>(source.position()));
  const cipher::Schedule schedule =
      schedule_of(derive_mcrypt_key(header, request.secret(SecretKind::passphrase)).span());
  Opened opened = likely(header.describe(), beginning_bits(job.engine, schedule, header.settings(),
                                                           source.peek(kBeginningBytes)));
  const bool is_plausible = opened.evidence.bits >= kPlausibleBits;
  if (header.bare) {
    run_bare(with_source(job, source), schedule, header, is_plausible);
    return opened;
  }
  run_checked(job, source, schedule, header, is_plausible);
  opened.evidence.certain = true;
  opened.checked = true;
  return opened;
}

Description describe_mcrypt(stream::Source& input, const OptionValues& options) {
  check_options(options);
  Lookahead source(input);
  const McryptHeader header = read_mcrypt_header(source, options);
  Description description{.title = "mcrypt"};
  description.add_text("algorithm", "cipher",
                       header.words == core::ByteOrder::little ? "blowfish-compat" : "blowfish");
  description.add_text("mode", "mode", header.mode);
  description.add_number("key_bytes", "key", header.key_bytes, " bytes");
  description.add_text("keymode", "keymode", header.keymode);
  if (!header.bare) description.add_text("digest", "digest", header.digest);
  return description;
}

bool is_serial_mcrypt(const OptionValues& options, Direction) {
  const std::string mode = options.text("mode").value_or("cbc");
  return mode == "ofb" || mode == "nofb";
}

}  // namespace

const Codec kMcryptCodec{
    .name = "mcrypt",
    .extensions = kExtensions<".nc">,
    .summary = "mcrypt(1) with blowfish or blowfish-compat (.nc)",
    .made_by = "mcrypt 2.5 and 2.6",
    .wrong_secret = "a digest at the end; with --bare how the beginning looks",
    .passphrase_file_bytes = 512,
    .options = kOptions,
    .recognise = recognise_if<is_mcrypt_header>,
    .open = open_mcrypt,
    .describe = describe_mcrypt,
    .is_serial = is_serial_mcrypt,
};

}  // namespace fugu::format
