// The files of bcrypt(1), Johnny Shelley's file encryptor, which is not the password hash.
//
//   'T' or 'E' | 0 or 1 | ECB ciphertext | size of the plaintext, u32, only where compressed
//
// The first byte is the byte order of the words and the size, that of the machine that wrote the file
// (little, big); the second says whether the data is a zlib stream. The ciphertext holds the data, a copy of
// the 56-byte key, and zeros to whole blocks. The key copy proves the passphrase before anything is written;
// the data is checked only by zlib's Adler-32, where it is compressed.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/inflate.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kHeaderBytes = 2;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kKeyBytes = 56;
constexpr std::size_t kTailBytes = kKeyBytes + kBlockBytes;  // the key copy and the zeros after it
constexpr std::size_t kMinPassphraseBytes = 8;

constexpr std::array kOptions{kMaxOutputRow};

struct Header {
  core::ByteOrder words = core::ByteOrder::little;
  bool compressed = false;

  std::string describe() const {
    return std::string("bcrypt(1), ") + (words == core::ByteOrder::little ? "little" : "big") +
           "-endian words, " + (compressed ? "compressed" : "not compressed");
  }
};

std::optional<Header> parse_header(std::span<const std::byte> head) {
  if (head.size() < kHeaderBytes) return std::nullopt;
  const auto order = std::to_integer<char>(head[0]);
  const auto compressed = std::to_integer<unsigned>(head[1]);
  if ((order != 'T' && order != 'E') || compressed > 1) return std::nullopt;
  return Header{order == 'T' ? core::ByteOrder::little : core::ByteOrder::big, compressed == 1};
}

// The bytes of ciphertext in a file of `size_bytes`; empty if no file has that size.
std::optional<std::uint64_t> ciphertext_bytes(const Header& header, std::uint64_t size_bytes) {
  const std::uint64_t around = kHeaderBytes + (header.compressed ? kSizeBytes : 0);
  if (size_bytes < around + kKeyBytes || (size_bytes - around) % kBlockBytes != 0) return std::nullopt;
  return size_bytes - around;
}

Header read_header(Lookahead& source) {
  const std::optional<Header> header = parse_header(source.peek(kHeaderBytes));
  if (!header)
    throw Error(Errc::unknown_format, "not a bcrypt(1) file: such files begin with 'T' or 'E', then 0 or 1");
  source.skip(kHeaderBytes);
  return *header;
}

mode::Settings ecb(const Header& header) {
  return {.mode = Mode::ecb, .padding = mode::Padding::none, .words = header.words};
}

// The key: the first line of the passphrase, at most 56 bytes, encrypts its own first block seven times.
auth::SecretBytes derive_key(engine::Engine& engine, const auth::SecretBytes& passphrase,
                             const Header& header) {
  const auto given = first_of(passphrase.span(), kKeyBytes);
  const auto line =
      given.first(static_cast<std::size_t>(std::ranges::find(given, std::byte{'\n'}) - given.begin()));
  if (line.size() < kMinPassphraseBytes)
    throw Error(Errc::wrong_key, "wrong passphrase: bcrypt(1) needs 8 bytes or more");
  const cipher::Schedule schedule = schedule_of(line);
  auth::SecretBytes key(kKeyBytes);
  std::span<const std::byte> block = line.first(kBlockBytes);
  for (std::size_t at = 0; at < kKeyBytes; at += kBlockBytes) {
    const auto next = key.span().subspan(at, kBlockBytes);
    std::ranges::copy(block, next.begin());
    transform(engine, schedule, ecb(header), Direction::encrypt, next);
    block = next;
  }
  return key;
}

// The bytes before the copy of `key` at the end of `tail`; empty if there is none.
std::optional<std::size_t> find_key_copy(std::span<const std::byte> tail, const auth::SecretBytes& key) {
  for (std::size_t zeros = 0; zeros < kBlockBytes && kKeyBytes + zeros <= tail.size(); ++zeros) {
    if (zeros != 0 && tail[tail.size() - zeros] != std::byte{0}) break;
    const std::size_t at = tail.size() - zeros - kKeyBytes;
    if (auth::equal_constant_time(tail.subspan(at, kKeyBytes), key.span())) return at;
  }
  return std::nullopt;
}

// The bytes before what is left of a damaged copy of `key`.
std::size_t before_key(std::span<const std::byte> tail, const auth::SecretBytes& key) {
  for (std::size_t at = 0; at + kBlockBytes <= tail.size(); ++at) {
    const auto rest = tail.subspan(at, std::min(kKeyBytes, tail.size() - at));
    std::size_t equal = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) equal += rest[i] == key.span()[i] ? 1U : 0U;
    if (2 * equal >= rest.size() && equal >= kBlockBytes) return at;
  }
  return tail.size();
}

