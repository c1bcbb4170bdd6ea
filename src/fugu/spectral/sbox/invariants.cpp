// Invariants of equivalence, and the comparison of boxes by them.
#include "fugu/spectral/sbox/invariants.hpp"

#include <cstdlib>
#include <unordered_map>

#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
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

using Value = std::optional<InvariantValue>;

// Ranks of more inputs take minutes.
constexpr int kQuickRankInputs = 6;

// The tables of boxes with more bits take seconds, and the autocorrelations of all components minutes.
constexpr int kQuickTableBits = 12;

// Its table of 64-bit numbers is in memory.
constexpr int kQuickGraphBits = 22;

// Before the sums of four are divided by 2^(n+m), they are at most 2^(4n+m).
bool has_sums_of_four(const SBox& box) {
  return 4 * box.inputs() + box.outputs() < 64;
}

enum class Needs : std::uint8_t { nothing, components, quick_tables, quick_graph, ranks };

struct InvariantRow {
  Equivalence equivalence;
  std::string_view name;
  std::string_view by;
  Needs needs;
  double nanoseconds;  // per entry of a 2^n x 2^m table, on a core of an EPYC; ranks: rank_seconds()
  Value (*of)(const SBox&, const SBoxOptions&);
};

template <auto property>
Value value_of(const SBox& box, const SBoxOptions& options) {
  return property(box, options);
}

template <auto measure, auto member>
Histogram part_of(const SBox& box, const SBoxOptions& options) {
  return measure(box, options).*member;
}
constexpr auto differential_spectrum = part_of<differential, &Differential::ddt>;

Histogram extended_autocorrelation(const SBox& box, const SBoxOptions& options) {
  return magnitudes(act_histogram(box, options));
}

// Too long a list to print.
template <Histogram (*of)(const SBox&, const SBoxOptions&)>
Digest digest_value(const SBox& box, const SBoxOptions& options) {
  return {digest_of(of(box, options))};
}

template <Histogram (*spectrum)(const SBox&, const SBoxOptions&)>
Value ortho_value(const SBox& box, const SBoxOptions& options) {
  if (box.inputs() != box.outputs() || differential(box, options).uniformity != 2) return std::nullopt;
  const std::optional<SBox> ortho = ortho_derivative(box);
  if (!ortho) return std::nullopt;
  return spectrum(*ortho, options);
}

template <Value (*of)(const SBox&, const SBoxOptions&)>
Value inverse_value(const SBox& box, const SBoxOptions& options) {
  if (!basic(box).permutation) return std::nullopt;
  return of(inverse(box), options);
}

constexpr std::string_view kByCarlet = "invariants (Carlet 2021)";
constexpr std::string_view kBySpectra = "invariants (Carlet, Charpin, Zinoviev 1998)";
constexpr std::string_view kBySums = "invariants (Kaleyski 2021)";
constexpr std::string_view kByRanks = "invariants (Edel, Pott 2009)";
constexpr std::string_view kByOrtho = "invariants (Canteaut, Couvreur, Perrin 2022)";
constexpr std::string_view kByAutocorrelations = "invariants (Canteaut et al. 2021)";

