// Images of OpenBSD's vnd (vnconfig and mount_vnd, -k and -K).
//
// No header. A sector of 512 bytes is CBC; its IV is its number, little-endian, encrypted under the same key.
// -k takes the typed key, -K a passphrase filled with zeros to 128 bytes through PBKDF2. Nothing tells a
// wrong secret but what a disk may hold.
#include <algorithm>
#include <array>
#include <string>

#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

using mode::Direction;

constexpr std::size_t kKeyBytes = cipher::kMaxClassicKeyBytes;
constexpr std::size_t kFilledBytes = 128;  // of passphrases and salts
constexpr std::uint64_t kLeastRounds = 1000;
constexpr std::uint64_t kMostRounds = 0x7fffffff;

constexpr std::array kOptions{
    OptionRow{.name = "rounds",
              .type = OptionType::number,
              .value = "N",
              .help = "The rounds of vnconfig -K; without them the secret is the key of -k.",
              .use = OptionUse::open,
              .at_least = kLeastRounds,
              .at_most = kMostRounds},
    OptionRow{.name = "salt-file",
              .type = OptionType::bytes,
              .value = "F",
              .help = "The salt file of vnconfig -S, for --rounds; without it the salt is zero.",
              .use = OptionUse::open,
              .at_least = kFilledBytes,
              .at_most = kFilledBytes,
              .from_file = true},
    kRangeRow,
};

auth::SecretBytes key_of(const OpenRequest& request) {
  const auto rounds = request.options.number("rounds");
  const auth::SecretBytes& secret = request.secret(rounds ? SecretKind::passphrase : request.secret.kind());
  if (secret.empty()) throw Error(Errc::wrong_key, "wrong key: it is empty");
  if (!rounds) return auth::SecretBytes(secret.span().first(std::min(secret.size(), kKeyBytes)));
  auth::SecretBytes filled(kFilledBytes);
  std::ranges::copy(secret.span().first(std::min(secret.size(), kFilledBytes)), filled.span().begin());
  const std::vector<std::byte> salt =
      request.options.bytes("salt-file").value_or(std::vector<std::byte>(kFilledBytes));
  return auth::pbkdf2("sha1", filled, salt, static_cast<std::uint32_t>(*rounds), kKeyBytes);
}

DecryptSectors sectors_of(const UnitPlan& plan) {
  const auto schedule = std::make_shared<cipher::Schedule>();
  cipher::expand(plan.key.span(), *schedule);
  return [schedule](engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    decrypt_cbc_sectors(engine, *schedule, core::ByteOrder::big, sectors,
                        encrypted_numbers(engine, *schedule, first, sectors.size() / kSectorBytes));
  };
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  require_image(job.source);
  UnitPlan plan{.direction = Direction::decrypt,
                .input_bytes = 0,
                .header = {},
                .settings = {},
                .key = key_of(request)};
  opened.parameters = request.options.has("rounds") ? "vnd, PBKDF2-HMAC-SHA1" : "vnd, the secret is the key";
  opened.evidence = disk_evidence(job, sectors_of(plan));
  return plan;
}

UnitWork work_of(const UnitPlan& plan) {
  return sector_work(sectors_of(plan));
}

constexpr Units kUnits{nullptr, plan_whole_image<plan_open>, work_of};

void check_vnd(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
  if (options.has("salt-file") && !options.has("rounds"))
    throw Error(Errc::usage, "--salt-file needs --rounds: a key has no salt");
}

Opened open_vnd(const Job& job, const OpenRequest& request) {
  return open_image(job, request, plan_open, sectors_of);
}

Description describe_vnd(stream::Source& source, const OptionValues&) {
  return describe_image(source, "an image of OpenBSD's vnd, if --format is right", 0);
}

}  // namespace

const Codec kVndCodec{
    .name = "vnd",
    .summary = "encrypted disk images of OpenBSD (vnconfig -k and -K)",
    .made_by = "OpenBSD's vnconfig and mount_vnd",
    .wrong_secret = "nothing but magic numbers and zeros that the disk may hold",
    .abilities = abilities({Ability::open, Ability::range}),
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = kFilledBytes,
    .options = kOptions,
    .check = check_vnd,
    .open = open_vnd,
    .describe = describe_vnd,
    .units = &kUnits,
};

}  // namespace fugu::format
