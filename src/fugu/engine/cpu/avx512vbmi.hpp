// Blowfish byte-sliced in AVX-512 registers: no look-up of the kernel touches memory at a data-dependent
// address. Those of an encryption on this engine do: short rests, serial chains and key schedules are scalar.
//
// The state of 64 blocks is eight planes of 64 bytes, plane j holding byte j of every block. A 256-byte table
// is four registers indexed by byte permutes; 32-bit additions run plane by plane with carries in mask
// registers. Needs AVX-512 F, BW, VL and VBMI (Ice Lake, Zen 4 and later).
#pragma once

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/cpu/kernel.hpp"

namespace fugu::engine::cpu {

// The look-up that suits the CPU: two-register permutes (one micro-operation on AMD's cores, three on
// Intel's), or masked permutes of one register. Null if the CPU lacks a feature that both need.
Kernel avx512vbmi_kernel(const core::CpuFeatures& features) noexcept;

}  // namespace fugu::engine::cpu