// CCZ first: boxes that are not CCZ-equivalent are not EA-equivalent either.
constexpr InvariantRow kInvariants[] = {
    {Equivalence::ccz, "differential spectrum", kBySpectra, Needs::nothing, 0.6,
     value_of<differential_spectrum>},
    {Equivalence::ccz, "extended Walsh spectrum", kBySpectra, Needs::components, 0.8,
     value_of<extended_walsh_spectrum>},
    {Equivalence::ccz, "Gamma rank", kByRanks, Needs::ranks, 0, value_of<gamma_rank>},
    {Equivalence::ccz, "Delta rank", kByRanks, Needs::ranks, 0, value_of<delta_rank>},
    {Equivalence::ccz, "sums of four points", kBySums, Needs::quick_graph, 20,
     value_of<digest_value<sums_of_four>>},
    {Equivalence::ea, "degrees of components", kByCarlet, Needs::components, 0.1,
     value_of<nonaffine_degrees>},
    {Equivalence::ea, "sums of squares of components", kByCarlet, Needs::components, 0.9,
     value_of<sums_digest>},
    {Equivalence::ea, "sums of four values", kBySums, Needs::quick_graph, 20,
     value_of<digest_value<sums_of_four_at_0>>},
    {Equivalence::ea, "differential spectrum of the ortho-derivative", kByOrtho, Needs::nothing, 1,
     ortho_value<differential_spectrum>},
    {Equivalence::ea, "extended Walsh spectrum of the ortho-derivative", kByOrtho, Needs::components, 1.2,
     ortho_value<extended_walsh_spectrum>},
    {Equivalence::ea, "rows of the DDT", kByCarlet, Needs::nothing, 2.7, value_of<ddt_rows_digest>},
    {Equivalence::ea, "columns of the LAT", kByCarlet, Needs::components, 3, value_of<lat_columns_digest>},
    {Equivalence::ea, "Feistel boomerang spectrum", "invariants (Boukerrou et al. 2020)", Needs::quick_tables,
     2, value_of<part_of<boomerang, &Boomerang::fbct>>},
    {Equivalence::ea, "extended autocorrelation spectrum", kByAutocorrelations, Needs::quick_tables, 1.3,
     value_of<extended_autocorrelation>},
    {Equivalence::affine, "boomerang spectrum", "invariants (Boura, Canteaut 2018)", Needs::quick_tables, 2,
     value_of<part_of<boomerang, &Boomerang::bct>>},
    {Equivalence::affine, "autocorrelation spectrum", kByAutocorrelations, Needs::quick_tables, 1.3,
     value_of<act_histogram>},
    {Equivalence::affine, "degrees of the inverse's components", kByCarlet, Needs::quick_tables, 0.1,
     inverse_value<value_of<nonaffine_degrees>>},
    {Equivalence::affine, "rows of the inverse's DDT", kByCarlet, Needs::quick_tables, 2.7,
     inverse_value<value_of<ddt_rows_digest>>},
    {Equivalence::affine, "columns of the inverse's LAT", kByCarlet, Needs::quick_tables, 3,
     inverse_value<value_of<lat_columns_digest>>},
    {Equivalence::linear, "Walsh spectrum", kByCarlet, Needs::components, 0.8,
     value_of<part_of<linear, &Linear::walsh>>},
    {Equivalence::linear, "S(0) is 0", "invariants (by definition)", Needs::nothing, 0,
     [](const SBox& box, const SBoxOptions&) -> Value { return std::uint64_t{box[0] == 0}; }}};

bool fulfils(const SBox& box, Needs needs, const InvariantOptions& options) {
  if (needs == Needs::components) return box.outputs() <= kMaxOutputsOfAll;
  if (needs == Needs::quick_tables) return std::max(box.inputs(), box.outputs()) <= kQuickTableBits;
  if (needs == Needs::quick_graph)
    return has_sums_of_four(box) && box.inputs() + box.outputs() <= kQuickGraphBits;
  return needs != Needs::ranks || (box.inputs() == box.outputs() &&
                                   box.inputs() <= (options.slow_ranks ? kMaxRankInputs : kQuickRankInputs));
}

std::vector<InvariantRow> rows_of(const SBox& box, const InvariantOptions& options) {
  std::vector<InvariantRow> rows;
  for (const InvariantRow& row : kInvariants)
    if (row.equivalence >= options.relation && fulfils(box, row.needs, options)) rows.push_back(row);
  return rows;
}

