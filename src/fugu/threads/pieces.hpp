// Distributes long runs of bytes over threads.
#pragma once

#include <cstddef>
#include <functional>

#include "fugu/threads/thread_pool.hpp"

namespace fugu::threads {

// Calls work(offset, size_bytes) once for each of the pieces that cover [0, bytes), on the pool's threads and
// by its rules; rethrows the first exception.
void for_each_piece(ThreadPool& pool, std::size_t bytes,
                    const std::function<void(std::size_t offset, std::size_t size_bytes)>& work);

}  // namespace fugu::threads
