// Blowfish in general registers, several blocks interleaved so that their table look-ups overlap. Runs
// anywhere.
#pragma once

#include "fugu/engine/cpu/kernel.hpp"

namespace fugu::engine::cpu {

void run_scalar(Op op, const Piece& piece) noexcept;

}  // namespace fugu::engine::cpu
