// The search for weak keys on all cores of a pool.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/cipher/weak_keys.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::engine::cpu {

// What cipher::find_weak_keys() finds. `done`, which may throw to end the search, is told of keys as they are
// done, from any thread of the pool. Throws Error{usage} for keys beyond 2^64 - 1, and for more pieces of
// work than a std::size_t counts.
std::vector<cipher::WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count,
                                            threads::ThreadPool& pool,
                                            const std::function<void(std::uint64_t keys)>& done = {});

}  // namespace fugu::engine::cpu
