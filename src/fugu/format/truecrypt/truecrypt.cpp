// Volumes of TrueCrypt 1.0 to 4.3a with Blowfish in CBC.
//
//   salt 64 | header 448 | sectors of 512 bytes
//
// The cipher's words are little-endian. A hash and its rounds of PBKDF2 give the header's IV, whitening and
// key; the hash can only be found by trial. Then the header begins with "TRUE" and holds key material and its
// CRC-32, each of which proves the passphrase. Sectors have IVs and whitening made of their place in the
// file.
#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/volume.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kSaltBytes = 64;
constexpr std::size_t kMaxTruecryptBytes = 64;
constexpr std::size_t kDerivedBytes = 88;     // IV 8, whitening 8, unused 16, key 56
constexpr std::size_t kMaterialOffset = 192;  // in the decrypted header
constexpr std::size_t kMaterialBytes = 88;    // IV seed 8, whitening seed 16, unused 8, key 56
constexpr std::size_t kSeedBytes = 16;
constexpr std::size_t kKeyOffset = 32;  // in both
constexpr std::size_t kKeyBytes = 56;
constexpr std::size_t kHiddenHeaderFromEnd = 1536;
constexpr std::string_view kMagic = "TRUE";

constexpr std::array kOptions{kRangeRow};

struct Hash {
  const char* name;
  std::uint32_t rounds;
};
constexpr Hash kHashes[] = {{"ripemd160", 2000}, {"sha1", 2000}, {"whirlpool", 1000}};

void whiten(std::span<std::byte> blocks, std::uint64_t image) {
  for (std::size_t at = 0; at < blocks.size(); at += kBlockBytes)
    core::store_u64_big(&blocks[at], core::load_u64_big(&blocks[at]) ^ image);
}

struct Unlocked {
  auth::SecretBytes material;
  std::string hash;
  std::uint64_t data_offset = 0;
  bool has_magic = false;
  bool has_sum = false;
};

Unlocked unlock(engine::Engine& engine, Bytes header, const auth::SecretBytes& passphrase, const Hash& hash) {
  const auth::SecretBytes derived =
      auth::pbkdf2(hash.name, passphrase, header.first(kSaltBytes), hash.rounds, kDerivedBytes);
  auth::SecretBytes plain(header.subspan(kSaltBytes));
  whiten(plain.span(), core::load_u64_big(derived.span().data() + kBlockBytes));
  transform(engine, derived.span().subspan(kKeyOffset, kKeyBytes),
            {.iv = iv_of(derived.span()), .words = core::ByteOrder::little}, Direction::decrypt,
            plain.span());
  const Bytes fields = plain.span();
  return {.material = auth::SecretBytes(fields.subspan(kMaterialOffset, kMaterialBytes)),
          .hash = hash.name,
          .data_offset = load_big(fields.subspan(44, 8)),
          .has_magic = starts_with(fields, kMagic),
          .has_sum = load_big(fields.subspan(8, 4)) == crc32b(fields.subspan(kMaterialOffset))};
}

// By each hash, up to the one that opens a whole header.
std::vector<Unlocked> unlock(engine::Engine& engine, Bytes header, const auth::SecretBytes& passphrase) {
  std::vector<Unlocked> all;
  for (const Hash& hash : kHashes) {
    if (!auth::digest_exists(hash.name)) continue;
    all.push_back(unlock(engine, header, passphrase, hash));
    if (all.back().has_magic && all.back().has_sum) break;
  }
  return all;
}

bool is_proved(const Unlocked& unlocked) {
  return unlocked.has_magic || unlocked.has_sum;
}

class Sectors {
 public:
  explicit Sectors(Bytes material) : seeds_(material.first(kBlockBytes + kSeedBytes)) {
    cipher::expand(material.subspan(kKeyOffset, kKeyBytes), schedule_);
  }

  // The header is the file's sector 0, so that the data begins with number 1.
  void decrypt(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) const {
    core::WipedVector<std::uint64_t> ivs(sectors.size() / kSectorBytes);
    for (std::size_t i = 0; i < ivs.size(); ++i) {
      const std::uint64_t number = core::byte_swap(first + i + 1);
      ivs[i] = core::load_u64_big(seeds_.span().data()) ^ number;
      whiten(sectors.subspan(i * kSectorBytes, kSectorBytes), whitening(number));
    }
    decrypt_cbc_sectors(engine, schedule_, core::ByteOrder::little, sectors, std::move(ivs));
  }

 private:
  std::uint64_t whitening(std::uint64_t number) const {
    auth::SecretBytes seed(seeds_.span().subspan(kBlockBytes));
    whiten(seed.span(), number);
    std::array<std::uint32_t, 4> sums;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = crc32b(seed.span().subspan(4 * i, 4));
    return std::uint64_t{core::byte_swap(sums[0] ^ sums[3])} << 32 | core::byte_swap(sums[1] ^ sums[2]);
  }

