// Replaces the table of properties of boxes by the same table with one more row, as codecs_and_toy.cpp does
// with the formats.
#include <cstdint>
#include <numeric>
#include <vector>

#include "fugu/spectral/lab/box.hpp"

#define box_properties box_properties_of_the_library
#include "fugu/spectral/lab/box_properties.cpp"  // NOLINT(bugprone-suspicious-include): the rows, under another name
#undef box_properties

namespace fugu::spectral::lab {
namespace {

constexpr BoxProperty kToy = property<Box>(
    "toy", "sum_of_values", Group::structure, Computation::values, "Sum of S(x) over all x", "This test 2026",
    [](Box& s) {
      const auto values = s.values().values();
      return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    },
    "sum of values");

}  // namespace

std::span<const BoxProperty> box_properties() {
  static const std::vector<BoxProperty> all = [] {
    const auto rows = box_properties_of_the_library();
    std::vector<BoxProperty> with_toy(rows.begin(), rows.end());
    with_toy.push_back(kToy);
    return with_toy;
  }();
  return all;
}

}  // namespace fugu::spectral::lab