double seconds_of(const InvariantRow& row, const SBox& box, const InvariantOptions& options) {
  if (row.needs == Needs::ranks) return rank_seconds(box.inputs()) / 2;
  const double rarely_cached = std::max(box.inputs(), box.outputs()) > 16 ? 3 : 1;
  const double entries = std::exp2(box.inputs() + std::min(box.outputs(), kMaxOutputsOfAll));
  return 1e-9 * rarely_cached * row.nanoseconds * entries / detail::threads_of(options.work.threads);
}

// All invariants of some boxes of one shape, as one piece of work: a step is about a millisecond of it.
class InvariantWork {
 public:
  InvariantWork(const SBox& box, const InvariantOptions& options, std::uint64_t boxes)
      : options_(options), rows_(rows_of(box, options)) {
    std::uint64_t steps = 0;
    for (const InvariantRow& row : rows_) steps += steps_of(row, box);
    done_ = detail::begun(options.work, boxes * steps);
  }

  const std::vector<InvariantRow>& rows() const { return rows_; }

  Value value(const InvariantRow& row, const SBox& box) const {
    if (!done_) return row.of(box, options_.work);
    const std::uint64_t steps = steps_of(row, box);
    std::atomic<std::uint64_t> counted = 0;  // of the row's own steps, which a row may have only once
    std::uint64_t all = 0;
    SBoxOptions work = options_.work;
    work.begin = [&](std::uint64_t own) -> Progress {
      if (all != 0) return {};
      all = own;
      return [&](std::uint64_t count) {
        const std::uint64_t before = counted.fetch_add(count);
        done_(steps * (before + count) / all - steps * before / all);
      };
    };
    Value value = row.of(box, work);
    done_(all == 0 ? steps : steps - steps * counted / all);
    return value;
  }

 private:
  std::uint64_t steps_of(const InvariantRow& row, const SBox& box) const {
    return static_cast<std::uint64_t>(1000 * seconds_of(row, box, options_));
  }

  const InvariantOptions& options_;
  std::vector<InvariantRow> rows_;
  Progress done_;
};

// The fourth power of the graph's transform is that of the numbers of (x, y, z, w). A step is a stage.
Histogram sums_of_four(const SBox& box, std::size_t a_count, const SBoxOptions& options) {
  if (!has_sums_of_four(box))
    throw Error(Errc::usage,
                "sums of four overflow 64 bits: 4 times the inputs and the outputs are at most 63");
  const int bits = box.inputs() + box.outputs();
  const Progress done = detail::begun(options, 2 * static_cast<std::uint64_t>(bits));
  std::vector<std::int64_t> table(std::size_t{1} << bits);
  const auto transform = [&] {
    for (int stage = 0; stage < bits; ++stage) {
      walsh_stages(std::span(table), stage, 1, {.threads = 1, .stop = options.stop});
      if (done) done(1);
    }
  };
  for (std::uint32_t x = 0; x < box.size(); ++x) table[x << box.outputs() | box[x]] = 1;
  transform();
  for (std::int64_t& w : table) w = w * w * w * w;
  transform();
  std::unordered_map<std::int64_t, std::uint64_t> counts;
  const std::size_t columns = std::size_t{1} << box.outputs();
  for (std::size_t a = 0; a < a_count; ++a) {
    for (std::size_t b = 0; b < columns; ++b) ++counts[table[a * columns + b] >> bits];
    if (done) done(0);
  }
  return {counts.begin(), counts.end()};
}

std::string size_text(const SBox& box) {
  return std::to_string(box.inputs()) + " x " + std::to_string(box.outputs());
}

}  // namespace

Digest ddt_rows_digest(const SBox& box, const SBoxOptions& options) {
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
  detail::for_each_row(1, box.size(), box.size(), options, make);
  return {digest_of(std::move(digests))};
}

