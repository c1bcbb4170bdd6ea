// Images of OpenBSD's vnd (vnconfig and mount_vnd, -k and -K).
//
// No header. A sector of 512 bytes is CBC; its IV is its number, little-endian, encrypted under the same key.
// -k takes the typed key, -K a passphrase filled with zeros to 128 bytes through PBKDF2. Nothing tells a
// wrong secret but magic numbers that a disk may hold.
#include <algorithm>
#include <array>
#include <string>

#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;
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

struct Magic {
  std::size_t offset;
  std::string_view bytes;
};
constexpr Magic kMagics[] = {{510, "\x55\xaa"},          // of a boot record
                             {512, "\x57\x45\x56\x82"},  // of a disklabel, twice
                             {512 + 132, "\x57\x45\x56\x82"},
                             {8192 + 1372, "\x54\x19\x01\0"sv},  // of FFS
                             {65536 + 1372, "\x19\x01\x54\x19"}};
constexpr std::uint64_t kMagicsEnd = 65536 + 3 * kSectorBytes;

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

DecryptSectors sectors_of(const auth::SecretBytes& key) {
  const auto schedule = std::make_shared<cipher::Schedule>();
  cipher::expand(key.span(), *schedule);
  return [schedule](engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    decrypt_cbc_sectors(engine, *schedule, core::ByteOrder::big, sectors,
                        encrypted_numbers(engine, *schedule, first, sectors.size() / kSectorBytes));
  };
}

// What the beginning of a file shows; nothing of a pipe.
Evidence judge(const Job& job, const DecryptSectors& decrypt) {
  const std::uint64_t size = std::min(job.source.size_bytes().value_or(0), kMagicsEnd);
  core::WipedBytes head(static_cast<std::size_t>(size - size % kSectorBytes));
  if (head.empty() || !job.source.read_at(head, 0)) return {};
  decrypt(job.engine, head, 0);
  Evidence evidence;
  for (const Magic& magic : kMagics) {
    const std::string_view text = text_of(head);
    if (text.size() > magic.offset && text.substr(magic.offset).starts_with(magic.bytes))
      evidence.bits += 8 * static_cast<double>(magic.bytes.size());
  }
  return evidence;
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  if (const auto size = job.source.size_bytes()) {
    if (*size == 0) throw Error(Errc::damaged, "the file is empty");
    require_whole_sectors(*size);
  }
  UnitPlan plan{.direction = Direction::decrypt,
                .input_bytes = 0,
                .header = {},
                .settings = {},
                .key = key_of(request)};
  opened.parameters = request.options.has("rounds") ? "vnd, PBKDF2-HMAC-SHA1" : "vnd, the secret is the key";
  opened.evidence = judge(job, sectors_of(plan.key));
  return plan;
}

UnitWork work_of(const UnitPlan& plan) {
  return sector_work(sectors_of(plan.key));
}

constexpr Units kUnits{nullptr, plan_whole_image<plan_open>, work_of};

void check_vnd(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
  if (options.has("salt-file") && !options.has("rounds"))
    throw Error(Errc::usage, "--salt-file needs --rounds: a key has no salt");
}

Opened open_vnd(const Job& job, const OpenRequest& request) {
  const std::optional<Range> range = range_of(request.options);
  const std::uint64_t size = range ? seekable_bytes(job.source) : 0;
  Opened opened;
  const UnitPlan plan = plan_open(job, request, opened);
  if (range) {
    decrypt_range(job, 0, size, *range, sectors_of(plan.key));
  } else {
    run_all(job, work_of(plan));
  }
  opened.all_content = !range;
  return opened;
}

Description describe_vnd(stream::Source& source, const OptionValues&) {
  Description description{"an image of OpenBSD's vnd, if --format is right", {}};
  if (const auto size = source.size_bytes())
    description.fields.push_back({"payload_bytes", *size, "payload", std::to_string(*size) + " bytes"});
  return description;
}

}  // namespace

const Codec kVndCodec{
    .name = "vnd",
    .summary = "encrypted disk images of OpenBSD (vnconfig -k and -K)",
    .made_by = "OpenBSD's vnconfig and mount_vnd",
    .wrong_secret = "nothing but magic numbers that the disk may hold",
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
