// The codec of the sealed format.
#include "fugu/format/detail/codecs.hpp"

#include <bit>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/format/sealed/detail/segments.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr SealedBounds kBounds;

constexpr OptionRow kOptions[] = {
    kRangeRow,
    marked(number_option(
               "scrypt-cost LOG2", {kBounds.min_scrypt_log2_n, kBounds.max_scrypt_log2_n},
               "Work per guess at the passphrase: scrypt with N = 2^LOG2, 10 to 20, in 2^LOG2 KiB of memory. "
               "Default: 17.",
               OptionUse::seal),
           &OptionRow::rekeys),
    text_option("segment-size SIZE",
                "Authenticate SIZE at a time under a key of its own: 64K to 16M, a power of two. Default: "
                "1M. With 64K, 16 times as much can be sealed at the same risk from Blowfish's short blocks.",
                OptionUse::seal),
    marked(flag_option(
               "anew",
               "Encrypt the content again under a new file key, in one pass and without plaintext on the "
               "disk: the old passphrase or key, and copies of the old file, give no access to the new file.",
               OptionUse::rekey),
           &OptionRow::rekeys),
};

unsigned segment_log2_of(std::string_view size) {
  const std::uint64_t bytes = parse_size(size).value_or(0);
  const auto log2 = static_cast<unsigned>(std::bit_width(bytes) - 1);
  if (std::has_single_bit(bytes) && log2 >= kBounds.min_segment_log2 && log2 <= kBounds.max_segment_log2)
    return log2;
  throw Error(Errc::usage, "⟦segment-size⟧ takes 64K, 128K, 256K, 512K, 1M, 2M, 4M, 8M or 16M");
}

SealedOptions sealed_options(const OptionValues& options) {
  SealedOptions sealed;
  if (const auto cost = options.number("scrypt-cost")) sealed.cost.log2_n = static_cast<unsigned>(*cost);
  if (const auto size = options.text("segment-size")) sealed.segment_log2 = segment_log2_of(*size);
  return sealed;
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
  static_cast<void>(sealed_options(options));
}

void refuse_cost_for_key(const OptionValues& options, const AskSecret& secret) {
  if (secret.kind() == SecretKind::key && options.has("scrypt-cost"))
    throw Error(Errc::usage, "⟦scrypt-cost⟧ is for passphrases: nothing is derived from a key");
}

SealedSlot slot_of(SecretKind kind) {
  return kind == SecretKind::key ? SealedSlot::key : SealedSlot::passphrase;
}

SealedSecret secret_of(const AskSecret& secret) {
  return {slot_of(secret.kind()), secret(secret.kind()), secret.derived()};
}

SealedOptions sealing_options(const SealRequest& request) {
  refuse_cost_for_key(request.options, request.secret);
  return sealed_options(request.options);
}

// A secret of the wrong kind is refused before it is requested.
SealedKeys unlock(const Job& job, const SealedHeader& header, const AskSecret& secret) {
  require_slot(header, slot_of(secret.kind()));
  return unlock_sealed(header, secret_of(secret), [&](const SealedKeys& keys) {
    if (!opens_a_segment(job, header, keys)) return false;
    holds(job, false, "the secret fits, but the header is damaged (tag)");
    return true;
  });
}

bool is_whole_but_for_the_magic(std::span<const std::byte> head) {
  bool is_header = false;
  try {
    stream::MemorySource source(head);
    static_cast<void>(read_sealed_header(source, kBounds, [&] { is_header = true; }));
  } catch (const Error&) {
  }
  return is_header;
}

// Accepts the magic, a file that ends inside it, and a header whose checksum fits without it.
Recognition recognise(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return begins_with_sealed_magic(head) || is_whole_but_for_the_magic(head) ? Recognition::by_magic
                                                                            : Recognition::no;
}

constexpr const char* kMagicIsDamaged =
    "the first 8 bytes of the sealed file are damaged; the rest of its header is whole";

SealedHeader read_header(const Job& job) {
  return read_sealed_header(job.source, kBounds, [&] { holds(job, false, kMagicIsDamaged); });
}

Opened authentic() {
  Opened opened = proved("sealed, every segment authentic");
  opened.authenticated = true;
  return opened;
}

Opened open(const Job& job, const OpenRequest& request) {
  const std::optional<Range> part = range_of(request.options);
  Job for_header = job;
  SalvageReport of_header;  // the segments have MACs of their own
  if (job.salvage != nullptr) for_header.salvage = &of_header;
  const SealedHeader header = read_header(for_header);
  const SealedKeys keys = unlock(for_header, header, request.secret);
  Opened opened = authentic();
  if (job.salvage != nullptr) {
    opened.salvage = salvage_sealed(job, header, keys);
    opened.salvage.damage = of_header.damage;
  } else if (part) {
    decrypt_sealed_range(job, header, keys, part->first, part->count);
  } else {
    decrypt_sealed(job, header, keys);
  }
  opened.all_content = !part && opened.salvage.whole();
  return opened;
}

std::string seal(const Job& job, const SealRequest& request) {
  const SealedOptions options = sealing_options(request);
  encrypt_sealed(job, secret_of(request.secret), options);
  return "sealed";
}

