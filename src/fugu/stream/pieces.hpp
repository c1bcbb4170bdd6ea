// Transfers in pieces, on several threads at a time. Private to stream.
#pragma once

#include <cstddef>
#include <functional>

#include "fugu/threads/thread_pool.hpp"

namespace fugu::stream {

// Smaller transfers, and those of one thread, are not worth sharing out.
inline constexpr std::size_t kLeastSharedBytes = std::size_t{2} << 20;

// Calls work(offset, bytes) for pieces that cover [0, bytes), each once, on the pool's threads. Rethrows the
// first failure after all pieces have ended.
void for_each_piece(threads::ThreadPool& pool, std::size_t bytes,
                    const std::function<void(std::size_t offset, std::size_t bytes)>& work);

}  // namespace fugu::stream
