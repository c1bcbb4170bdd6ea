#include "fugu/format/detail/volume.hpp"

#include <cmath>

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;
using engine::Op;

struct Magic {
  std::size_t offset;
  std::string_view bytes;
};
constexpr Magic kVolumeMagics[] = {{510, "\x55\xaa"},          // of a boot record
                                   {512, "\x57\x45\x56\x82"},  // of OpenBSD's disklabel, twice
                                   {512 + 132, "\x57\x45\x56\x82"},
                                   {8192 + 1372, "\x54\x19\x01\0"sv},  // of FFS
                                   {65536 + 1372, "\x19\x01\x54\x19"}};
constexpr std::uint64_t kVolumeMagicsEnd = 65536 + 3 * kSectorBytes;

std::size_t chunk_bytes(const Job& job, std::optional<std::uint64_t> image_bytes) {
  const std::size_t chunks = ring_chunks(parallel_workers(job));
  std::size_t bytes = std::min(parallel_chunk_bytes(job) * kRingChunks, kMaxRingBytes) / chunks;
  if (job.chunk_bytes != 0) bytes = job.chunk_bytes;
  if (image_bytes && *image_bytes < bytes) bytes = static_cast<std::size_t>(*image_bytes) + 1;
  return whole_sectors(bytes);
}

// A sector that begins with a block of zeros. The first of an image is left out: its IV is zero by most
// rules.
bool has_empty_sector(std::span<const std::byte> image) {
  for (std::size_t at = kSectorBytes; at < image.size(); at += kSectorBytes) {
    if (load_big(image.subspan(at, kBlockBytes)) == 0) return true;
  }
  return false;
}

}  // namespace

void require_whole_sectors(const Job& job, std::uint64_t bytes) {
  holds(job, bytes % kSectorBytes == 0, "the file ends inside a sector of 512 bytes: it is truncated");
}

void require_image(const Job& job) {
  const std::optional<std::uint64_t> size = job.source.size_bytes();
  if (!size) return;
  if (*size == 0) throw Error(Errc::damaged, "the file is empty");
  require_whole_sectors(job, *size);
}

Evidence disk_evidence(const Job& job, const DecryptSectors& decrypt, std::uint64_t begin) {
  const std::uint64_t size = std::min(job.source.size_bytes().value_or(begin) - begin, kVolumeMagicsEnd);
  core::WipedBytes head(static_cast<std::size_t>(size - size % kSectorBytes));
  if (head.empty() || !job.source.read_at(head, begin)) return {};
  decrypt(job.engine, head, 0);
  Evidence evidence;
  if (has_empty_sector(head)) evidence.bits = 64 - std::log2(head.size() / kSectorBytes);
  for (const Magic& magic : kVolumeMagics) {
    const std::string_view text = text_of(head);
    if (text.size() > magic.offset && text.substr(magic.offset).starts_with(magic.bytes))
      evidence.bits += 8 * static_cast<double>(magic.bytes.size());
  }
  return evidence;
}

void require_disk(const Opened& opened, const OpenRequest& request, bool all_given,
                  std::string_view to_give) {
  if (is_sufficient(opened.evidence) || all_given || request.accept_weak_evidence) return;
  throw Error(Errc::unknown_format,
              "no disk is found with " + opened.parameters +
                  ": a wrong secret, other parameters, or a disk without an empty sector at its beginning; "
                  "give " +
                  std::string(to_give) + ", or ⟦yes⟧");
}

core::WipedVector<std::uint64_t> encrypted_numbers(engine::Engine& engine, const cipher::Schedule& schedule,
                                                   std::uint64_t first, std::size_t count) {
  core::WipedBytes numbers(count * kBlockBytes);
  for (std::size_t i = 0; i < count; ++i)
    core::store_u64_big(&numbers[i * kBlockBytes], core::byte_swap(first + i));
  const engine::Segment segment{.schedule = &schedule, .in = numbers, .out = numbers};
  engine.run(Op::ecb_encrypt, {&segment, 1});
  core::WipedVector<std::uint64_t> images(count);
  for (std::size_t i = 0; i < count; ++i) images[i] = core::load_u64_big(&numbers[i * kBlockBytes]);
  return images;
}

// Passes all sectors to the engine as one CBC chain, which saves a segment per sector. Only each sector's
// first block is then wrong, combined with the last block of the sector before instead of the IV, and is
// corrected.
void decrypt_cbc_sectors(engine::Engine& engine, const cipher::Schedule& schedule, core::ByteOrder words,
                         std::span<std::byte> sectors, core::WipedVector<std::uint64_t> ivs) {
  if (ivs.empty()) return;
  for (std::size_t i = 1; i < ivs.size(); ++i)
    ivs[i] ^= core::load_u64_big(&sectors[i * kSectorBytes - kBlockBytes]);
  const engine::Segment segment{
      .schedule = &schedule, .iv = ivs[0], .in = sectors, .out = sectors, .words = words};
  engine.run(Op::cbc_decrypt, {&segment, 1});
  for (std::size_t i = 1; i < ivs.size(); ++i) {
    std::byte* const block = &sectors[i * kSectorBytes];
    core::store_u64_big(block, core::load_u64_big(block) ^ ivs[i]);
  }
}

