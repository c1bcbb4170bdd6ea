// A file's work in parts that need nothing of each other, for several processes on one file.
//
// One process plans: it reads what stands at the file's beginning, asks for the secret and draws what is
// random. The others get a copy of the plan, and each runs a range of units. The outputs of all units, one
// after the other, are what Codec::seal or Codec::open write of the same random numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::format {

struct PartPlan {
  core::Direction direction = core::Direction::encrypt;
  std::uint64_t input_bytes = 0;  // of the whole input
  std::vector<std::byte> header;  // stands before the data on the encrypted side
  mode::Settings settings;        // formats of one cipher stream
  auth::SecretBytes key;          // that of the file: what its kind is, the format knows
};

// The functions of a format that can work in parts.
struct PartFunctions {
  // For a plaintext of `plain_bytes`. Throws as Codec::seal, and Error{usage} for a serial chain.
  RowFunction<PartPlan(std::uint64_t plain_bytes, const SealRequest& request)> plan_seal;

  // The job's source can seek, and its sink gets nothing. Throws as Codec::open, and Error{usage} for options
  // and findings that only a whole file goes with.
  RowFunction<PartPlan(const Job& job, const OpenRequest& request, Opened& opened)> plan_open;

  // One or more.
  RowFunction<std::uint64_t(const PartPlan& plan)> units;

  // Of the whole output, the place of this unit's first byte. The header belongs to unit 0.
  RowFunction<std::uint64_t(const PartPlan& plan, std::uint64_t unit)> output_offset;

  // Works on units [first, end). The job's source is the whole input and can seek; its sink gets the output
  // of these units. Throws as Codec::seal and Codec::open do.
  RowFunction<void(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end)> run;
};

// Null where one process does the whole file.
FUGU_EXPORT const PartFunctions* parts_of(const Codec& codec);

}  // namespace fugu::format
