// The fields of a report by name, for CSV and JSON.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "cli/sbox/report.hpp"

namespace fugu::cli {

// Decimal text of a number that may exceed 64 bits.
struct BigNumber {
  std::string digits;
};

// monostate: this box has no such value.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, BigNumber, std::string,
                          spectral::Histogram, std::vector<std::uint64_t>>;

struct Field {
  std::string_view name;
  Cell cell;
};

// The fields of a group, in the order of columns.
std::vector<std::string_view> field_names(Group group);

// The requested fields.
std::vector<Field> report_fields(const Report& report, const ReportOptions& options);

// "4:255 6:510"
std::string histogram_text(const spectral::Histogram& histogram);

// How often each value of `values` but the first occurs.
template <class Values>
spectral::Histogram histogram_of_components(const Values& values) {
  spectral::Histogram histogram;
  for (std::size_t b = 1; b < values.size(); ++b) ++histogram[static_cast<std::int64_t>(values[b])];
  return histogram;
}

spectral::Histogram nonlinearities(const spectral::Linear& linear, int inputs);

}  // namespace fugu::cli
