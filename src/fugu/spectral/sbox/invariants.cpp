// Invariants of equivalence, and the comparison of boxes by them.
#include "fugu/spectral/sbox/invariants.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/detail/gf2.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"

namespace fugu::spectral {

namespace {

// FNV-1a of 64 bits (Fowler, Noll, Vo: draft-eastlake-fnv).
class Fnv {
 public:
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) {
      state_ ^= word >> (8 * i) & 0xff;
      state_ *= 0x100000001b3u;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

std::uint64_t digest_of(const Histogram& histogram) {
  Fnv digest;
  for (const auto& [value, count] : histogram) {
    digest.add(static_cast<std::uint64_t>(value));
    digest.add(count);
  }
  return digest.value();
}

std::uint64_t digest_of(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  Fnv digest;
  for (const std::uint64_t value : values) digest.add(value);
  return digest.value();
}

Histogram magnitudes(const Histogram& values) {
  Histogram extended;
  for (const auto& [value, count] : values) extended[std::abs(value)] += count;
  return extended;
}

// The rank of [u + v in D] over the points u, v of F_2^2n, D given by its indicator.
std::uint64_t rank_of(const std::vector<std::uint32_t>& members, int bits, const SBoxOptions& options) {
  const std::size_t points = std::size_t{1} << bits;
  const Progress done = detail::begun(options, points);
  detail::BitBasis basis(points);
  std::vector<std::uint64_t> row(basis.words());
  for (std::uint32_t u = 0; u < points; ++u) {
    detail::throw_if_stopped(options.stop);
    std::ranges::fill(row, 0);
    for (const std::uint32_t member : members) {
      const std::uint32_t v = member ^ u;
      row[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    basis.add(row);
    if (done) done(1);
  }
  return basis.rank();
}

void check_rank(const SBox& box) {
  if (box.inputs() == box.outputs() && box.inputs() <= kMaxRankInputs) return;
  throw Error(Errc::usage, "ranks of " + std::to_string(box.inputs()) + " inputs and " +
                               std::to_string(box.outputs()) +
                               " outputs: as many as each other, and at most " +
                               std::to_string(kMaxRankInputs) + ", are possible");
}

// The vector orthogonal to all values, which span a space of dimension n - 1.
std::optional<std::uint32_t> orthogonal_to(const SBox& box, std::uint32_t a) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t b = 1; b < box.size(); ++b) {
    const std::uint32_t start = box[a] ^ box[0];
    bool orthogonal = true;
    for (std::size_t x = 0; x < box.size() && orthogonal; ++x)
      orthogonal = std::popcount(b & (box[x] ^ box[x ^ a] ^ start)) % 2 == 0;
    if (!orthogonal) continue;
    if (found) return std::nullopt;
    found = b;
  }
  return found;
}

}  // namespace

std::uint64_t ddt_rows_digest(const SBox& box, const SBoxOptions& options) {
  std::vector<std::uint64_t> digests(box.size() - 1);
  const auto make = [&] {
    return [&, row = detail::RowCounter(box.outputs(), box.size() / 2)](std::size_t a) mutable {
      detail::for_each_pair(box, static_cast<std::uint32_t>(a),
                            [&](std::uint32_t, std::uint32_t b) { row.add(b, 2); });
      Histogram histogram;
      row.drain([&](std::uint32_t, std::uint32_t count) { ++histogram[count]; });
      digests[a - 1] = digest_of(histogram);
    };
  };
  detail::for_each_row(1, box.size(), box.size(), options, make, [](const auto&) {});
  return digest_of(std::move(digests));
}

std::uint64_t lat_columns_digest(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  std::vector<std::uint64_t> digests(box.last_mask());
  const detail::CoordinateSigns coordinates(box);
  const auto make = [&] {
    return [&, signs = detail::ComponentSigns(coordinates),
            values = std::vector<std::int32_t>(box.size())](std::size_t b) mutable {
      signs.write(static_cast<std::uint32_t>(b), values.data());
      walsh(std::span(values), box.inputs(), {.threads = 1});
      Histogram histogram;
      for (const std::int32_t w : values) ++histogram[std::abs(w)];
      digests[b - 1] = digest_of(histogram);
    };
  };
  detail::for_each_row(1, std::size_t{box.last_mask()} + 1, 8 * box.size(), options, make,
                       [](const auto&) {});
  return digest_of(std::move(digests));
}

Histogram nonaffine_degrees(const SBox& box, const SBoxOptions& options) {
  const std::vector<std::int8_t> degrees = component_degrees(box, options);
  Histogram histogram;
  for (std::size_t b = 1; b < degrees.size(); ++b) ++histogram[std::max<int>(degrees[b], 1)];
  return histogram;
}

std::uint64_t sums_digest(const SBox& box, const SBoxOptions& options) {
  const Autocorrelation r = autocorrelation(box, options);
  return digest_of(std::vector<std::uint64_t>(r.sums.begin() + 1, r.sums.end()));
}

Histogram extended_walsh_spectrum(const SBox& box, const SBoxOptions& options) {
  return magnitudes(linear(box, options).walsh);
}

std::uint64_t gamma_rank(const SBox& box, const SBoxOptions& options) {
  check_rank(box);
  std::vector<std::uint32_t> graph;
  for (std::uint32_t x = 0; x < box.size(); ++x) graph.push_back(x << box.outputs() | box[x]);
  return rank_of(graph, 2 * box.inputs(), options);
}

std::uint64_t delta_rank(const SBox& box, const SBoxOptions& options) {
  check_rank(box);
  std::vector<std::uint32_t> differences;
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    for (const DdtEntry& entry : ddt_entries(box, a)) differences.push_back(a << box.outputs() | entry.b);
  }
  return rank_of(differences, 2 * box.inputs(), options);
}

// N^2 rows of N^2 bits, each reduced by up to as many; 375 s for power:8:126 on a core of an EPYC.
double rank_seconds(int inputs) {
  return 1.3e-12 * std::exp2(6 * inputs);
}

std::optional<SBox> ortho_derivative(const SBox& box) {
  if (box.inputs() != box.outputs() || degree(box) != 2) return std::nullopt;
  std::vector<std::uint32_t> values(box.size());
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    const std::optional<std::uint32_t> orthogonal = orthogonal_to(box, a);
    if (!orthogonal) return std::nullopt;
    values[a] = *orthogonal;
  }
  return SBox(box.inputs(), box.outputs(), std::move(values));
}

