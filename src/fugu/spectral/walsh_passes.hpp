// The passes over memory that a transform larger than the cache is made of. Internal: walsh, boolean and
// dyadic share them, so that the last pass can do more than write.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "fugu/spectral/walsh_kernels.hpp"

namespace fugu::spectral::detail {

// 256 KiB: fits the second-level cache of every CPU this is meant for.
template <class T>
inline constexpr int kSecondLevelBits = sizeof(T) == 8 ? 15 : 16;

// Every stage of one row except those of its last column pass; returns the first stage that is left, or
// log2_size when the row was done in one go.
template <class T>
int all_but_last_pass(const WalshKernels<T>& kernels, std::span<T> row, int log2_size, unsigned threads);

// The stages [first, log2_size) in place.
template <class T>
void last_pass(const WalshKernels<T>& kernels, std::span<T> row, int first, int log2_size, unsigned threads);

// The stages [first, log2_size), whose results are handed out tile by tile instead of written: `visit` gets
// the tile's values and the index of the thread-private slot in [0, threads).
template <class T>
void visit_last_pass(const WalshKernels<T>& kernels, std::span<const T> row, int first, int log2_size,
                     unsigned threads, const std::function<void(std::span<const T> tile)>& visit);

}  // namespace fugu::spectral::detail
