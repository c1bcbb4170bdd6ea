// The codec of the sealed format.
#include "fugu/format/sealed/codec.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/format/sealed/detail/parts.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::format {
namespace {

constexpr SealedBounds kBounds;

constexpr OptionRow kOptions[] = {
    kRangeRow,
    {.name = "salvage",
     .type = OptionType::flag,
     .help = "Write the authentic segments of a damaged file, with zeros in place of the others; status 4.",
     .use = OptionUse::open},
    {.name = "scrypt-cost",
     .type = OptionType::number,
     .value = "LOG2",
     .help = "Work per guess at the passphrase: scrypt with N = 2^LOG2, 10 to 20, in 2^LOG2 KiB of memory. "
             "Default: 17.",
     .use = OptionUse::seal,
     .at_least = kBounds.min_scrypt_log2_n,
     .at_most = kBounds.max_scrypt_log2_n},
};

void check(const OptionValues& options, OptionUse) {
  options.refuse_together({"range", "salvage"});
  static_cast<void>(range_of(options));
}

SealedOptions sealed_options(const OptionValues& options) {
  SealedOptions sealed;
  if (const auto cost = options.number("scrypt-cost")) sealed.cost.log2_n = static_cast<unsigned>(*cost);
  return sealed;
}

SealedOptions sealing_options(const SealRequest& request) {
  if (request.secret.kind() == SecretKind::key && request.options.has("scrypt-cost"))
    throw Error(Errc::usage, "--scrypt-cost is for passphrases: nothing is derived from a key");
  return sealed_options(request.options);
}

SealedSlot slot_of(SecretKind kind) {
  return kind == SecretKind::key ? SealedSlot::key : SealedSlot::passphrase;
}

// A secret of the wrong kind is refused before it is requested.
SealedKeys unlock(const SealedHeader& header, const AskSecret& secret) {
  require_slot(header, slot_of(secret.kind()));
  return unlock_sealed(header, {header.slot, secret(secret.kind())});
}

// Accepts the magic, or a file that ends inside it.
Recognition recognise(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  const std::size_t bytes = std::min(head.size(), kSealedMagic.size());
  const bool is_magic = std::ranges::equal(head.first(bytes), std::span(kSealedMagic).first(bytes));
  return bytes != 0 && is_magic ? Recognition::by_magic : Recognition::no;
}

Opened authentic() {
  Opened opened;
  opened.parameters = "sealed, every segment authentic";
  opened.evidence.certain = true;
  opened.authenticated = true;
  return opened;
}

Opened open(const Job& job, const OpenRequest& request) {
  const std::optional<Range> part = range_of(request.options);
  const SealedHeader header = read_sealed_header(job.source);
  const SealedKeys keys = unlock(header, request.secret);
  Opened opened = authentic();
  if (request.options.has("salvage")) {
    opened.salvage = salvage_sealed(job, header, keys);
  } else if (part) {
    decrypt_sealed_range(job, header, keys, part->first, part->count);
  } else {
    decrypt_sealed(job, header, keys);
  }
  opened.all_content = !part && opened.salvage.whole();
  return opened;
}

std::string seal(const Job& job, const SealRequest& request) {
  const SecretKind kind = request.secret.kind();
  const SealedOptions options = sealing_options(request);
  encrypt_sealed(job, {slot_of(kind), request.secret(kind)}, options);
  return "sealed";
}

PartPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  const SecretKind kind = request.secret.kind();
  const SealedOptions options = sealing_options(request);
  return plan_sealing(plain_bytes, {slot_of(kind), request.secret(kind)}, options);
}

PartPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  for (const char* option : {"range", "salvage"}) {
    if (request.options.has(option))
      throw Error(Errc::usage, "--" + std::string(option) + " is for one process: use fugu");
  }
  const SealedHeader header = read_sealed_header(job.source);
  opened = authentic();
  return plan_opening(file_bytes(job.source), header, unlock(header, request.secret));
}

// The new passphrase is never cheaper to guess than the old one was.
void rekey(const Job& job, const OpenRequest& now, const AskSecret& new_secret) {
  const SealedHeader header = read_sealed_header(job.source);
  const SealedKeys keys = unlock(header, now.secret);
  SealedOptions options = sealed_options(now.options);
  if (header.slot == SealedSlot::passphrase)
    options.cost.log2_n = std::max(options.cost.log2_n, header.cost.log2_n);
  const SecretKind kind = new_secret.kind();
  rekey_sealed(job, header, keys, {slot_of(kind), new_secret(kind)}, options);
}

std::string size_text(const SealedHeader& header, std::optional<std::uint64_t> file_bytes) {
  if (!file_bytes) return "unknown: not a file";
  const std::optional<std::uint64_t> bytes = claimed_plain_bytes(header, *file_bytes);
  if (!bytes) return "unknown: the file was truncated";
  const std::uint64_t segments = *bytes / header.segment_bytes() + 1;
  return std::to_string(*bytes) + " bytes in " + std::to_string(segments) +
         (segments == 1 ? " segment of " : " segments of ") + std::to_string(header.segment_bytes()) +
         " (not verified)";
}

std::string opens_with(const SealedHeader& header) {
  if (header.slot == SealedSlot::key) return "a key";
  return "a passphrase (scrypt, N = 2^" + std::to_string(header.cost.log2_n) +
         ", r = " + std::to_string(header.cost.r) + ", p = " + std::to_string(header.cost.p) + ")";
}

Description describe(stream::Source& source, const OptionValues&) {
  const std::optional<std::uint64_t> file_bytes = source.size_bytes();
  const SealedHeader header = read_sealed_header(source);
  const auto plain_bytes = file_bytes ? claimed_plain_bytes(header, *file_bytes) : std::nullopt;
  const bool has_key = header.slot == SealedSlot::key;
  Description description{.title = "sealed, version 1", .fields = {}};
  auto& fields = description.fields;
  fields.push_back({"version", std::uint64_t{1}, "", ""});
  fields.push_back({"slot", has_key ? "key" : "passphrase", "", ""});
  if (!has_key) fields.push_back({"scrypt_log2_n", std::uint64_t{header.cost.log2_n}, "", ""});
  fields.push_back({"segment_bytes", std::uint64_t{header.segment_bytes()}, "", ""});
  fields.push_back({"header_bytes", std::uint64_t{header.bytes.size()}, "", ""});
  fields.push_back({"claimed_plaintext_bytes",
                    plain_bytes ? DescriptionField::Value(*plain_bytes) : DescriptionField::Value(),
                    "plaintext", size_text(header, file_bytes)});
  fields.push_back({"", {}, "opens with", opens_with(header)});
  fields.push_back({"", {}, "cipher", "Blowfish-448 CTR, a key a segment"});
  fields.push_back({"authentication", "poly1305", "authentication", "Poly1305 a segment"});
  return description;
}

}  // namespace

const Codec kSealedCodec{
    .name = "sealed",
    .extension = ".fugu",
    .summary = "authenticated, parallel, seekable",
    .made_by = "fugu",
    .details =
        "The sealed format is authenticated, at most 1 TiB per file, and reveals the length. Nobody outside "
        "has reviewed it yet: for new data with no need of Blowfish, age is the better choice.",
    .wrong_secret = "a MAC of the header",
    .abilities = abilities({Ability::open, Ability::seal, Ability::range, Ability::salvage, Ability::rekey}),
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = kMaxSealedKeyBytes,
    .options = kOptions,
    .recognise = recognise,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .rekey = rekey,
};

const PartFunctions kSealedParts{plan_seal, plan_open, sealed_units, sealed_output_offset, run_sealed_units};

}  // namespace fugu::format