// Whether a file or text comes out of the beginning: the passphrase is right, whatever the end is.
bool fits_beginning(engine::Engine& engine, Lookahead& source, const Header& header,
                    const auth::SecretBytes& key) {
  const auto peeked = source.peek(kLookaheadBytes);
  const std::size_t bytes = header.compressed ? peeked.size() : peeked.size() / 2;
  const auto seen = peeked.first(bytes / kBlockBytes * kBlockBytes);
  if (!header.compressed)
    return beginning_bits(engine, schedule_of(key.span()), ecb(header), seen) >= kPlausibleBits;
  constexpr double kZlibHeaderBits = 12;  // the byte 78, then one of eight in 256 that pass its check
  core::WipedBytes beginning(seen.begin(), seen.end());
  transform(engine, key.span(), ecb(header), Direction::decrypt, beginning);
  stream::MemorySink plain;
  try {
    inflater(Compression::zlib, plain, {})->write(beginning);
  } catch (const Error&) {  // the bytes before the damage count
    if (plain.bytes().empty()) return false;
  }
  return kZlibHeaderBits + evidence_bits(plain.bytes()) >= kPlausibleBits;
}

// The bytes of data before the key copy. The proof is at the end, so the search begins there.
std::uint64_t find_data_end(const Job& job, Lookahead& source, const Header& header,
                            const auth::SecretBytes& key) {
  static_cast<void>(source.peek(kLookaheadBytes));
  const std::optional<std::uint64_t> left = source.bytes_left();
  if (!left) {
    throw Error(Errc::unknown_format,
                "this format shows only at its end whether the passphrase is right, and a pipe's end cannot "
                "be read first: give a file");
  }
  const std::optional<std::uint64_t> whole = ciphertext_bytes(header, *left + kHeaderBytes);
  holds(job, whole.has_value(), "the length is not one that bcrypt(1) writes: truncated");
  const std::uint64_t bytes = whole.value_or(*left / kBlockBytes * kBlockBytes);
  const bool begins_right = fits_beginning(job.engine, source, header, key);
  source.limit(bytes);
  auth::SecretBytes tail(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kTailBytes)));
  if (!source.peek_end(tail.span())) throw Error(Errc::io, "the end of the file cannot be read");
  transform(job.engine, key.span(), ecb(header), Direction::decrypt, tail.span());
  const std::optional<std::size_t> at = find_key_copy(tail.span(), key);
  if (at) return bytes - tail.size() + *at;
  const std::size_t before = before_key(tail.span(), key);
  holds(job, [&] {
    if (!begins_right && before == tail.size())
      throw Error(Errc::wrong_key, "wrong passphrase, or a damaged end");
    throw Error(Errc::damaged, "the passphrase fits, but the end is damaged or missing");
  });
  return bytes - tail.size() + before;
}

Recognition recognise_bfe(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes) {
  const std::optional<Header> header = parse_header(head);
  if (!header || (size_bytes && !ciphertext_bytes(*header, *size_bytes))) return Recognition::no;
  return Recognition::perhaps;
}

Opened open_bfe(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  count_read(job, kHeaderBytes);
  const auth::SecretBytes key = derive_key(job.engine, request.secret(SecretKind::passphrase), header);
  const std::uint64_t data_bytes = find_data_end(job, source, header, key);

  const auto plain =
      header.compressed ? inflater(Compression::zlib, job.sink, OutputLimit(request.options)) : nullptr;
  const auto parsed = up_to_damage(job, plain ? *plain : job.sink);
  Excerpt sink(*parsed, 0, data_bytes);
  run_cipher(with_sink(with_source(job, source), sink), key.span(), ecb(header), Direction::decrypt);
  Opened opened = proved(header.describe());
  opened.checked = header.compressed;  // zlib's Adler-32
  return opened;
}

Description describe_bfe(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  const Header header = read_header(source);
  const bool little = header.words == core::ByteOrder::little;
  Description description{.title = "bcrypt(1)"};
  description.fields.push_back(
      {"words", std::string(little ? "little" : "big"), "words", little ? "little-endian" : "big-endian"});
  description.fields.push_back(
      {"compressed", header.compressed, "content", header.compressed ? "zlib" : "not compressed"});
  if (const auto size = input.size_bytes()) {
    if (const auto bytes = ciphertext_bytes(header, *size))
      description.add_number("ciphertext_bytes", "ciphertext", *bytes, " bytes");
  }
  return description;
}

}  // namespace

const Codec kBfeCodec{
    .name = "bfe",
    .extensions = kExtensions<".bfe">,
    .summary = "bcrypt(1), the file encryptor of BSD and older Linux systems (.bfe)",
    .made_by = "bcrypt 1.1 by Johnny Shelley",
    .wrong_secret = "a copy of the key",
    .options = kOptions,
    .recognise = recognise_bfe,
    .open = open_bfe,
    .describe = describe_bfe,
};

}  // namespace fugu::format
