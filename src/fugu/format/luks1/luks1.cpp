// LUKS1 images with Blowfish (LUKS On-Disk Format Specification 1.2.3).
//
//   "LUKS" ba be | version 1, u16 | cipher 32 | mode 32 | hash 32 | payload offset, u32 | key bytes, u32 |
//   digest of the master key 20 | its salt 32 | its iterations, u32 | UUID 40 | 8 x key slot { state, u32 |
//   iterations, u32 | salt 32 | key material offset, u32 | stripes, u32 } | ... | payload
//
// Big-endian; offsets count sectors of 512 bytes. A slot's key material is the master key, split into stripes
// and encrypted under PBKDF2 of the passphrase; the master key's digest proves it. The payload is encrypted
// sector by sector with the sector's number as IV, as dm-crypt does.

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/volume.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kLuksHeaderBytes = 592;

struct KeySlot {
  unsigned number = 0;  // 0 to 7
  std::uint32_t iterations = 0;
  std::vector<std::byte> salt;
  std::uint64_t offset = 0;  // of its key material, in bytes
  std::uint32_t stripes = 0;
};

struct LuksHeader {
  std::string mode;  // as stored: "cbc-essiv:sha256"
  std::string hash;  // of PBKDF2 and of the stripes; known to OpenSSL
  SectorMode sectors;
  std::uint64_t payload_offset = 0;  // in bytes
  std::size_t key_bytes = 0;
  std::vector<std::byte> digest;  // of the master key
  std::vector<std::byte> digest_salt;
  std::uint32_t digest_iterations = 0;
  std::string uuid;
  std::vector<KeySlot> slots;  // those in use

  std::size_t material_bytes(const KeySlot& slot) const { return key_bytes * slot.stripes; }

  // "LUKS1, blowfish-cbc-essiv:sha256, 56-byte key"
  std::string describe() const {
    return "LUKS1, blowfish-" + (mode.empty() ? "cbc-plain" : mode) + ", " + std::to_string(key_bytes) +
           "-byte key";
  }
};

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "LUKS\xba\xbe\0\1"sv;
constexpr std::size_t kNameBytes = 32, kDigestBytes = 20, kSaltBytes = 32, kUuidBytes = 40;
constexpr std::size_t kSlots = 8, kSlotBytes = 48;
constexpr std::uint32_t kActive = 0x00ac71f3, kInactive = 0x0000dead;
constexpr std::uint64_t kMaxMaterialBytes = std::uint64_t{64} << 20;

// The digests that cryptsetup, dm-crypt and OpenSSL call by the same name.
constexpr std::array kHashes{"sha1"sv,      "sha224"sv,    "sha256"sv, "sha384"sv, "sha512"sv,
                             "ripemd160"sv, "whirlpool"sv, "md5"sv,    "rmd160"sv};

constexpr const char* kDamaged = "the LUKS header is damaged";

[[noreturn]] void damaged() {
  throw Error(Errc::damaged, kDamaged);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::unknown_format, "a LUKS volume of " + what + ": open it with cryptsetup");
}

// Text up to a zero byte, sanitised: it comes from a file and goes into messages.
std::string take_name(Reader& reader, std::size_t room) {
  std::string_view text = text_of(reader.take(room));
  text = text.substr(0, text.find('\0'));
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:()";
  if (text.find_first_not_of(kPlain) != std::string_view::npos) damaged();
  return std::string(text);
}

std::string known_hash(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (std::ranges::find(kHashes, lower) == kHashes.end() || !auth::digest_exists(lower))
    refuse("the hash '" + name + "'");
  return lower;
}

void read_mode(LuksHeader& header) {
  const auto mode = sector_mode(header.mode);
  if (!mode) refuse("the mode '" + header.mode + "'");
  header.sectors = *mode;
  if (mode->iv == SectorIv::essiv) header.sectors.essiv_hash = known_hash(mode->essiv_hash);
}

std::uint32_t take_iterations(Reader& reader) {
  const std::uint32_t iterations = reader.big(4);
  if (iterations == 0 || iterations > std::numeric_limits<std::int32_t>::max()) damaged();
  return iterations;
}

void read_slot(Reader& reader, unsigned number, LuksHeader& header) {
  const std::uint32_t state = reader.big(4);
  if (state == kInactive) return static_cast<void>(reader.take(kSlotBytes - 4));
  if (state != kActive) damaged();
  KeySlot slot;
  slot.number = number;
  slot.iterations = take_iterations(reader);
  slot.salt = reader.take_copy(kSaltBytes);
  slot.offset = std::uint64_t{reader.big(4)} * kSectorBytes;
  slot.stripes = reader.big(4);
  const std::uint64_t end = slot.offset + std::uint64_t{header.key_bytes} * slot.stripes;
  if (slot.stripes == 0 || slot.offset < kLuksHeaderBytes || end > kMaxMaterialBytes ||
      end > header.payload_offset)
    damaged();
  header.slots.push_back(std::move(slot));
}

