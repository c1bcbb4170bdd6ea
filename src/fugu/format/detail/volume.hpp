// Disk images whose sectors are encrypted each on its own. Private to format.
#pragma once

#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"

namespace fugu::format {

inline constexpr std::size_t kSectorBytes = 512;

// Rounds up.
constexpr std::size_t whole_sectors(std::size_t bytes) {
  return (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
}

// Decrypts whole sectors in place; `first` is the number of the first, from 0. Thread-safe.
using DecryptSectors =
    std::function<void(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first)>;

// Throws Error{damaged} for the size of an image that ends inside a sector.
void require_whole_sectors(const Job& job, std::uint64_t bytes);

// The same for a file that is an image, if its size is known, and for an empty one.
void require_image(const Job& job);

// The numbers first, first + 1, ..., as little-endian blocks encrypted under `schedule`, in the form of
// engine::Segment::iv.
core::WipedVector<std::uint64_t> encrypted_numbers(engine::Engine& engine, const cipher::Schedule& schedule,
                                                   std::uint64_t first, std::size_t count);

// CBC with an IV per sector. `ivs` are in the form of engine::Segment::iv.
void decrypt_cbc_sectors(engine::Engine& engine, const cipher::Schedule& schedule, core::ByteOrder words,
                         std::span<std::byte> sectors, core::WipedVector<std::uint64_t> ivs);

// The rules of dm-crypt for a sector's IV; `none` is ECB.
enum class SectorIv : std::uint8_t { none, plain, plain64, essiv };

struct SectorMode {
  SectorIv iv = SectorIv::none;
  std::string essiv_hash;  // OpenSSL's or the kernel's name
};

// By dm-crypt's name: "cbc-plain" and its synonyms "plain" and "", "cbc-plain64", "cbc-essiv:HASH", "ecb".
// Empty for any other.
std::optional<SectorMode> sector_mode(std::string_view name);

class SectorCipher {
 public:
  // Throws Error{usage} for a hash that OpenSSL does not know.
  SectorCipher(const SectorMode& mode, std::span<const std::byte> key);

  // In place. `sectors` is a multiple of kSectorBytes; `first` is the number of the first. Thread-safe.
  void decrypt(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) const;

 private:
  core::WipedVector<std::uint64_t> ivs(engine::Engine& engine, std::uint64_t first, std::size_t count) const;

  SectorIv iv_;
  cipher::Schedule schedule_;
  cipher::Schedule iv_schedule_;  // essiv
};

// Decrypts what is left of `source`, sectors from number `first` on, into `sink`.
void pump_sectors(const Job& job, stream::Source& source, stream::Sink& sink, const DecryptSectors& decrypt,
                  std::uint64_t first, std::optional<std::uint64_t> bytes);

// Decrypts a range of the image that begins at byte `begin` of the job's seekable source. Throws Error{usage}
// for a range that begins after its end.
void decrypt_range(const Job& job, std::uint64_t begin, std::uint64_t bytes, const Range& range,
                   const DecryptSectors& decrypt);

// The image lies from byte `begin` of the file to its end. Its beginning may show magic numbers, and empty
// sectors, which also prove the rule for IVs. A pipe shows nothing.
Evidence disk_evidence(const Job& job, const DecryptSectors& decrypt, std::uint64_t begin = 0);

// Throws Error{unknown_format} where no disk shows, unless the user gave all that the image does not store:
// the reasons, and what `to_give`.
void require_disk(const Opened& opened, const OpenRequest& request, bool all_given, std::string_view to_give);

using PlanImage = UnitPlan (*)(const Job& job, const OpenRequest& request, Opened& opened);
using SectorsOfImage = DecryptSectors (*)(const UnitPlan& plan);

UnitPlan plan_whole_image(const Job& job, const OpenRequest& request, Opened& opened, PlanImage plan);
UnitWork image_work(DecryptSectors decrypt);
Opened open_image(const Job& job, const OpenRequest& request, PlanImage plan, SectorsOfImage sectors_of);
Description describe_image(stream::Source& source, std::string_view title, std::uint64_t header_bytes);

// The functions in the row of an image format. `plan_open` reads the header and leaves the size of the image
// to be filled in.
template <PlanImage plan_open, SectorsOfImage sectors_of, Literal title, std::uint64_t header_bytes = 0>
struct ImageRow {
  // The image, or the option's range of it.
  static Opened open(const Job& job, const OpenRequest& request) {
    return open_image(job, request, plan_open, sectors_of);
  }
  static Description describe(stream::Source& source, const OptionValues&) {
    return describe_image(source, title, header_bytes);
  }
  static constexpr Units kUnits{nullptr,
                                [](const Job& job, const OpenRequest& request, Opened& opened) {
                                  return plan_whole_image(job, request, opened, plan_open);
                                },
                                [](const UnitPlan& plan) { return image_work(sectors_of(plan)); }};
};

}  // namespace fugu::format
