// The tables of S-boxes: one table of rows, as there is one of the properties.
//
// fugu sbox table and spectrum, their help, pictures and conventions, the methods, docstrings and types of
// the Python package, and the page all iterate over the rows. A new table is a row, and a function that fills
// it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"

namespace fugu::spectral::lab {

enum class TableShape : std::uint8_t {
  by_output,  // row a below 2^n, column b below 2^m
  by_input,   // row a and column b below 2^n
  by_bit,     // row i below n, column j below m
  by_pair,    // row a 2^n + u, column b 2^m + v
  entries,    // a list
};

// How the entries are made: rows one by one, or all at once, row by row; or a list.
struct TableSource {
  void (*fill_row)(const SBox& box, std::uint32_t a, std::span<std::int32_t> row) = nullptr;
  std::vector<std::int64_t> (*all)(const SBox& box, const SBoxOptions& options) = nullptr;
  std::vector<SwitchEntry> (*list)(const SBox& box, const SBoxOptions& options) = nullptr;
  std::string_view differences = "ab";  // a value of each listed entry for each of these letters

  // For boxes with more outputs than a row has room for: column b, or the nonzero entries of row a.
  void (*fill_column)(const SBox& box, std::uint32_t b, std::span<std::int32_t> column) = nullptr;
  std::vector<DdtEntry> (*nonzero)(const SBox& box, std::uint32_t a) = nullptr;

  int divisor = 1;  // of what these make: 2 for W/2
};

struct BoxTable {
  std::string_view name;            // "ddt"
  std::string_view sage_name = {};  // in SageMath
  std::string_view title;
  std::string_view formula;  // what an entry is, in one phrase
  std::string_view source;   // where it is defined
  TableShape shape;
  std::string_view histogram = {};  // the attribute of the property that counts its entries; empty: all count
  TableSource made;
  bool is_signed = false;
  bool has_scales = false;                 // W, W/2 and W/N, of the LAT
  bool (*has)(const SBox& box) = nullptr;  // null: every box has it
  std::string_view needs = {};             // those that have it
  double entry_seconds = 0;                // about, on one core; 0: not worth mention
};

// The table, in the order of lists.
FUGU_EXPORT std::span<const BoxTable> box_tables();

// The row of a name, or null.
inline const BoxTable* find_table(std::string_view name) {
  for (const BoxTable& table : box_tables())
    if (table.name == name) return &table;
  return nullptr;
}

// The names of the tables for which `chosen` is true.
inline std::vector<std::string_view> table_names(bool (*chosen)(const BoxTable&) = nullptr) {
  std::vector<std::string_view> names;
  for (const BoxTable& table : box_tables())
    if (chosen == nullptr || chosen(table)) names.push_back(table.name);
  return names;
}

// "delta(a,b) = #{x: S(x) + S(x + a) = b} (Biham and Shamir 1991)"
FUGU_EXPORT std::string definition(const BoxTable& table);

// Throws Error{usage} for a box that lacks the table.
FUGU_EXPORT void require_has(const BoxTable& table, const SBox& box);

// Whether the box has more outputs than a row has room for, 2^kMaxOutputsOfAll entries.
FUGU_EXPORT bool is_too_wide(const BoxTable& table, const SBox& box);

// A table that is not a list, of a box that must outlive it.
struct TableRows {
  std::uint64_t rows;
  std::uint64_t columns;
  std::function<void(std::uint32_t a, std::span<std::int32_t> row)> fill;
};

// Throws Error{usage} for a box that lacks the table or is too wide.
FUGU_EXPORT TableRows rows_of(const BoxTable& table, const SBox& box, const SBoxOptions& options = {});

// Column b of a table that is made by columns too.
FUGU_EXPORT void fill_column(const BoxTable& table, const SBox& box, std::uint32_t b,
                             std::span<std::int32_t> column);

// The entries of a list, each as its differences, or what the definition has instead, and its value. Throws
// Error{usage} for a box that lacks it.
FUGU_EXPORT std::vector<std::vector<std::int64_t>> entries_of(const BoxTable& table, const SBox& box,
                                                              const SBoxOptions& options = {});

}  // namespace fugu::spectral::lab
