// Histograms of table rows whose entries, scaled down, fit bytes. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/spectral/detail/walsh_kernels.hpp"

namespace fugu::spectral::detail {

// For rows of at least 64 entries, a multiple of 64.
class ByteRows {
 public:
  // Adds the number of entries equal to v to counts[v]. Returns false and adds nothing if an entry is larger
  // than kLargest or has wrapped, which the entries' `sum` reveals.
  bool count(std::span<const std::uint8_t> row, std::uint64_t sum, std::span<std::uint64_t> counts) const {
    const ByteSummary found = kernels_.summarize_bytes(row.data(), row.size());
    if (found.sum != sum || found.largest > kLargest) return false;
    // The number of ones follows from the sum, and that of zeros from the row's size.
    std::uint64_t ones = sum;
    std::uint64_t zeros = row.size();
    for (std::size_t least = 2; least <= found.largest; least += kEqualCounts) {
      std::array<std::uint32_t, kEqualCounts> equal;
      kernels_.count_equal(row.data(), row.size(), static_cast<std::uint8_t>(least), equal.data());
      for (std::size_t i = 0; i < equal.size() && least + i <= found.largest; ++i) {
        counts[least + i] += equal[i];
        ones -= (least + i) * equal[i];
        zeros -= equal[i];
      }
    }
    counts[1] += ones;
    counts[0] += zeros - ones;
    return true;
  }

  static constexpr std::size_t kLargest = 1 + 4 * kEqualCounts;  // comparing takes four passes then

 private:
  NarrowKernels kernels_ = narrow_kernels(best_isa());
};

}  // namespace fugu::spectral::detail