// Whether this is a LUKS1 image with Blowfish. False for a header too short to tell.
bool is_luks1_blowfish(std::span<const std::byte> head) {
  constexpr std::string_view kCipher = "blowfish\0"sv;
  return starts_with(head, kMagic) && head.size() >= kMagic.size() + kNameBytes &&
         starts_with(head.subspan(kMagic.size(), kNameBytes), kCipher);
}

// `bytes`: kLuksHeaderBytes of them. Throws Error{unknown_format} for an image that only dm-crypt can open,
// Error{damaged} for an inconsistent header.
LuksHeader read_luks_header(std::span<const std::byte> bytes) {
  if (!is_luks1_blowfish(bytes))
    throw Error(Errc::unknown_format, "not a LUKS1 image with Blowfish: cryptsetup may open it");
  Reader reader(bytes.subspan(kMagic.size() + kNameBytes), kDamaged);
  LuksHeader header;
  header.mode = take_name(reader, kNameBytes);
  read_mode(header);
  header.hash = known_hash(take_name(reader, kNameBytes));
  header.payload_offset = std::uint64_t{reader.big(4)} * kSectorBytes;
  if (header.payload_offset == 0) refuse("a detached header, with the data elsewhere");
  header.key_bytes = reader.big(4);
  if (header.key_bytes == 0 || header.key_bytes > cipher::kMaxKeyBytes) damaged();
  header.digest = reader.take_copy(kDigestBytes);
  header.digest_salt = reader.take_copy(kSaltBytes);
  header.digest_iterations = take_iterations(reader);
  header.uuid = take_name(reader, kUuidBytes);
  for (unsigned i = 0; i < kSlots; ++i) read_slot(reader, i, header);
  return header;
}

constexpr std::array kOptions{kRangeRow};

struct Unlocked {
  auth::SecretBytes key;
  unsigned slot = 0;
};

// Diffuses every bit of a block over all of its pieces: piece j becomes hash(j | piece).
void diffuse(auth::Digest& hash, std::span<std::byte> block) {
  std::array<std::byte, auth::kMaxDigestBytes> digest;
  for (std::uint32_t j = 0; !block.empty(); ++j) {
    const std::span<std::byte> piece = first_of(block, hash.size());
    std::array<std::byte, 4> number;
    store_little(core::byte_swap(j), number);
    hash.update(number).update(piece).finish(digest);
    std::ranges::copy(std::span(digest).first(piece.size()), piece.begin());
    block = block.subspan(piece.size());
  }
  core::wipe(digest.data(), digest.size());
}

// Undoes the anti-forensic splitter, which needs all stripes.
auth::SecretBytes merge(const std::string& hash_name, std::span<const std::byte> stripes,
                        std::size_t key_bytes) {
  auth::Digest hash(hash_name);
  auth::SecretBytes key(key_bytes);
  for (std::size_t at = 0; at < stripes.size(); at += key_bytes) {
    if (at != 0) diffuse(hash, key.span());
    for (std::size_t i = 0; i < key_bytes; ++i) key.data()[i] ^= stripes[at + i];
  }
  return key;
}

auth::SecretBytes key_in(engine::Engine& engine, const LuksHeader& header, const KeySlot& slot,
                         std::span<const std::byte> area, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes slot_key =
      auth::pbkdf2(header.hash, passphrase, slot.salt, slot.iterations, header.key_bytes);
  // The material may end inside a sector: cryptsetup encrypts whole ones.
  const std::size_t bytes = header.material_bytes(slot);
  auth::SecretBytes material(area.subspan(static_cast<std::size_t>(slot.offset), whole_sectors(bytes)));
  SectorCipher(header.sectors, slot_key.span()).decrypt(engine, material.span(), 0);
  return merge(header.hash, std::span<const std::byte>(material.span()).first(bytes), header.key_bytes);
}

bool is_master_key(const LuksHeader& header, const auth::SecretBytes& key) {
  const auth::SecretBytes digest =
      auth::pbkdf2(header.hash, key, header.digest_salt, header.digest_iterations, header.digest.size());
  return auth::equal_constant_time(digest.span(), header.digest);
}

// Tries the slots in order. `area`: the image from its beginning to the last slot's key material. Where the
// key of none has the header's digest, the disk may show that the digest is damaged.
Unlocked unlock(const Job& job, const LuksHeader& header, std::span<const std::byte> area,
                const auth::SecretBytes& passphrase) {
  std::vector<Unlocked> all;
  for (const KeySlot& slot : header.slots) {
    all.push_back({key_in(job.engine, header, slot, area, passphrase), slot.number});
    if (is_master_key(header, all.back().key)) return std::move(all.back());
  }
  for (Unlocked& one : all) {
    const SectorCipher cipher(header.sectors, one.key.span());
    const auto decrypt = std::bind_front(&SectorCipher::decrypt, &cipher);
    if (!is_sufficient(disk_evidence(job, decrypt, header.payload_offset))) continue;
    holds(job, false, "the digest of the key in the header is damaged, but the key opens a disk");
    return std::move(one);
  }
  throw Error(Errc::wrong_key, "wrong passphrase, or a damaged key slot: it opens none");
}

