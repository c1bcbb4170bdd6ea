// A CPU kernel performs one operation on one contiguous run of blocks, on the calling thread.
//
// Rules: any number of blocks, any alignment, in place or disjoint; nothing is allocated or thrown; secrets
// that a kernel puts in memory are wiped before it returns. Which thread runs which piece is cpu_engine's
// business.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace fugu::engine::cpu
