// The search for weak keys on all cores of a pool.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/cipher/keyed_boxes.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::engine::cpu {

// As cipher::find_weak_keys(). `done`, which may throw to end the search, is called with the number of
// finished keys from any thread of the pool. Throws Error{usage} for keys beyond 2^64 - 1, and for more
// pieces of work than fit a std::size_t.
std::vector<cipher::WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count,
                                            threads::ThreadPool& pool,
                                            const std::function<void(std::uint64_t keys)>& done = {});

}  // namespace fugu::engine::cpu
