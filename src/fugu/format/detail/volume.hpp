// Disk images whose sectors are encrypted each on its own. Private to format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/format/units.hpp"

namespace fugu::format {

inline constexpr std::size_t kSectorBytes = 512;

// Decrypts whole sectors in place; `first` is the number of the first, from 0. Thread-safe.
using DecryptSectors =
    std::function<void(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first)>;

// Throws Error{damaged} for the size of an image that ends inside a sector.
void require_whole_sectors(std::uint64_t bytes);

// The same for a file that is an image, if its size is known, and for an empty one.
void require_image(const stream::Source& source);

// The numbers first, first + 1, ..., as little-endian blocks encrypted under `schedule`, in the form of
// engine::Segment::iv.
core::WipedVector<std::uint64_t> encrypted_numbers(engine::Engine& engine, const cipher::Schedule& schedule,
                                                   std::uint64_t first, std::size_t count);

// CBC with an IV per sector. `ivs` are in the form of engine::Segment::iv.
void decrypt_cbc_sectors(engine::Engine& engine, const cipher::Schedule& schedule, core::ByteOrder words,
                         std::span<std::byte> sectors, core::WipedVector<std::uint64_t> ivs);

// Decrypts what is left of `source`, sectors from number `first` on, into `sink`.
void pump_sectors(const Job& job, stream::Source& source, stream::Sink& sink, const DecryptSectors& decrypt,
                  std::uint64_t first, std::optional<std::uint64_t> bytes);

// Decrypts a range of the image that begins at byte `begin` of the job's seekable source. Throws Error{usage}
// for a range that begins after its end.
void decrypt_range(const Job& job, std::uint64_t begin, std::uint64_t bytes, const Range& range,
                   const DecryptSectors& decrypt);

// What the beginning of an image that is the whole file shows: magic numbers, and empty sectors, which also
// prove the rule for IVs. Nothing of a pipe.
Evidence disk_evidence(const Job& job, const DecryptSectors& decrypt);

// A row's plan_open for the units of a whole image: `plan_open` leaves its size to be filled in.
template <UnitPlan (*plan_open)(const Job&, const OpenRequest&, Opened&)>
UnitPlan plan_whole_image(const Job& job, const OpenRequest& request, Opened& opened) {
  if (request.options.has("range")) throw Error(Errc::usage, "a range cannot be worked on in parts");
  const std::uint64_t bytes = file_bytes(job.source);
  UnitPlan plan = plan_open(job, request, opened);
  plan.input_bytes = bytes;
  return plan;
}

// The units of an image.
UnitWork sector_work(DecryptSectors decrypt);

// A row's open: the image, or the option's range of it, behind the header that `plan_open` reads.
Opened open_image(const Job& job, const OpenRequest& request,
                  UnitPlan (*plan_open)(const Job&, const OpenRequest&, Opened&),
                  DecryptSectors (*sectors_of)(const UnitPlan&));

// A row's describe: the size of the image behind a header of this size.
Description describe_image(stream::Source& source, std::string title, std::uint64_t header_bytes);

}  // namespace fugu::format