// The header, and the input positioned at the payload.
class Image {
 public:
  explicit Image(stream::Source& input) : source_(input) {
    area_ = source_.take(kLuksHeaderBytes, "its header");
    header_ = read_luks_header(area_);
  }

  const LuksHeader& header() const { return header_; }
  stream::Source& payload() { return source_; }

  // Reads the key material of all slots in use, and skips the rest before the payload.
  std::span<const std::byte> read_area() {
    std::uint64_t end = kLuksHeaderBytes;
    for (const KeySlot& slot : header_.slots)
      end = std::max(end, slot.offset + whole_sectors(header_.material_bytes(slot)));
    const auto rest = source_.take(static_cast<std::size_t>(end - area_.size()), "its key slots");
    append(area_, rest);
    while (source_.position() < header_.payload_offset) {
      const auto next = first_of(source_.peek(kLookaheadBytes), header_.payload_offset - source_.position());
      if (next.empty()) throw Error(Errc::damaged, "the file ends before its payload");
      source_.skip(next.size());
    }
    if (source_.peek(1).empty())
      throw Error(Errc::damaged,
                  "the file ends where its payload should begin: a backup of a header, or truncated");
    return area_;
  }

 private:
  Lookahead source_;
  std::vector<std::byte> area_;
  LuksHeader header_;
};

// Known if the input's size is; an error in it shows before the passphrase is requested.
std::optional<std::uint64_t> payload_bytes(const Job& job, const LuksHeader& header) {
  const std::optional<std::uint64_t> bytes = job.source.size_bytes();
  if (!bytes || *bytes < header.payload_offset) return std::nullopt;
  require_whole_sectors(job, *bytes - header.payload_offset);
  return *bytes - header.payload_offset;
}

Opened open_luks1(const Job& job, const OpenRequest& request) {
  const std::optional<Range> range = range_of(request.options);
  if (range) static_cast<void>(seekable_bytes(job.source));
  Image image(job.source);
  const LuksHeader& header = image.header();
  if (header.slots.empty()) throw Error(Errc::damaged, "no key slot is in use, so nothing can open it");
  const std::span<const std::byte> area = image.read_area();
  const std::optional<std::uint64_t> bytes = payload_bytes(job, header);
  count_read(job, area.size());
  const Unlocked unlocked = unlock(job, header, area, request.secret(SecretKind::passphrase));
  const SectorCipher cipher(header.sectors, unlocked.key.span());
  const auto decrypt = [&](engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    cipher.decrypt(engine, sectors, first);
  };
  if (range) {
    decrypt_range(job, header.payload_offset, bytes.value_or(0), *range, decrypt);
  } else {
    pump_sectors(job, image.payload(), job.sink, decrypt, 0, bytes);
  }
  Opened opened = proved(header.describe() + ", key slot " + std::to_string(unlocked.slot));
  opened.all_content = !range;
  return opened;
}

std::string slots_text(const LuksHeader& header) {
  const std::string text = joined(header.slots, ", ", [](const KeySlot& slot) {
    return std::to_string(slot.number) + " (" + std::to_string(slot.iterations) + " iterations)";
  });
  return text.empty() ? "none in use" : text;
}

Description describe_luks1(stream::Source& source, const OptionValues&) {
  const std::optional<std::uint64_t> size = source.size_bytes();
  const LuksHeader header = Image(source).header();
  Description description{.title = "LUKS1, blowfish"};
  description.add_text("mode", "mode", header.mode);
  description.add_text("hash", "hash", header.hash);
  description.add_number("key_bytes", "key", header.key_bytes, " bytes");
  description.add_text("uuid", "UUID", header.uuid);
  description.fields.push_back(
      {"key_slots", std::uint64_t{header.slots.size()}, "key slots", slots_text(header)});
  description.add_number("payload_offset", "payload at byte", header.payload_offset);
  if (size && *size >= header.payload_offset)
    description.add_number("payload_bytes", "payload", *size - header.payload_offset, " bytes");
  return description;
}

}  // namespace

const Codec kLuks1Codec{
    .name = "luks1",
    .summary = "LUKS1 disk images with Blowfish (cryptsetup)",
    .made_by = "cryptsetup luksFormat --type luks1 -c blowfish-...",
    .details = "Sectors that were never written decrypt to noise, so only sectors of zeros become holes.",
    .wrong_secret = "a digest of the master key",
    .options = kOptions,
    .recognise = recognise_if<is_luks1_blowfish>,
    .check = check_range,
    .open = open_luks1,
    .describe = describe_luks1,
};

}  // namespace fugu::format