namespace {

using Value = std::optional<InvariantValue>;

// Ranks of more inputs take minutes.
constexpr int kQuickRankInputs = 6;

struct InvariantRow {
  Equivalence equivalence;
  std::string_view name;
  Value (*of)(const SBox&, const InvariantOptions&);
};

template <std::uint64_t (*rank)(const SBox&, const SBoxOptions&)>
Value rank_value(const SBox& box, const InvariantOptions& options) {
  if (!has_ranks(box, options)) return std::nullopt;
  return rank(box, options.work);
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

// Tables of more bits take seconds, and autocorrelations of all components minutes.
constexpr int kQuickTableBits = 12;

bool has_quick_tables(const SBox& box) {
  return std::max(box.inputs(), box.outputs()) <= kQuickTableBits;
}

template <Histogram Boomerang::*spectrum>
Value boomerang_value(const SBox& box, const InvariantOptions& options) {
  if (!has_quick_tables(box)) return std::nullopt;
  return boomerang(box, options.work).*spectrum;
}

template <Value (*of)(const SBox&, const InvariantOptions&)>
Value inverse_value(const SBox& box, const InvariantOptions& options) {
  if (!has_quick_tables(box) || !basic(box).permutation) return std::nullopt;
  return of(inverse(box), options);
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
    {Equivalence::ea, "columns of the LAT", component_value<lat_columns_digest>},
    {Equivalence::ea, "Feistel boomerang spectrum", boomerang_value<&Boomerang::fbct>},
    {Equivalence::ea, "extended autocorrelation spectrum",
     [](const SBox& box, const InvariantOptions& options) -> Value {
       if (!has_quick_tables(box)) return std::nullopt;
       return magnitudes(act_histogram(box, options.work));
     }},
    {Equivalence::affine, "boomerang spectrum", boomerang_value<&Boomerang::bct>},
    {Equivalence::affine, "autocorrelation spectrum",
     [](const SBox& box, const InvariantOptions& options) -> Value {
       if (!has_quick_tables(box)) return std::nullopt;
       return act_histogram(box, options.work);
     }},
    {Equivalence::affine, "degrees of the inverse's components",
     inverse_value<component_value<nonaffine_degrees>>},
    {Equivalence::affine, "rows of the inverse's DDT", inverse_value<digest_value<ddt_rows_digest>>},
    {Equivalence::affine, "columns of the inverse's LAT", inverse_value<component_value<lat_columns_digest>>},
    {Equivalence::linear, "Walsh spectrum",
     [](const SBox& box, const InvariantOptions& options) -> Value {
       if (box.outputs() > kMaxOutputsOfAll) return std::nullopt;
       return linear(box, options.work).walsh;
     }},
    {Equivalence::linear, "S(0) is 0",
     [](const SBox& box, const InvariantOptions&) -> Value { return std::uint64_t{box[0] == 0}; }}};

std::string size_text(const SBox& box) {
  return std::to_string(box.inputs()) + " x " + std::to_string(box.outputs());
}

}  // namespace

std::string_view to_string(Equivalence equivalence) {
  constexpr std::string_view kNames[] = {"linear", "affine", "EA", "CCZ"};
  return kNames[static_cast<std::size_t>(equivalence)];
}

void check_same_size(const SBox& first, const SBox& second) {
  if (first.inputs() == second.inputs() && first.outputs() == second.outputs()) return;
  throw Error(Errc::mismatch, "different sizes: " + size_text(first) + " and " + size_text(second));
}

bool has_ranks(const SBox& box, const InvariantOptions& options) {
  const int most = options.slow_ranks ? kMaxRankInputs : kQuickRankInputs;
  return box.inputs() == box.outputs() && box.inputs() <= most;
}

// Most of the time beside the ranks goes to the columns of the LAT and the rows of the DDT: 1.8 s for
// permutation:13:1 on a core of an EPYC.
double invariant_seconds(const SBox& box, const InvariantOptions& options) {
  const double entries = std::exp2(box.inputs() + std::min(box.outputs(), kMaxOutputsOfAll));
  return 3e-8 * entries + (has_ranks(box, options) ? rank_seconds(box.inputs()) : 0);
}

std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options) {
  std::vector<Invariant> all;
  for (const InvariantRow& row : kInvariants) {
    if (row.equivalence < options.relation) continue;
    if (Value value = row.of(box, options)) all.push_back({row.equivalence, row.name, *std::move(value)});
  }
  return all;
}

Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options) {
  check_same_size(first, second);
  Comparison comparison;
  for (const InvariantRow& row : kInvariants) {
    if (row.equivalence < options.relation) continue;
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
