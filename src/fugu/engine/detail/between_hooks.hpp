// Engine::run_with() for engines that run no hooks themselves. Private to engine.
#pragma once

#include "fugu/engine/engine.hpp"

namespace fugu::engine {

// As threads::ThreadPool::for_each().
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& turn)>;

// Calls all hooks before, and all after, engine.run(), by `for_each`.
void run_between_hooks(Engine& engine, Op op, std::span<const Segment> segments, const SegmentHooks& hooks,
                       const ForEach& for_each);

}  // namespace fugu::engine
