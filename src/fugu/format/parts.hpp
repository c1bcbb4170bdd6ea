// Splits a file's work into independent parts, for several processes on one file.
//
// One process plans: it reads the header, asks for the secret and draws random values. The others get a copy
// of the plan, and each runs a range of units. The concatenated outputs of all units equal what Codec::seal
// or Codec::open writes with the same random values.
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
  std::vector<std::byte> header;  // precedes the data on the encrypted side
  mode::Settings settings;        // for formats of one cipher stream
  auth::SecretBytes key;          // the file's secret; the format knows its kind
};

// The functions of a format that can work in parts.
struct PartFunctions {
  // Plans for a plaintext of `plain_bytes`. Throws as Codec::seal, and Error{usage} for a serial chain.
  PartPlan (*plan_seal)(std::uint64_t plain_bytes, const SealRequest& request) = nullptr;

  // The job's source is seekable; nothing is written to its sink. Throws as Codec::open, and Error{usage} for
  // options and findings that need the whole file.
  PartPlan (*plan_open)(const Job& job, const OpenRequest& request, Opened& opened) = nullptr;

  // The number of units, at least 1.
  std::uint64_t (*units)(const PartPlan& plan) = nullptr;

  // The offset of this unit's first byte in the whole output. The header belongs to unit 0.
  std::uint64_t (*output_offset)(const PartPlan& plan, std::uint64_t unit) = nullptr;

  // Processes units [first, end). The job's source is the whole input and seekable; its sink gets the output
  // of these units. Throws as Codec::seal and Codec::open do.
  void (*run)(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end) = nullptr;
};

// Null when one process must process the whole file.
FUGU_EXPORT const PartFunctions* parts_of(const Codec& codec);

}  // namespace fugu::format
