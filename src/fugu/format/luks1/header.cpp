#include "fugu/format/luks1/detail/header.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fugu/auth/kdf.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/format/detail/reader.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "LUKS\xba\xbe\0\1"sv;
constexpr std::size_t kNameBytes = 32, kDigestBytes = 20, kSaltBytes = 32, kUuidBytes = 40;
constexpr std::size_t kSlots = 8, kSlotBytes = 48;
constexpr std::uint32_t kActive = 0x00ac71f3, kInactive = 0x0000dead;
constexpr std::uint64_t kMostMaterialBytes = std::uint64_t{64} << 20;

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
  return starts_with(head, kMagic) && head.size() >= kMagic.size() + kNameBytes &&
         starts_with(head.subspan(kMagic.size(), kNameBytes), kCipher);
}

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

}  // namespace fugu::format
