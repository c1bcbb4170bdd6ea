// Parts of a file that is one cipher stream after a header, which may be empty. Private to format.
#pragma once

#include "fugu/format/parts.hpp"

namespace fugu::format {

// Throws Error{usage} when a block needs the one before it processed.
PartPlan cipher_plan(core::Direction direction, std::uint64_t input_bytes, std::span<const std::byte> header,
                     const mode::Settings& settings, std::span<const std::byte> key);

std::uint64_t cipher_units(const PartPlan& plan);
std::uint64_t cipher_output_offset(const PartPlan& plan, std::uint64_t unit);
void run_cipher_units(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end);

}  // namespace fugu::format
