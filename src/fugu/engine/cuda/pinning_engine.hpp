// An engine that is faster on memory it has pinned, and can pin memory that others allocated.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/engine/engine.hpp"

namespace fugu::engine::cuda {

class PinningEngine : public Engine {
 public:
  // `memory` stays allocated until unpin() or the engine's end. Throws Error{engine}; the memory then works
  // unpinned.
  virtual void pin(std::span<std::byte> memory) = 0;
  virtual void unpin(std::span<std::byte> memory) noexcept = 0;

  // Whether all that a call reads and writes is pinned, here or by somebody else.
  virtual bool has_pinned(std::span<const Segment> segments) const = 0;
};

}  // namespace fugu::engine::cuda
