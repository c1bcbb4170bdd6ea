// Invariants of S-boxes, and the comparison of two boxes by them.
#include "fugu/spectral/sbox/invariants.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "python/extension/bind.hpp"
#include "python/extension/results.hpp"

namespace fugu::python {
namespace {

using spectral::SBox;

// A digest is a number here, like a rank.
using NumberOrHistogram = std::variant<std::uint64_t, spectral::Histogram>;
using InvariantTuple = std::tuple<std::string_view, std::string_view, std::optional<NumberOrHistogram>>;

NumberOrHistogram plain(const spectral::InvariantValue& value) {
  if (const auto* const histogram = std::get_if<spectral::Histogram>(&value)) return *histogram;
  if (const auto* const digest = std::get_if<spectral::Digest>(&value)) return digest->value;
  return std::get<std::uint64_t>(value);
}

std::optional<NumberOrHistogram> plain(const std::optional<spectral::InvariantValue>& value) {
  return value ? std::optional(plain(*value)) : std::nullopt;
}

// Equivalence, name and value.
std::vector<InvariantTuple> invariants(const SBox& box, bool slow_ranks) {
  const auto all = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::invariants(box, {{.stop = stop}, slow_ranks});
  });
  std::vector<InvariantTuple> tuples;
  for (const spectral::Invariant& invariant : all)
    tuples.emplace_back(to_string(invariant.equivalence), invariant.name, plain(invariant.value));
  return tuples;
}

using DifferenceTuple = std::tuple<std::string_view, std::string_view, std::optional<NumberOrHistogram>,
                                   std::optional<NumberOrHistogram>>;

// The names of the equal ones, and the first that differs.
std::pair<std::vector<std::string_view>, std::optional<DifferenceTuple>> compare(const SBox& first,
                                                                                 const SBox& second,
                                                                                 bool slow_ranks) {
  const auto [agreements, difference] = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::compare(first, second, {{.stop = stop}, slow_ranks});
  });
  std::vector<std::string_view> equal;
  for (const spectral::Agreement& agreement : agreements) equal.push_back(agreement.name);
  if (!difference) return {std::move(equal), std::nullopt};
  return {std::move(equal), DifferenceTuple(to_string(difference->equivalence), difference->name,
                                            plain(difference->first), plain(difference->second))};
}

}  // namespace

void bind_equivalence(nb::module_& module) {
  using namespace nb::literals;
  module.def("invariants", invariants, "box"_a, "slow_ranks"_a);
  module.def("compare", compare, "first"_a, "second"_a, "slow_ranks"_a);
}

}  // namespace fugu::python