  auth::SecretBytes seeds_;
  cipher::Schedule schedule_;
};

DecryptSectors sectors_of(const UnitPlan& plan) {
  return [sectors = std::make_shared<const Sectors>(plan.key.span())](
             engine::Engine& engine, std::span<std::byte> bytes, std::uint64_t first) {
    sectors->decrypt(engine, bytes, first);
  };
}

bool opens_truecrypt(engine::Engine& engine, Bytes head, std::optional<std::uint64_t> size_bytes,
                     const AskSecret& secret) {
  if (!size_bytes || *size_bytes % kSectorBytes != 0 || head.size() <= kSectorBytes) return false;
  const auth::SecretBytes& passphrase = secret(SecretKind::passphrase);
  return passphrase.size() <= kMaxTruecryptBytes &&
         std::ranges::any_of(unlock(engine, head.first(kSectorBytes), passphrase), is_proved);
}

std::vector<std::byte> read_header(const Job& job) {
  if (const auto size = job.source.size_bytes()) require_whole_sectors(job, *size);
  std::vector<std::byte> header(kSectorBytes);
  if (job.source.read(header) != header.size()) throw Error(Errc::damaged, "the file ends inside its header");
  count_read(job, header.size());
  return header;
}

// Whether the keys open a disk, which proves the passphrase where the header does not.
bool opens_disk(const Job& job, const Unlocked& unlocked) {
  const Sectors sectors(unlocked.material.span());
  return is_sufficient(disk_evidence(job, std::bind_front(&Sectors::decrypt, &sectors), kSectorBytes));
}

bool opens_hidden_volume(const Job& job, const auth::SecretBytes& passphrase) {
  std::vector<std::byte> header(kSectorBytes);
  const std::uint64_t size = job.source.size_bytes().value_or(0);
  return size > kHiddenHeaderFromEnd && job.source.read_at(header, size - kHiddenHeaderFromEnd) &&
         std::ranges::any_of(unlock(job.engine, header, passphrase), is_proved);
}

Unlocked unlock(const Job& job, const OpenRequest& request, Bytes header) {
  const auth::SecretBytes& passphrase = request.secret(SecretKind::passphrase);
  if (passphrase.size() > kMaxTruecryptBytes)
    throw Error(Errc::wrong_key, "wrong passphrase: TrueCrypt takes at most 64 bytes");
  std::vector<Unlocked> all = unlock(job.engine, header, passphrase);
  auto found = std::ranges::find_if(all, is_proved);
  if (found == all.end()) found = std::ranges::find_if(all, [&](auto& one) { return opens_disk(job, one); });
  if (found != all.end()) {
    const bool is_whole =
        holds(job, found->has_magic || found->has_sum, "the header is damaged, but its keys open a disk") &&
        holds(job, found->has_magic, "the header is damaged, but not its keys") &&
        holds(job, found->has_sum,
              "the header does not have its checksum: if the volume is noise, its keys are damaged");
    if (!is_whole || found->data_offset == 0 || found->data_offset == kSectorBytes) return std::move(*found);
    throw Error(Errc::unknown_format,
                "not a TrueCrypt 1.0 to 4.3a volume: its data does not follow its header");
  }
  if (opens_hidden_volume(job, passphrase))
    throw Error(Errc::unknown_format, "the passphrase is that of a hidden volume, which fugu does not open");
  throw Error(
      Errc::wrong_key,
      "wrong passphrase, or no volume with Blowfish alone in CBC: nothing else was tried, no cascades of "
      "ciphers, no LRW mode, no key files");
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  UnitPlan plan{.direction = Direction::decrypt, .header = read_header(job)};
  Unlocked unlocked = unlock(job, request, plan.header);
  opened.parameters = "TrueCrypt, blowfish-cbc, " + unlocked.hash;
  opened.evidence.certain = true;
  plan.key = std::move(unlocked.material);
  return plan;
}

using Row = ImageRow<plan_open, sectors_of, "TrueCrypt 1.0 to 4.3a, if ⟦format⟧ is right", kSectorBytes>;

}  // namespace

const Codec kTrueCryptCodec{
    .name = "truecrypt",
    .extensions = kExtensions<".tc">,
    .summary = "volumes of TrueCrypt 1.0 to 4.3a with Blowfish in CBC",
    .made_by = "TrueCrypt 1.0 to 4.3a",
    .details = "Not opened: hidden volumes, LRW mode, cascades of ciphers, key files.",
    .wrong_secret = "a magic number and a checksum of the key",
    .options = kOptions,
    .opens = opens_truecrypt,
    .check = check_range,
    .open = Row::open,
    .describe = Row::describe,
    .units = &Row::kUnits,
};

}  // namespace fugu::format
