// Blowfish byte-sliced in AVX-512 registers: no look-up touches memory at an address that depends on data.
//
// The state of 64 blocks is eight planes of 64 bytes, plane j holding byte j of every block. A 256-byte table
// is four registers that byte permutes index; 32-bit additions run plane by plane with carries in mask
// registers. Needs AVX-512 F, BW, VL and VBMI (Ice Lake, Zen 4 and later).
#pragma once

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/cpu/kernel.hpp"

namespace fugu::engine::cpu {

// The form of the look-up that suits the CPU: over two registers at a time, one step on AMD's cores and three
// on Intel's, or masked over one. Null where the CPU lacks what both need.
Kernel avx512vbmi_kernel(const core::CpuFeatures& features) noexcept;

}  // namespace fugu::engine::cpu
