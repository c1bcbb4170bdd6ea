// CPU kernels, each of which performs one operation on one contiguous run of blocks, on the calling thread,
// and the one table of them: which exist, and which of them this CPU can run.
//
// Rules: any number of blocks, any alignment, in place or disjoint; nothing is allocated or thrown; secrets
// that a kernel puts in memory are wiped before it returns. Which thread runs which piece is cpu_engine's
// business.
#pragma once

#include <memory>
#include <string>

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/engine.hpp"

namespace fugu::engine::cpu {

// A part of a segment that does not depend on the part before it.
struct Piece {
  const cipher::Schedule* schedule;
  std::uint64_t chain;  // ctr: the counter of in[0]; cbc, cfb: image of the ciphertext block before it
  const std::byte* in;
  std::byte* out;
  std::size_t blocks;
  core::ByteOrder words;
  core::ByteOrder counter;
};

using Kernel = void (*)(Op op, const Piece& piece) noexcept;

// Runs anywhere.
void run_scalar(Op op, const Piece& piece) noexcept;

// Null if the CPU lacks a feature that it needs.
Kernel avx512vbmi_kernel(const core::CpuFeatures& features) noexcept;

struct KernelRow {
  const char* name;  // the engine's
  const char* needs;
  std::string (*missing)(const core::CpuFeatures& features);     // empty: it can run
  Kernel (*kernel)(const core::CpuFeatures& features) noexcept;  // null if the processor cannot run it
  double byte_seconds;  // of a file in memory, on one core; auto decides by it until the machine is measured
};

// Best first.
std::span<const KernelRow> kernels() noexcept;

// The best that can run.
Kernel best_kernel(const core::CpuFeatures& features) noexcept;

// Any of them as an Engine, which cuts segments into pieces and runs them on all threads. `name` has static
// storage. `threads` 0: as many as this process may run on.
std::unique_ptr<Engine> make_cpu_engine(std::string_view name, Kernel kernel, unsigned threads);

}  // namespace fugu::engine::cpu
