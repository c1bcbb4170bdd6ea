// Images of OpenBSD's vnd (vnconfig and mount_vnd, -k and -K).
//
// No header. A sector of 512 bytes is CBC; its IV is its number, little-endian, encrypted under the same key.
// -k takes the typed key, -K a passphrase filled with zeros to 128 bytes through PBKDF2. Only what a disk may
// hold reveals a wrong secret.

#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kKeyBytes = cipher::kMaxClassicKeyBytes;
constexpr std::size_t kFilledBytes = 128;  // to which passphrases and salts are filled
constexpr std::uint64_t kMinRounds = 1000;
constexpr std::uint64_t kMaxRounds = 0x7fffffff;

constexpr std::array kOptions{
    number_option("rounds N", {kMinRounds, kMaxRounds},
                  "The rounds of vnconfig -K; without them the secret is the key of -k.", OptionUse::open),
    marked(bytes_option("salt-file F", {kFilledBytes, kFilledBytes},
                        "The salt file of vnconfig -S, for --rounds; without it the salt is zero.",
                        OptionUse::open),
           &OptionRow::from_file),
    kRangeRow,
};

auth::SecretBytes key_of(const OpenRequest& request) {
  const auto rounds = request.options.number("rounds");
  const auth::SecretBytes& secret = request.secret(rounds ? SecretKind::passphrase : request.secret.kind());
  if (secret.empty()) throw Error(Errc::wrong_key, "wrong key: it is empty");
  if (!rounds) return auth::SecretBytes(first_of(secret.span(), kKeyBytes));
  auth::SecretBytes filled(kFilledBytes);
  std::ranges::copy(first_of(secret.span(), kFilledBytes), filled.span().begin());
  const std::vector<std::byte> salt =
      request.options.bytes("salt-file").value_or(std::vector<std::byte>(kFilledBytes));
  return auth::pbkdf2("sha1", filled, salt, static_cast<std::uint32_t>(*rounds), kKeyBytes);
}

DecryptSectors sectors_of(const UnitPlan& plan) {
  return [schedule = std::make_shared<const cipher::Schedule>(schedule_of(plan.key.span()))](
             engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    decrypt_cbc_sectors(engine, *schedule, core::ByteOrder::big, sectors,
                        encrypted_numbers(engine, *schedule, first, sectors.size() / kSectorBytes));
  };
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  require_image(job);
  UnitPlan plan{.direction = Direction::decrypt, .key = key_of(request)};
  opened.parameters = request.options.has("rounds") ? "vnd, PBKDF2-HMAC-SHA1" : "vnd, the secret is the key";
  opened.evidence = disk_evidence(job, sectors_of(plan));
  const bool is_pipe = !job.source.size_bytes();  // a pipe cannot be read in advance
  const bool all_given = is_pipe || request.options.has("rounds") || request.secret.kind() == SecretKind::key;
  require_disk(opened, request, all_given,
               "⟦rounds⟧, and ⟦salt-file⟧ if there is one, as given to vnconfig -K");
  return plan;
}

void check_vnd(const OptionValues& options, OptionUse) {
  check_range(options, OptionUse::open);
  if (options.has("salt-file") && !options.has("rounds"))
    throw Error(Errc::usage, "⟦salt-file⟧ needs ⟦rounds⟧: a key has no salt");
}

using Row = ImageRow<plan_open, sectors_of, "an OpenBSD vnd image, if ⟦format⟧ is right">;

}  // namespace

const Codec kVndCodec{
    .name = "vnd",
    .summary = "encrypted disk images of OpenBSD (vnconfig -k and -K)",
    .made_by = "OpenBSD's vnconfig and mount_vnd",
    .wrong_secret = "nothing but magic numbers and zeros that the disk may hold",
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = kFilledBytes,
    .options = kOptions,
    .check = check_vnd,
    .open = Row::open,
    .describe = Row::describe,
    .units = &Row::kUnits,
};

}  // namespace fugu::format
