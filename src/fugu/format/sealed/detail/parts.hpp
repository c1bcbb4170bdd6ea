// Parts of a sealed file: a unit is a segment. Private to sealed.
#pragma once

#include "fugu/format/parts.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::format {

// Throw as encrypt_sealed() and decrypt_sealed().
PartPlan plan_sealing(std::uint64_t plain_bytes, const SealedSecret& secret, const SealedOptions& options);
PartPlan plan_opening(std::uint64_t file_bytes, const SealedHeader& header, const SealedKeys& keys);

std::uint64_t sealed_units(const PartPlan& plan);
std::uint64_t sealed_output_offset(const PartPlan& plan, std::uint64_t unit);
void run_sealed_units(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end);

}  // namespace fugu::format
