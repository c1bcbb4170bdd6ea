// The same for the tables of boxes: one more row.
#include <vector>

#define box_tables box_tables_of_the_library
#include "fugu/spectral/lab/box_tables.cpp"  // NOLINT(bugprone-suspicious-include): the rows, under another name
#undef box_tables

namespace fugu::spectral::lab {
namespace {

constexpr BoxTable kToyTable{
    .name = "sums",
    .title = "Table of sums",
    .formula = "S(a) + b",
    .source = "This test 2026",
    .shape = TableShape::by_output,
    .made = {.fill_row = [](const SBox& box, std::uint32_t a, std::span<std::int32_t> row) {
      for (std::size_t b = 0; b < row.size(); ++b)
        row[b] = static_cast<std::int32_t>(box[a]) + static_cast<std::int32_t>(b);
    }}};

}  // namespace

std::span<const BoxTable> box_tables() {
  static const std::vector<BoxTable> all = [] {
    const auto rows = box_tables_of_the_library();
    std::vector<BoxTable> with_toy(rows.begin(), rows.end());
    with_toy.push_back(kToyTable);
    return with_toy;
  }();
  return all;
}

}  // namespace fugu::spectral::lab
