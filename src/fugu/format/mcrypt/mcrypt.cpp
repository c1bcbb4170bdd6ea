// The files of mcrypt(1), and of its --bare.
//
//   00 6d 03 | flags | algorithm, 0 | key bytes, u16 | mode, 0 | keymode, 0 | salt size and salt | digest, 0
//   | iv 8 | ciphertext of: data | digest of the data | in cbc and ecb: fill, whose last byte says how much
//   is no fill
//
// Integers are little-endian; "blowfish-compat" has little-endian words. The digest is unkeyed: it reveals
// wrong passphrases and accidents, at the end. --bare is the iv, and ciphertext without a digest.
#include "fugu/format/detail/codecs.hpp"

#include <bit>

#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::array<std::string_view, 7> kMcryptModes{"cbc", "ecb", "cfb", "ofb", "ncfb", "nofb", "ctr"};
constexpr std::array kModeValues{Mode::cbc,   Mode::ecb, Mode::cfb8, Mode::ofb8,
                                 Mode::cfb64, Mode::ofb, Mode::ctr};
constexpr std::array<std::string_view, 14> kMcryptKeymodes{"mcrypt-sha1",
                                                           "mcrypt-md5",
                                                           "asis",
                                                           "hex",
                                                           "pkdes",
                                                           "s2k-simple-md5",
                                                           "s2k-simple-sha1",
                                                           "s2k-simple-ripemd",
                                                           "s2k-salted-md5",
                                                           "s2k-salted-sha1",
                                                           "s2k-salted-ripemd",
                                                           "s2k-isalted-md5",
                                                           "s2k-isalted-sha1",
                                                           "s2k-isalted-ripemd"};

struct McryptHeader {
  bool bare = false;
  core::ByteOrder words = core::ByteOrder::big;
  std::size_t key_bytes = 56;
  std::string mode = "cbc";
  std::string keymode = "mcrypt-sha1";
  std::vector<std::byte> salt;
  std::string digest;  // empty if bare
  mode::Iv iv;

  mode::Settings settings() const {
    return {.mode = kModeValues[place_of(kMcryptModes, mode)],
            .padding = mode::Padding::none,
            .iv = iv,
            .words = words};
  }

  // "mcrypt, blowfish, cbc, key of 56 bytes by mcrypt-sha1, digest sha1"
  std::string describe() const {
    return std::string("mcrypt, ") + (words == core::ByteOrder::little ? "blowfish-compat, " : "blowfish, ") +
           mode + ", key of " + std::to_string(key_bytes) + " bytes by " + keymode +
           (bare ? ", without a header" : ", digest " + digest);
  }
};

constexpr unsigned kHasSalt = 0x40;
constexpr unsigned kHasNoIv = 0x80;
constexpr std::size_t kMagicBytes = 3;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kS2kSaltBytes = 8;
constexpr std::uint64_t kIteratedBytes = 1024;

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
  std::ranges::copy(first_of(passphrase.span(), bytes), key.data());
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
  const auto salt = first_of(std::span(header.salt), kS2kSaltBytes);
  if (keymode.starts_with("s2k-simple")) return s2k(digest, passphrase, {}, 0, header.key_bytes);
  const bool iterated = keymode.starts_with("s2k-isalted");
  return s2k(digest, passphrase, salt, iterated ? kIteratedBytes : 0, header.key_bytes);
}

bool is_mcrypt_header(std::span<const std::byte> head) {
  if (head.size() <= kMagicBytes || head[0] != std::byte{0} || head[1] != std::byte{0x6d}) return false;
  return head[2] == std::byte{3} && (std::to_integer<unsigned>(head[3]) & ~(kHasSalt | kHasNoIv)) == 0;
}

// Takes the header, or with --bare builds it from the options. Throws Error{unknown_format} naming
// unsupported ciphers, modes and keymodes, Error{damaged} when the file ends inside it.
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
  Delayed delay(job.sink, kDelayedBytes);
  Watched checked(
      delay,
      [&](std::span<const std::byte> data) {
        if (!at_end) digest->update(data);
      },
      [&] {
        if (expected && digest->finish() != *expected) holds(job, [&] { wrong_digest(plausible); });
      });
  const Job from = with_source(job, source);
  if (header.mode == "ncfb") expected = take_ncfb_digest(job, source, schedule, header, digest_bytes);
  if (expected) return run_cipher(with_sink(from, checked), schedule, header.settings(), Direction::decrypt);
  const std::size_t fill = is_filled(header) ? kBlockBytes : 0;
  HoldBack sink(checked, digest_bytes + fill, [&](std::span<const std::byte> tail) {
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
  run_cipher(with_sink(from, sink), schedule, header.settings(), Direction::decrypt);
}

void run_bare(const Job& job, const cipher::Schedule& schedule, const McryptHeader& header, bool plausible) {
  if (!is_filled(header)) return run_cipher(job, schedule, header.settings(), Direction::decrypt);
  HoldBack sink(job.sink, kBlockBytes, [&](std::span<const std::byte> last_block) {
    const std::optional<std::size_t> filled = fill_bytes(last_block);
    const bool is_filled = holds(job, [&] {
      if (!filled && plausible) throw Error(Errc::damaged, "the end is damaged or missing");
      if (!filled) throw Error(Errc::wrong_key, "wrong passphrase, other parameters, or a damaged end");
    });
    return last_block.size() - (is_filled ? *filled : 0);
  });
  run_cipher(with_sink(job, sink), schedule, header.settings(), Direction::decrypt);
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