UnitPlan plan_of(core::Direction direction, std::uint64_t input_bytes, const SealedHeader& header,
                 const SealedKeys& keys) {
  return {.direction = direction,
          .input_bytes = input_bytes,
          .header = header.bytes,
          .key = auth::SecretBytes(keys.prk.span())};
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  const SealedOptions options = sealing_options(request);
  const SealedSecret secret = secret_of(request.secret);
  require_room(plain_bytes, kMaxSealedBytes);
  SealedKeys keys;
  const SealedHeader header = make_sealed_header(options.segment_log2, secret, options.cost, keys);
  return plan_of(core::Direction::encrypt, plain_bytes, header, keys);
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  if (request.options.has("range")) throw Error(Errc::usage, "⟦range⟧ works in one process only: use fugu");
  const SealedHeader header = read_header(job);
  opened = authentic();
  return plan_of(core::Direction::decrypt, file_bytes(job.source), header,
                 unlock(job, header, request.secret));
}

UnitWork work_of(const UnitPlan& plan) {
  const auto header = std::make_shared<const SealedHeader>(parse_sealed_header(plan.header));
  const auto keys = std::make_shared<const SealedKeys>(SealedKeys{{}, auth::SecretBytes(plan.key.span())});
  UnitWork work = sealed_work(plan.direction, *header, *keys);
  work.run = [header, keys, run = std::move(work.run)](const Job& job, const Stretch& stretch) {
    run(job, stretch);
  };
  return work;
}

constexpr Units kUnits{plan_seal, plan_open, work_of};

// The new passphrase is never cheaper to guess than the old one was.
auth::ScryptCost new_cost(const SealedHeader& old, const OptionValues& options) {
  auth::ScryptCost cost = sealed_options(options).cost;
  if (old.has_key() || cost.log2_n >= old.cost.log2_n) return cost;
  if (options.has("scrypt-cost"))
    throw Error(Errc::usage, "is sealed with ⟦scrypt-cost " + std::to_string(old.cost.log2_n) +
                                 "⟧; a lower cost is refused, since it would make the passphrase cheaper to "
                                 "guess");
  return old.cost;
}

std::optional<Error> rekey(const Job& job, const OpenRequest& now, const AskSecret& new_secret) {
  refuse_cost_for_key(now.options, new_secret);
  const SealedHeader header = read_header(job);
  const SealedOptions options{.cost = new_cost(header, now.options)};
  const SealedKeys keys = unlock(job, header, now.secret);
  const SealedSecret secret = secret_of(new_secret);
  if (!now.options.has("anew")) return rekey_sealed(job, header, keys, secret, options);
  seal_anew(job, header, keys, secret, options);
  return std::nullopt;
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
  if (header.has_key()) return "a key";
  return "a passphrase (scrypt, N = 2^" + std::to_string(header.cost.log2_n) +
         ", r = " + std::to_string(header.cost.r) + ", p = " + std::to_string(header.cost.p) +
         (header.slot == SealedSlot::shared ? ", derived once for several files)" : ")");
}

Description describe(stream::Source& source, const OptionValues&) {
  const std::optional<std::uint64_t> file_bytes = source.size_bytes();
  const SealedHeader header =
      read_sealed_header(source, kBounds, [] { throw Error(Errc::damaged, kMagicIsDamaged); });
  const auto plain_bytes = file_bytes ? claimed_plain_bytes(header, *file_bytes) : std::nullopt;
  Description description{.title = "sealed, version " + std::to_string(header.version)};
  auto& fields = description.fields;
  description.add_number("version", "", header.version);
  description.add_text("slot", "", header.has_key() ? "key" : "passphrase");
  if (!header.has_key()) description.add_number("scrypt_log2_n", "", header.cost.log2_n);
  description.add_number("segment_bytes", "", header.segment_bytes());
  description.add_number("header_bytes", "", header.bytes.size());
  fields.push_back({"claimed_plaintext_bytes",
                    plain_bytes ? DescriptionField::Value(*plain_bytes) : DescriptionField::Value(),
                    "plaintext", size_text(header, file_bytes)});
  fields.push_back({"", {}, "opens with", opens_with(header)});
  fields.push_back({"", {}, "cipher", "Blowfish-448 CTR, a key per segment"});
  fields.push_back({"authentication", "poly1305", "authentication", "Poly1305 a segment"});
  return description;
}

}  // namespace

const Codec kSealedCodec{
    .name = "sealed",
    .extensions = kExtensions<".fugu">,
    .summary = "authenticated, parallel, seekable",
    .made_by = "fugu",
    .details =
        "The sealed format is authenticated, at most 1 TiB per file, and reveals the length. Nothing shows "
        "that a file was replaced by another, or older, file sealed under the same secret. A cryptographer "
        "outside the project has read version 1, without a formal audit: for new data without a need for "
        "Blowfish, age is the better choice.",
    .wrong_secret = "a MAC of the header",
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = kMaxSealedKeyBytes,
    .options = kOptions,
    .recognise = recognise,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .rekey = rekey,
    .units = &kUnits,
};

}  // namespace fugu::format
