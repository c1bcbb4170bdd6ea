// LUKS1 images with Blowfish (LUKS On-Disk Format Specification 1.2.3).
//
//   "LUKS" ba be | version 1, u16 | cipher 32 | mode 32 | hash 32 | payload offset, u32 | key bytes, u32 |
//   digest of the master key 20 | its salt 32 | its iterations, u32 | UUID 40 | 8 x key slot { state, u32 |
//   iterations, u32 | salt 32 | key material offset, u32 | stripes, u32 } | ... | payload
//
// Big-endian; offsets count sectors of 512 bytes. A slot's key material is the master key, split into stripes
// and encrypted under PBKDF2 of the passphrase; the master key's digest proves it. The payload is encrypted
// sector by sector with the sector's number as IV, as dm-crypt does.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fugu/error.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/format/detail/volume.hpp"
#include "fugu/format/luks1/detail/header.hpp"
#include "fugu/format/luks1/detail/unlock.hpp"

namespace fugu::format {
namespace {

constexpr std::array kOptions{kRangeRow};

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
      end = std::max(end, slot.offset + round_up(header_.material_bytes(slot)));
    const auto rest = source_.take(static_cast<std::size_t>(end - area_.size()), "its key slots");
    area_.insert(area_.end(), rest.begin(), rest.end());
    while (source_.position() < header_.payload_offset) {
      const std::uint64_t left = header_.payload_offset - source_.position();
      const auto next =
          source_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(left, kLookaheadBytes)));
      if (next.empty()) throw Error(Errc::damaged, "the file ends before its payload");
      source_.skip(next.size());
    }
    if (source_.peek(1).empty())
      throw Error(Errc::damaged,
                  "the file ends where its payload should begin: a backup of a header, or truncated");
    return area_;
  }

 private:
  static std::uint64_t round_up(std::uint64_t bytes) {
    return (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
  }

  Lookahead source_;
  std::vector<std::byte> area_;
  LuksHeader header_;
};

// Known if the input's size is; an error in it shows before the passphrase is requested.
std::optional<std::uint64_t> payload_bytes(stream::Source& source, const LuksHeader& header) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  if (!bytes || *bytes < header.payload_offset) return std::nullopt;
  require_whole_sectors(*bytes - header.payload_offset);
  return *bytes - header.payload_offset;
}

void check_luks1(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
}

Recognition recognise_luks1(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return is_luks1_blowfish(head) ? Recognition::by_magic : Recognition::no;
}

Opened open_luks1(const Job& job, const OpenRequest& request) {
  const std::optional<Range> range = range_of(request.options);
  if (range) static_cast<void>(seekable_bytes(job.source));
  Image image(job.source);
  const LuksHeader& header = image.header();
  if (header.slots.empty()) throw Error(Errc::damaged, "no key slot is in use: nothing opens it any more");
  const std::span<const std::byte> area = image.read_area();
  const std::optional<std::uint64_t> bytes = payload_bytes(job.source, header);
  count_read(job, area.size());
  const auto unlocked = unlock_luks(job.engine, header, area, request.secret(SecretKind::passphrase));
  if (!unlocked) throw Error(Errc::wrong_key, "wrong passphrase: it opens no key slot");

  const SectorCipher cipher(header.sectors, unlocked->key.span());
  const auto decrypt = [&](engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    cipher.decrypt(engine, sectors, first);
  };
  if (range) {
    decrypt_range(job, header.payload_offset, bytes.value_or(0), *range, decrypt);
  } else {
    pump_sectors(job, image.payload(), job.sink, decrypt, 0, bytes);
  }
  Opened opened;
  opened.parameters = header.describe() + ", key slot " + std::to_string(unlocked->slot);
  opened.evidence.certain = true;
  opened.all_content = !range;
  return opened;
}

std::string slots_text(const LuksHeader& header) {
  std::string text;
  for (const KeySlot& slot : header.slots) {
    text += (text.empty() ? "" : ", ") + std::to_string(slot.number) + " (" +
            std::to_string(slot.iterations) + " iterations)";
  }
  return text.empty() ? "none in use" : text;
}

Description describe_luks1(stream::Source& source, const OptionValues&) {
  const std::optional<std::uint64_t> size = source.size_bytes();
  const LuksHeader header = Image(source).header();
  const bool has_payload = size && *size >= header.payload_offset;
  Description description{"LUKS1, blowfish", {}};
  auto& fields = description.fields;
  fields.push_back({"mode", header.mode, "mode", header.mode});
  fields.push_back({"hash", header.hash, "hash", header.hash});
  fields.push_back(
      {"key_bytes", std::uint64_t{header.key_bytes}, "key", std::to_string(header.key_bytes) + " bytes"});
  fields.push_back({"uuid", header.uuid, "UUID", header.uuid});
  fields.push_back({"key_slots", std::uint64_t{header.slots.size()}, "key slots", slots_text(header)});
  fields.push_back(
      {"payload_offset", header.payload_offset, "payload at byte", std::to_string(header.payload_offset)});
  if (has_payload) {
    const std::uint64_t bytes = *size - header.payload_offset;
    fields.push_back({"payload_bytes", bytes, "payload", std::to_string(bytes) + " bytes"});
  }
  return description;
}

}  // namespace

const Codec kLuks1Codec{
    .name = "luks1",
    .summary = "LUKS1 disk images with Blowfish (cryptsetup)",
    .made_by = "cryptsetup luksFormat --type luks1 -c blowfish-...",
    .details =
        "What was never written to an encrypted disk decrypts to noise, so only what holds zeros becomes "
        "holes.",
    .wrong_secret = "a digest of the master key",
    .abilities = abilities({Ability::open, Ability::range}),
    .secrets = secrets({SecretKind::passphrase}),
    .options = kOptions,
    .recognise = recognise_luks1,
    .check = check_luks1,
    .open = open_luks1,
    .describe = describe_luks1,
};

}  // namespace fugu::format
