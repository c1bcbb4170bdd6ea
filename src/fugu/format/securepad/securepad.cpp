// Texts that SecurePad, a Notepad++ plug-in, encrypted.
//
//   capital hexadecimal digits of the ECB ciphertext of: text | 1 to 8 zeros to whole blocks
//
// The passphrase is the key. A text has no zeros, so zeros anywhere but at the end reveal a wrong passphrase.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kDigitsPerBlock = 2 * kBlockBytes;

// Below this the beginning is noise and not a text; noise gets here once in 256.
constexpr double kMinBits = 8;

const mode::Settings kEcb{.mode = Mode::ecb, .padding = mode::Padding::none};

// The bytes of text in the whole plaintext; empty if there are other zeros than those at its end.
std::optional<std::size_t> text_bytes(std::span<const std::byte> plaintext) {
  const auto first_zero =
      static_cast<std::size_t>(std::ranges::find(plaintext, std::byte{0}) - plaintext.begin());
  const bool at_end = is_zero(plaintext.subspan(first_zero));
  const std::size_t zeros = plaintext.size() - first_zero;
  return at_end && zeros >= 1 && zeros <= kBlockBytes ? std::optional(first_zero) : std::nullopt;
}

// The evidence that `key` is right, from what the source shows; negative if it is impossible.
double judge(engine::Engine& engine, std::span<const std::byte> key, Lookahead& source) {
  auto seen = source.peek(kLookaheadBytes);
  const bool whole = source.bytes_left() == seen.size();
  seen = seen.first(seen.size() - seen.size() % kBlockBytes);
  core::WipedBytes plaintext(seen.begin(), seen.end());
  transform(engine, key, kEcb, Direction::decrypt, plaintext);
  const std::optional<std::size_t> bytes = whole ? text_bytes(plaintext) : plaintext.size();
  if (!bytes) {  // the file is damaged
    const double left = evidence_bits(new_blocks(seen, plaintext));
    return left >= kPlausibleBits ? left : -1;
  }
  const double of_zeros = whole ? 8.0 * static_cast<double>(plaintext.size() - *bytes) - 3 : 0;
  return of_zeros + evidence_bits(new_blocks(seen, std::span(plaintext).first(*bytes)));
}

struct Key {
  auth::SecretBytes bytes;
  const char* how;
};

// The plug-in narrows characters to Latin-1. Version 2.0 used only the first one.
std::vector<Key> possible_keys(const auth::SecretBytes& passphrase) {
  const auto key = first_of(passphrase.span(), cipher::kMaxKeyBytes);
  const Latin1 narrow = to_latin1(passphrase.span());
  std::vector<Key> keys;
  if (!key.empty()) keys.push_back({auth::SecretBytes(key), "SecurePad"});
  if (narrow.bytes.size() != 0 && narrow.bytes.size() != passphrase.size())
    keys.push_back({auth::SecretBytes(first_of(narrow.bytes.span(), cipher::kMaxKeyBytes)),
                    "SecurePad, passphrase in Latin-1"});
  if (key.size() > 1)
    keys.push_back({auth::SecretBytes(key.first(1)), "SecurePad 2.0, first character of the passphrase"});
  return keys;
}

// Whether the decoded digits are a format of another codec.
bool is_another_format(std::string_view digits) {
  constexpr std::string_view kSalted = "53616C7465645F5F";
  constexpr std::string_view kRandomIv = "52616E646F6D4956";
  constexpr std::string_view kSealed = "8946554755";
  return digits.starts_with(kSalted) || digits.starts_with(kRandomIv) || digits.starts_with(kSealed);
}

Recognition recognise_securepad(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes) {
  const std::string_view text = text_of(head);
  const bool digits =
      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); });
  const std::uint64_t size = size_bytes.value_or(text.size());
  if (!digits || text.size() < kDigitsPerBlock || size % kDigitsPerBlock != 0 || is_another_format(text))
    return Recognition::no;
  return Recognition::perhaps;
}

Opened open_securepad(const Job& job, const OpenRequest& request) {
  const auto digits = job.salvage == nullptr
                          ? stream::hex_decoder(stream::borrow(job.source))
                          : damaged_text(*job.salvage, stream::borrow(job.source), TextEncoding::hex);
  Lookahead source(*digits);
  if (source.peek(kBlockBytes).size() < kBlockBytes)
    throw Error(Errc::damaged, "the file ends inside its first block");
  const Key* best = nullptr;
  double bits = kMinBits;
  const std::vector<Key> keys = possible_keys(request.secret(SecretKind::passphrase));
  for (const Key& key : keys) {
    const double reached = judge(job.engine, key.bytes.span(), source);
    if (reached >= bits) best = &key;
    bits = std::max(bits, reached);
  }
  if (best == nullptr)
    throw Error(Errc::wrong_key, "wrong passphrase, or not a SecurePad file, or a damaged one");

  Watched text(job.sink, [&](std::span<const std::byte> bytes) {
    const bool is_text = std::ranges::find(bytes, std::byte{0}) == bytes.end();
    holds(job, is_text, "there are zeros inside the text: the file is damaged");
  });
  HoldBack sink(text, kBlockBytes, [&](std::span<const std::byte> last_block) {
    const std::optional<std::size_t> bytes = text_bytes(last_block);
    holds(job, bytes.has_value(), "the text does not end in zeros: the file is truncated or damaged");
    return bytes.value_or(last_block.size());
  });
  run_cipher(with_sink(with_source(job, source), sink), best->bytes.span(), kEcb, Direction::decrypt);
  return likely(best->how, bits);
}

Description describe_securepad(stream::Source& source, const OptionValues&) {
  Description description{.title = "SecurePad"};
  if (const auto size = source.size_bytes())
    description.add_number("ciphertext_bytes", "ciphertext", *size / 2, " bytes");
  return description;
}

}  // namespace

const Codec kSecurePadCodec{
    .name = "securepad",
    .summary = "SecurePad, a Notepad++ plug-in",
    .made_by = "SecurePad 2.0 to 2.4",
    .wrong_secret = "the zeros after the text, and how it looks",
    .recognise = recognise_securepad,
    .open = open_securepad,
    .describe = describe_securepad,
};

}  // namespace fugu::format
