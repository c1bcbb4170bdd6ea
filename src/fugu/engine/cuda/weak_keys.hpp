// The search for weak keys on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/cipher/weak_keys.hpp"
#include "fugu/device/context.hpp"

namespace fugu::engine::cuda {

// As cipher::find_weak_keys(). `done`, which may throw to end the search, is called with the number of
// finished keys. Throws Error{usage} for keys beyond 2^64 - 1, Error{engine} when the device fails.
std::vector<cipher::WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count,
                                            const device::Stream& stream,
                                            const std::function<void(std::uint64_t keys)>& done = {});

}  // namespace fugu::engine::cuda
