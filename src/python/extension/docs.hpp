// What Python says of rows of the library's tables.
#pragma once

#include <string>
#include <string_view>

#include "fugu/spectral/lab/box_tables.hpp"
#include "fugu/spectral/lab/property.hpp"

namespace fugu::python {

template <class Subject>
std::string doc_of(const spectral::lab::Property<Subject>& row) {
  return definition(row) + "." + (row.is_long ? " May take minutes." : "") +
         (row.on_gpu ? " Runs on a GPU." : "");
}

// The parameters of a table's method: rows, columns (both), scales (these and the scale); list and whole have
// none.
inline std::string_view parameters_of(const spectral::lab::BoxTable& table) {
  if (table.shape == spectral::lab::TableShape::entries) return "list";
  if (table.made.all != nullptr) return "whole";
  if (table.has_scales) return "scales";
  return table.made.fill_column != nullptr ? "columns" : "rows";
}

inline std::string doc_of(const spectral::lab::BoxTable& table) {
  constexpr std::string_view kShapes[] = {"shape (2^n, 2^m)", "shape (2^n, 2^n)", "shape (n, m)",
                                          "shape (2^2n, 2^2m)",
                                          "a row for each entry; counts of 0 are left out"};
  std::string text(table.title);
  text.append(": ").append(definition(table)).append("; ");
  text.append(kShapes[static_cast<std::size_t>(table.shape)]);
  if (table.has_scales) text.append(R"(; W/2 with ``scale`` "bias", W/2^n, float64, with "correlation")");
  return text + ".";
}

}  // namespace fugu::python
