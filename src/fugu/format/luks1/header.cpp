#include "fugu/format/luks1/detail/header.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fugu/auth/kdf.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;
using namespace std::string_view_literals;

constexpr std::string_view kMagic = "LUKS\xba\xbe\0\1"sv;
constexpr std::size_t kNameBytes = 32;
constexpr std::size_t kCipherAt = 8, kModeAt = 40, kHashAt = 72, kPayloadAt = 104, kKeyBytesAt = 108;
constexpr std::size_t kDigestAt = 112, kDigestBytes = 20, kSaltAt = 132, kSaltBytes = 32, kIterationsAt = 164;
constexpr std::size_t kUuidAt = 168, kUuidBytes = 40;
constexpr std::size_t kSlotsAt = 208, kSlotBytes = 48, kSlots = 8;
constexpr std::uint32_t kActive = 0x00ac71f3, kInactive = 0x0000dead;
constexpr std::uint64_t kMostMaterialBytes = std::uint64_t{64} << 20;

// The digests that cryptsetup, dm-crypt and OpenSSL call by the same name.
constexpr std::array kHashes{"sha1"sv,      "sha224"sv,    "sha256"sv, "sha384"sv, "sha512"sv,
                             "ripemd160"sv, "whirlpool"sv, "md5"sv,    "rmd160"sv};

[[noreturn]] void damaged() {
  throw Error(Errc::damaged, "the LUKS header is damaged");
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::unknown_format, "a LUKS volume of " + what + ": open it with cryptsetup");
}

std::uint32_t number_at(Bytes bytes, std::size_t at) {
  return static_cast<std::uint32_t>(load_big(bytes.subspan(at, 4)));
}

// Text up to a zero byte, sanitised: it comes from a file and goes into messages.
std::string name_at(Bytes bytes, std::size_t at, std::size_t room) {
  std::string_view text = text_of(bytes.subspan(at, room));
  text = text.substr(0, text.find('\0'));
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:()";
  if (text.find_first_not_of(kPlain) != std::string_view::npos) damaged();
  return std::string(text);
}

std::vector<std::byte> copy_at(Bytes bytes, std::size_t at, std::size_t count) {
  const Bytes part = bytes.subspan(at, count);
  return {part.begin(), part.end()};
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

std::uint32_t iterations_at(Bytes bytes, std::size_t at) {
  const std::uint32_t iterations = number_at(bytes, at);
  if (iterations == 0 || iterations > std::numeric_limits<std::int32_t>::max()) damaged();
  return iterations;
}

void read_slot(Bytes bytes, unsigned number, LuksHeader& header) {
  const std::uint32_t state = number_at(bytes, 0);
  if (state == kInactive) return;
  if (state != kActive) damaged();
  KeySlot slot;
  slot.number = number;
  slot.iterations = iterations_at(bytes, 4);
  slot.salt = copy_at(bytes, 8, kSaltBytes);
  slot.offset = std::uint64_t{number_at(bytes, 40)} * kSectorBytes;
  slot.stripes = number_at(bytes, 44);
  const std::uint64_t material = std::uint64_t{header.key_bytes} * slot.stripes;
  const std::uint64_t end = slot.offset + material;
  if (slot.stripes == 0 || slot.offset < kLuksHeaderBytes || end > kMostMaterialBytes ||
      end > header.payload_offset)
    damaged();
  header.slots.push_back(std::move(slot));
}

}  // namespace

std::string LuksHeader::describe() const {
  return "LUKS1, blowfish-" + (mode.empty() ? "cbc-plain" : mode) + ", " + std::to_string(key_bytes) +
         "-byte key";
}

bool is_luks1_blowfish(std::span<const std::byte> head) {
  constexpr std::string_view kCipher = "blowfish\0"sv;
  return starts_with(head, kMagic) && head.size() >= kModeAt &&
         starts_with(head.subspan(kCipherAt, kNameBytes), kCipher);
}

LuksHeader read_luks_header(std::span<const std::byte> bytes) {
  if (!is_luks1_blowfish(bytes))
    throw Error(Errc::unknown_format, "not a LUKS1 image with Blowfish: cryptsetup may open it");
  LuksHeader header;
  header.mode = name_at(bytes, kModeAt, kNameBytes);
  read_mode(header);
  header.hash = known_hash(name_at(bytes, kHashAt, kNameBytes));
  header.payload_offset = std::uint64_t{number_at(bytes, kPayloadAt)} * kSectorBytes;
  if (header.payload_offset == 0) refuse("a detached header, with the data elsewhere");
  header.key_bytes = number_at(bytes, kKeyBytesAt);
  if (header.key_bytes == 0 || header.key_bytes > cipher::kMaxKeyBytes) damaged();
  header.digest = copy_at(bytes, kDigestAt, kDigestBytes);
  header.digest_salt = copy_at(bytes, kSaltAt, kSaltBytes);
  header.digest_iterations = iterations_at(bytes, kIterationsAt);
  header.uuid = name_at(bytes, kUuidAt, kUuidBytes);
  for (unsigned i = 0; i < kSlots; ++i)
    read_slot(bytes.subspan(kSlotsAt + i * kSlotBytes, kSlotBytes), i, header);
  return header;
}

}  // namespace fugu::format
