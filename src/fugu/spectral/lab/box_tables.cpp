// The one table of tables of S-boxes.
#include "fugu/spectral/lab/box_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/structure.hpp"

namespace fugu::spectral::lab {
namespace {

void lat_column(const SBox& box, std::uint32_t b, std::span<std::int32_t> column) {
  walsh_spectrum(component(box, b), column, {.threads = 1});
}

void act_column(const SBox& box, std::uint32_t b, std::span<std::int32_t> column) {
  std::ranges::transform(autocorrelation(component(box, b), {.threads = 1}), column.begin(),
                         [](std::int64_t r) { return static_cast<std::int32_t>(r); });
}

std::vector<std::int64_t> changes(const SBox& box, const SBoxOptions& options) {
  const std::vector<std::uint64_t> found = avalanche(box, options).changes;
  return {found.begin(), found.end()};
}

template <SwitchTable table>
std::vector<SwitchEntry> list(const SBox& box, const SBoxOptions& options) {
  return switch_entries(box, table, options);
}

std::vector<SwitchEntry> undisturbed(const SBox& box, const SBoxOptions& options) {
  std::vector<SwitchEntry> entries;
  for (const auto& [a, j, value] : undisturbed_bits(box, options)) entries.push_back({a, j, 0, 0, value});
  return entries;
}

std::vector<SwitchEntry> invariants(const SBox& box, const SBoxOptions& options) {
  std::vector<SwitchEntry> entries;
  std::uint32_t number = 0;
  for (const auto& [monomials, constant] : nonlinear_invariants(box, options)) {
    for (const std::uint32_t mask : monomials) entries.push_back({number, mask, 0, 0, constant});
    ++number;
  }
  return entries;
}

bool has_family(const SBox& box) {
  return box.inputs() == box.outputs() && box.inputs() <= kMaxFamilyBits && basic(box).permutation;
}
constexpr std::string_view kFamily = "permutations of up to 8 bits";

using enum TableShape;

constexpr std::array kTables{
    BoxTable{.name = "ddt",
             .sage_name = "difference_distribution_table",
             .title = "Difference distribution table",
             .formula = "delta(a,b) = #{x: S(x) + S(x + a) = b}",
             .source = "Biham and Shamir 1991",
             .shape = by_output,
             .histogram = "ddt_histogram",
             .made = {.fill_row = ddt_row, .nonzero = ddt_entries}},
    BoxTable{.name = "lat",
             .sage_name = "linear_approximation_table",
             .title = "Linear approximation table",
             .formula = "W(a,b) = sum over x of (-1)^(b.S(x) + a.x); row a input mask, column b output mask",
             .source = "Matsui 1993",
             .shape = by_output,
             .histogram = "walsh_histogram",
             .made = {.fill_row = lat_row, .fill_column = lat_column},
             .is_signed = true,
             .has_scales = true},
    BoxTable{.name = "act",
             .sage_name = "autocorrelation_table",
             .title = "Autocorrelation table",
             .formula = "r(a,b) = sum over x of (-1)^(b.(S(x) + S(x + a)))",
             .source = "Zhang and Zheng 1995",
             .shape = by_output,
             .histogram = "act_histogram",
             .made = {.fill_row = autocorrelation_row, .fill_column = act_column},
             .is_signed = true},
    BoxTable{.name = "dlct",
             .title = "Differential-linear connectivity table",
             .formula = "r(a,b) / 2",
             .source = "Bar-On et al. 2019",
             .shape = by_output,
             .histogram = "act_histogram",
             .made = {.fill_row = autocorrelation_row, .fill_column = act_column, .divisor = 2},
             .is_signed = true},
    BoxTable{.name = "bct",
             .sage_name = "boomerang_connectivity_table",
             .title = "Boomerang connectivity table",
             .formula = "beta(a,b) = #{(x,y): S(x) + S(y) = b, S(x + a) + S(y + a) = b}",
             .source = "Cid et al. 2018; Li et al. 2019",
             .shape = by_output,
             .histogram = "bct_histogram",
             .made = {.fill_row = bct_row},
             .entry_seconds = 1.2e-8},
    BoxTable{.name = "fbct",
             .title = "Feistel boomerang connectivity table",
             .formula = "#{x: S(x) + S(x + a) + S(x + b) + S(x + a + b) = 0}",
             .source = "Boukerrou et al. 2020",
             .shape = by_input,
             .histogram = "fbct_histogram",
             .made = {.fill_row = fbct_row}},
    BoxTable{.name = "dbct",
             .title = "Double boomerang connectivity table",
             .formula = "sum over b, c of UBCT(a,b,c) LBCT(b,c,d)",
             .source = "Hadipour, Bagheri and Song 2021",
             .shape = by_input,
             .histogram = "dbct_histogram",
             .made = {.all = dbct},
             .has = has_family,
             .needs = kFamily},
    BoxTable{.name = "sac",
             .title = "Strict avalanche criterion",
             .formula = "#{x: y_j changes when x_i does}; row i, column j",
             .source = "Webster and Tavares 1985",
             .shape = by_bit,
             .made = {.all = changes}},
    BoxTable{.name = "ubct",
             .title = "Upper boomerang connectivity table",
             .formula = "UBCT(a,b,d) = #{x: S(x) + S(x + a) = b, T(x) + T(x + a) = a}, T(x) = S^-1(S(x) + d)",
             .source = "Delaune, Derbez and Vavrille 2020",
             .shape = entries,
             .histogram = "ubct_histogram",
             .made = {.list = list<SwitchTable::ubct>, .differences = "abd"},
             .has = has_family,
             .needs = kFamily},
    BoxTable{.name = "lbct",
             .title = "Lower boomerang connectivity table",
             .formula = "LBCT(a,c,d) = #{x: x + T(x) = c, T(x) + T(x + a) = a}, T(x) = S^-1(S(x) + d)",
             .source = "Delaune, Derbez and Vavrille 2020",
             .shape = entries,
             .histogram = "lbct_histogram",
             .made = {.list = list<SwitchTable::lbct>, .differences = "acd"},
             .has = has_family,
             .needs = kFamily},
    BoxTable{.name = "ebct",
             .title = "Extended boomerang connectivity table",
             .formula = "EBCT(a,b,c,d) = #{x: the conditions of UBCT and of LBCT}",
             .source = "Delaune, Derbez and Vavrille 2020",
             .shape = entries,
             .histogram = "ebct_histogram",
             .made = {.list = list<SwitchTable::ebct>, .differences = "abcd"},
             .has = has_family,
             .needs = kFamily},
    BoxTable{
        .name = "division_trails",
        .title = "Division trails",
        .formula =
            "1 if v is one of the least, bit by bit, for which the ANF of y^v has an x^w with w >= u; row u, "
            "column v",
        .source = "Xiang, Zhang, Bao and Lin 2016",
        .shape = by_output,
        .made = {.all = division_trails},
        .has = [](const SBox& box) { return box.inputs() + box.outputs() <= kMaxTrailBits; },
        .needs = "boxes with n + m <= 20"},
    BoxTable{.name = "quasidifferential",
             .title = "Quasidifferential transition matrix",
             .formula = "sum over x with S(x) + S(x + a) = b of (-1)^(u.x + v.S(x)), N times D; row a N + u, "
                        "column b M + v",
             .source = "Beyne and Rijmen 2022",
             .shape = by_pair,
             .made = {.fill_row = quasidifferential_row},
             .is_signed = true,
             .has =
                 [](const SBox& box) {
                   return std::max(box.inputs(), box.outputs()) <= kMaxQuasidifferentialBits;
                 },
             .needs = "boxes with n, m <= 10",
             .entry_seconds = 5e-9},
    BoxTable{.name = "undisturbed_bits",
             .title = "Undisturbed bits",
             .formula = "(a, j, c) with bit j of S(x) + S(x + a) equal to c for all x, a != 0",
             .source = "Tezcan 2014",
             .shape = entries,
             .made = {.list = undisturbed},
             .has = [](const SBox& box) { return box.inputs() <= kMaxUndisturbedInputs; },
             .needs = "boxes with n <= 16"},
    BoxTable{.name = "nonlinear_invariants",
             .title = "Nonlinear invariants",
             .formula = "(k, mask, c): x^mask is a monomial of g_k, with g_k(S(x)) = g_k(x) + c for all x; "
                        "the g_k are a basis of "
                        "those of degree 1 and 2",
             .source = "Todo, Leander and Sasaki 2016",
             .shape = entries,
             .made = {.list = invariants},
             .has = [](const SBox& box) { return box.inputs() == box.outputs(); },
             .needs = "boxes with n = m"},
};

void divide(std::span<std::int32_t> values, int divisor) {
  if (divisor == 1) return;
  for (std::int32_t& value : values) value /= divisor;
}

std::uint64_t columns_of(const BoxTable& table, const SBox& box) {
  if (table.shape == by_bit) return static_cast<std::uint64_t>(box.outputs());
  if (table.shape == by_pair) return std::uint64_t{1} << 2 * box.outputs();
  return table.shape == by_input ? box.size() : std::uint64_t{box.last_mask()} + 1;
}

}  // namespace

std::span<const BoxTable> box_tables() {
  return kTables;
}

std::string definition(const BoxTable& table) {
  std::string text(table.formula);
  if (!table.needs.empty()) text.append("; of ").append(table.needs);
  if (!table.source.empty()) text.append(" (").append(table.source).append(")");
  return text;
}

void require_has(const BoxTable& table, const SBox& box) {
  if (table.has != nullptr && !table.has(box))
    throw Error(Errc::usage, "only " + std::string(table.needs) + " have the " + std::string(table.name));
}

bool is_too_wide(const BoxTable& table, const SBox& box) {
  return table.shape == by_output && box.outputs() > kMaxOutputsOfAll;
}

TableRows rows_of(const BoxTable& table, const SBox& box, const SBoxOptions& options) {
  require_has(table, box);
  if (is_too_wide(table, box))
    throw Error(Errc::usage, "this table has 2^" + std::to_string(box.outputs()) + " columns: at most 2^" +
                                 std::to_string(kMaxOutputsOfAll) + " are possible");
  const std::uint64_t columns = columns_of(table, box);
  if (table.made.all != nullptr) {
    return {table.shape == by_bit ? static_cast<std::uint64_t>(box.inputs()) : box.size(), columns,
            [all = table.made.all(box, options)](std::uint32_t a, std::span<std::int32_t> row) {
              const auto from = std::span(all).subspan(a * row.size(), row.size());
              std::ranges::transform(from, row.begin(),
                                     [](std::int64_t value) { return static_cast<std::int32_t>(value); });
            }};
  }
  const std::uint64_t rows = table.shape == by_pair ? std::uint64_t{box.size()} * box.size() : box.size();
  return {rows, columns, [made = table.made, &box](std::uint32_t a, std::span<std::int32_t> row) {
            made.fill_row(box, a, row);
            divide(row, made.divisor);
          }};
}

void fill_column(const BoxTable& table, const SBox& box, std::uint32_t b, std::span<std::int32_t> column) {
  table.made.fill_column(box, b, column);
  divide(column, table.made.divisor);
}

std::vector<std::vector<std::int64_t>> entries_of(const BoxTable& table, const SBox& box,
                                                  const SBoxOptions& options) {
  require_has(table, box);
  std::vector<std::vector<std::int64_t>> entries;
  for (const auto& [a, b, c, d, count] : table.made.list(box, options)) {
    const std::array<std::uint32_t, 4> values{a, b, c, d};
    std::vector<std::int64_t>& entry = entries.emplace_back();
    for (const char name : table.made.differences)
      entry.push_back(values[static_cast<std::size_t>(name - 'a')]);
    entry.push_back(count);
  }
  return entries;
}

}  // namespace fugu::spectral::lab
