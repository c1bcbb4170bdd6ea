// Distributes rows and components of an S-box's tables over threads. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// Below this much work, in table entries, starting threads costs more than it saves.
inline constexpr std::uint64_t kParallelEntries = std::uint64_t{1} << 20;

// Enough for even shares, and few enough that one worker each costs nothing.
inline constexpr std::size_t kPieces = 64;

// For ranges that cover [first, last): make() a worker, call worker(index) for each index of the range, then
// merge(worker), one at a time. `entries` is the work per index.
template <class Make, class Merge>
void for_each_row(std::size_t first, std::size_t last, std::uint64_t entries, const SBoxOptions& options,
                  Make make, Merge merge) {
  const std::size_t count = last - first;
  const bool small = count * entries < kParallelEntries;
  const Workers workers(small ? 1 : options.threads, nullptr, options.stop);
  std::mutex merging;
  workers.for_ranges(count, count / kPieces + 1, [&](std::size_t from, std::size_t to) {
    auto worker = make();
    for (std::size_t i = from; i < to; ++i) {
      throw_if_stopped(options.stop);
      worker(first + i);
    }
    const std::lock_guard lock(merging);
    merge(worker);
  });
}

// visit(x, S(x) + S(x + a)) for one x of each pair {x, x + a}; a != 0.
template <class Visit>
void for_each_pair(const SBox& box, std::uint32_t a, Visit visit) {
  const std::uint32_t high = std::bit_floor(a);
  const auto size = static_cast<std::uint32_t>(box.size());
  const std::uint32_t* const s = box.values().data();
  for (std::uint32_t block = 0; block < size; block += 2 * high) {
    for (std::uint32_t x = block; x < block + high; ++x) visit(x, s[x] ^ s[x ^ a]);
  }
}

}  // namespace fugu::spectral::detail