std::optional<SectorMode> sector_mode(std::string_view name) {
  constexpr std::string_view kEssiv = "cbc-essiv:";
  if (name == "ecb") return SectorMode{SectorIv::none, {}};
  if (name == "cbc-plain" || name == "plain" || name.empty()) return SectorMode{SectorIv::plain, {}};
  if (name == "cbc-plain64") return SectorMode{SectorIv::plain64, {}};
  if (name.starts_with(kEssiv)) return SectorMode{SectorIv::essiv, std::string(name.substr(kEssiv.size()))};
  return std::nullopt;
}

SectorCipher::SectorCipher(const SectorMode& mode, std::span<const std::byte> key) : iv_(mode.iv) {
  cipher::expand(key, schedule_);
  if (iv_ == SectorIv::essiv) cipher::expand(auth::digest(mode.essiv_hash, {key}).span(), iv_schedule_);
}

// In the form of Segment::iv; the number itself is little-endian.
core::WipedVector<std::uint64_t> SectorCipher::ivs(engine::Engine& engine, std::uint64_t first,
                                                   std::size_t count) const {
  constexpr std::uint64_t kLow = 0xffffffff;
  if (iv_ == SectorIv::essiv) return encrypted_numbers(engine, iv_schedule_, first, count);
  core::WipedVector<std::uint64_t> ivs(count);
  for (std::size_t i = 0; i < count; ++i)
    ivs[i] = core::byte_swap(iv_ == SectorIv::plain ? (first + i) & kLow : first + i);
  return ivs;
}

void SectorCipher::decrypt(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) const {
  if (sectors.empty()) return;
  if (iv_ != SectorIv::none)
    return decrypt_cbc_sectors(engine, schedule_, core::ByteOrder::big, sectors,
                               ivs(engine, first, sectors.size() / kSectorBytes));
  const engine::Segment segment{.schedule = &schedule_, .in = sectors, .out = sectors};
  engine.run(Op::ecb_decrypt, {&segment, 1});
}

void pump_sectors(const Job& job, stream::Source& source, stream::Sink& sink, const DecryptSectors& decrypt,
                  std::uint64_t first, std::optional<std::uint64_t> image_bytes) {
  const std::size_t bytes = chunk_bytes(job, image_bytes);
  const auto check = [&](std::span<std::byte>, std::size_t size_bytes, bool) {
    require_whole_sectors(job, size_bytes);
    return size_bytes - size_bytes % kSectorBytes;
  };
  pump_chunks(job, source, sink, bytes, 0, check,
              [&](std::span<std::byte> chunk, std::size_t size_bytes, std::uint64_t index, bool) {
                const std::size_t whole = size_bytes - size_bytes % kSectorBytes;
                decrypt(job.engine, chunk.first(whole), first + index * (bytes / kSectorBytes));
              });
}

void decrypt_range(const Job& job, std::uint64_t begin, std::uint64_t bytes, const Range& range,
                   const DecryptSectors& decrypt) {
  if (range.first > bytes)
    throw Error(Errc::usage, "the range begins at byte " + std::to_string(range.first) +
                                 " and the payload holds " + std::to_string(bytes));
  const std::uint64_t left = bytes - range.first;
  const std::uint64_t count = std::min(range.count.value_or(left), left);
  const std::uint64_t first = range.first / kSectorBytes;
  const std::uint64_t end = (range.first + count + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
  PartSource part(job.source, begin + first * kSectorBytes, begin + end);
  Excerpt sink(job.sink, range.first % kSectorBytes, count);
  pump_sectors(job, part, sink, decrypt, first, end - first * kSectorBytes);
}

UnitPlan plan_whole_image(const Job& job, const OpenRequest& request, Opened& opened, PlanImage plan_open) {
  if (request.options.has("range")) throw Error(Errc::usage, "a range cannot be divided among processes");
  const std::uint64_t bytes = file_bytes(job.source);
  UnitPlan plan = plan_open(job, request, opened);
  plan.input_bytes = bytes;
  return plan;
}

UnitWork image_work(DecryptSectors decrypt) {
  UnitWork work;
  work.input_bytes = work.output_bytes = work.chunk_bytes = kAloneChunkBytes;
  work.run = [decrypt = std::move(decrypt)](const Job& job, const Stretch& stretch) {
    const std::uint64_t first = stretch.first * (kAloneChunkBytes / kSectorBytes);
    pump_sectors(job, job.source, job.sink, decrypt, first, job.source.size_bytes());
  };
  return work;
}

Opened open_image(const Job& job, const OpenRequest& request, PlanImage plan_open,
                  SectorsOfImage sectors_of) {
  const std::optional<Range> range = range_of(request.options);
  const std::uint64_t size = range ? seekable_bytes(job.source) : 0;
  Opened opened;
  const UnitPlan plan = plan_open(job, request, opened);
  const std::uint64_t begin = plan.header.size();
  if (range) {
    decrypt_range(job, begin, size - begin, *range, sectors_of(plan));
  } else {
    run_all(job, image_work(sectors_of(plan)));
  }
  opened.all_content = !range;
  return opened;
}

Description describe_image(stream::Source& source, std::string_view title, std::uint64_t header_bytes) {
  Description description{.title = std::string(title)};
  if (const auto size = source.size_bytes(); size && *size >= header_bytes)
    description.add_number("payload_bytes", "payload", *size - header_bytes, " bytes");
  return description;
}

}  // namespace fugu::format
