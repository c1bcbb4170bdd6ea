#include "fugu/spectral/sbox/equivalence.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/differential.hpp"

namespace fugu::spectral {
namespace {

using Value = std::optional<InvariantValue>;

// Ranks of more inputs take minutes.
constexpr int kQuickRankInputs = 6;

struct InvariantRow {
  Equivalence equivalence;
  std::string_view name;
  Value (*of)(const SBox&, const InvariantOptions&);
};

template <std::uint64_t (*rank)(const SBox&, const SBoxOptions&, const RowsDone&)>
Value rank_value(const SBox& box, const InvariantOptions& options) {
  if (!has_ranks(box, options)) return std::nullopt;
  return rank(box, options.work, options.done);
}

template <std::uint64_t (*digest)(const SBox&, const SBoxOptions&)>
Value digest_value(const SBox& box, const InvariantOptions& options) {
  return Digest{digest(box, options.work)};
}

// The value is a property over all components.
template <auto property>
Value component_value(const SBox& box, const InvariantOptions& options) {
  if (box.outputs() > kMaxOutputsOfAll) return std::nullopt;
  if constexpr (std::is_same_v<decltype(property(box, options.work)), Histogram>)
    return property(box, options.work);
  else
    return Digest{property(box, options.work)};
}

Histogram differential_spectrum(const SBox& box, const SBoxOptions& options) {
  return differential(box, options).ddt;
}

template <Histogram (*spectrum)(const SBox&, const SBoxOptions&)>
Value ortho_value(const SBox& box, const InvariantOptions& options) {
  if (box.inputs() != box.outputs() || differential(box, options.work).uniformity != 2) return std::nullopt;
  const std::optional<SBox> ortho = ortho_derivative(box);
  if (!ortho) return std::nullopt;
  return spectrum(*ortho, options.work);
}

// CCZ first: boxes that are not CCZ-equivalent are not EA-equivalent either.
constexpr InvariantRow kInvariants[] = {
    {Equivalence::ccz, "differential spectrum",
     [](const SBox& box, const InvariantOptions& options) -> Value {
       return differential_spectrum(box, options.work);
     }},
    {Equivalence::ccz, "extended Walsh spectrum", component_value<extended_walsh_spectrum>},
    {Equivalence::ccz, "Gamma rank", rank_value<gamma_rank>},
    {Equivalence::ccz, "Delta rank", rank_value<delta_rank>},
    {Equivalence::ea, "degrees of components", component_value<nonaffine_degrees>},
    {Equivalence::ea, "sums of squares of components", component_value<sums_digest>},
    {Equivalence::ea, "differential spectrum of the ortho-derivative", ortho_value<differential_spectrum>},
    {Equivalence::ea, "extended Walsh spectrum of the ortho-derivative",
     ortho_value<extended_walsh_spectrum>},
    {Equivalence::ea, "rows of the DDT", digest_value<ddt_rows_digest>},
    {Equivalence::ea, "columns of the LAT", component_value<lat_columns_digest>}};

std::string size_text(const SBox& box) {
  return std::to_string(box.inputs()) + " x " + std::to_string(box.outputs());
}

}  // namespace

std::string_view to_string(Equivalence equivalence) {
  return equivalence == Equivalence::ea ? "EA" : "CCZ";
}

bool has_ranks(const SBox& box, const InvariantOptions& options) {
  const int most = options.slow_ranks ? kMaxRankInputs : kQuickRankInputs;
  return box.inputs() == box.outputs() && box.inputs() <= most;
}

std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options) {
  std::vector<Invariant> all;
  for (const InvariantRow& row : kInvariants) {
    if (Value value = row.of(box, options)) all.push_back({row.equivalence, row.name, *std::move(value)});
  }
  return all;
}

Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options) {
  if (first.inputs() != second.inputs() || first.outputs() != second.outputs())
    throw Error(Errc::mismatch, "different sizes: " + size_text(first) + " and " + size_text(second));
  Comparison comparison;
  for (const InvariantRow& row : kInvariants) {
    Value value = row.of(first, options);
    Value other = row.of(second, options);
    if (value != other) {
      comparison.difference = {row.equivalence, row.name, std::move(value), std::move(other)};
      break;
    }
    if (value) comparison.equal.push_back({row.equivalence, row.name});
  }
  return comparison;
}

}  // namespace fugu::spectral