Digest lat_columns_digest(const SBox& box, const SBoxOptions& options) {
  detail::require_all_components(box);
  std::vector<std::uint64_t> digests(box.last_mask());
  const detail::CoordinateSigns coordinates(box);
  const auto make = [&] {
    return [&, signs = detail::ComponentSigns(coordinates), values = std::vector<std::int32_t>(box.size()),
            halves = detail::RowCounter(box.inputs(), box.size())](std::size_t b) mutable {
      signs.write(static_cast<std::uint32_t>(b), values.data());
      walsh(std::span(values), box.inputs(), {.threads = 1});
      for (const std::int32_t w : values) halves.add(static_cast<std::uint32_t>(std::abs(w) / 2), 1);
      Histogram histogram;
      halves.drain(
          [&](std::uint32_t half, std::uint32_t count) { histogram[2 * std::int64_t{half}] = count; });
      digests[b - 1] = digest_of(histogram);
    };
  };
  detail::for_each_row(1, std::size_t{box.last_mask()} + 1, 8 * box.size(), options, make);
  return {digest_of(std::move(digests))};
}

Histogram nonaffine_degrees(const SBox& box, const SBoxOptions& options) {
  const std::vector<std::int8_t> degrees = component_degrees(box, options);
  Histogram histogram;
  for (std::size_t b = 1; b < degrees.size(); ++b) ++histogram[std::max<int>(degrees[b], 1)];
  return histogram;
}

Digest sums_digest(const SBox& box, const SBoxOptions& options) {
  const Autocorrelation r = autocorrelation(box, options);
  return {digest_of(std::vector<std::uint64_t>(r.sums.begin() + 1, r.sums.end()))};
}

Histogram extended_walsh_spectrum(const SBox& box, const SBoxOptions& options) {
  return magnitudes(linear(box, options).walsh);
}

Histogram sums_of_four(const SBox& box, const SBoxOptions& options) {
  return sums_of_four(box, box.size(), options);
}

Histogram sums_of_four_at_0(const SBox& box, const SBoxOptions& options) {
  return sums_of_four(box, 1, options);
}

std::optional<Digest> ortho_digest(const SBox& box, const SBoxOptions& options) {
  const Value ddt = ortho_value<differential_spectrum>(box, options);
  if (!ddt) return std::nullopt;
  const Value walsh = ortho_value<extended_walsh_spectrum>(box, options);
  return Digest{
      digest_of(std::vector{digest_of(std::get<Histogram>(*ddt)), digest_of(std::get<Histogram>(*walsh))})};
}

std::string_view to_string(Equivalence equivalence) {
  constexpr std::string_view kNames[] = {"linear", "affine", "EA", "CCZ"};
  return kNames[static_cast<std::size_t>(equivalence)];
}

void check_same_size(const SBox& first, const SBox& second) {
  if (first.inputs() == second.inputs() && first.outputs() == second.outputs()) return;
  throw Error(Errc::mismatch, "different sizes: " + size_text(first) + " and " + size_text(second));
}

double invariant_seconds(const SBox& box, const InvariantOptions& options) {
  double seconds = 0;
  for (const InvariantRow& row : rows_of(box, options)) seconds += seconds_of(row, box, options);
  return seconds;
}

std::vector<Invariant> invariants(const SBox& box, const InvariantOptions& options) {
  const InvariantWork work(box, options, 1);
  std::vector<Invariant> all;
  for (const InvariantRow& row : work.rows())
    if (Value value = work.value(row, box)) all.push_back({row.equivalence, row.name, *std::move(value)});
  return all;
}

Comparison compare(const SBox& first, const SBox& second, const InvariantOptions& options) {
  check_same_size(first, second);
  const InvariantWork work(first, options, 2);
  Comparison comparison;
  for (const InvariantRow& row : work.rows()) {
    Value value = work.value(row, first);
    Value other = work.value(row, second);
    if (value != other) {
      comparison.difference = {row.equivalence, row.name, row.by, std::move(value), std::move(other)};
      break;
    }
    if (value) comparison.equal.push_back({row.equivalence, row.name});
  }
  return comparison;
}

}  // namespace fugu::spectral
