// Which computations a box has, and how long they take.
#include <algorithm>
#include <cmath>

#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/lab/box.hpp"

namespace fugu::spectral::lab {
namespace {

constexpr double kGpuSecondsPerMask = 4e-11;  // from a count of the kernel's instructions

// Up to 16 bits, tables are counted in bytes and 16-bit integers.
bool is_narrow(int inputs, int outputs) {
  return std::max(inputs, outputs) <= 16;
}

double table_seconds(int inputs, int outputs) {
  return std::exp2(inputs + outputs) * (is_narrow(inputs, outputs) ? 6e-10 : 2e-9);
}

bool has_all(int /*inputs*/, int outputs) {
  return outputs <= kMaxOutputsOfAll;
}

bool has_signs(int /*inputs*/, int outputs) {
  return outputs <= kMaxTransparencyOutputs;
}

bool is_square(int inputs, int outputs, int most) {
  return inputs == outputs && inputs <= most;
}

// The computations that not every box has, or that take time.
struct ComputationRow {
  Computation computation;
  bool (*has)(int inputs, int outputs) = nullptr;        // null: every box
  double (*seconds)(int inputs, int outputs) = nullptr;  // on one core of an EPYC at its slowest
  std::string_view what = {};                            // its steps; empty: it is never long
  std::string_view unit = {};
};
constexpr ComputationRow kComputations[] = {
    {Computation::differential, nullptr,
     [](int n, int m) { return std::exp2(2 * n) * (is_narrow(n, m) ? 4e-10 : 2e-9); },
     "the rows of the difference distribution table", "rows"},
    {Computation::linear, has_all, table_seconds, "the spectra of all components", "steps"},
    {Computation::autocorrelation, has_all, table_seconds, "the autocorrelations", "steps"},
    {Computation::component_degrees, has_all},
    {Computation::all_components, has_all, table_seconds},
    {Computation::single_components, nullptr,
     [](int n, int m) { return has_all(n, m) ? table_seconds(n, m) : 0; }},
    {Computation::boomerang, nullptr,  // for a random permutation
     [](int n, int m) { return std::exp2(2 * n) * (is_narrow(n, m) ? 2e-9 : 1.2e-8); },
     "the boomerang tables", "rows"},
    {Computation::immunities, [](int n, int m) { return std::max(n, m) <= kMaxImmunityBits; }},
    {Computation::exhaustive, [](int n, int /*m*/) { return n <= kMaxExhaustiveInputs; }, nullptr,
     "all 2^{}-1 components", "masks"},
    {Computation::family, [](int n, int m) { return is_square(n, m, kMaxFamilyBits); },
     [](int n, int /*m*/) { return std::exp2(3 * n) * 1e-9; }},
    {Computation::transparency, has_signs, [](int n, int m) { return std::exp2(n + m) * 1e-10; },
     "the sign vectors of the transparency order", "vectors"},
    {Computation::revised_transparency, has_signs, [](int n, int m) { return std::exp2(n + m) * m * 5e-10; },
     "the sign vectors of the revised transparency order", "vectors"},
    {Computation::ranks, [](int n, int m) { return is_square(n, m, kMaxRankInputs); },
     [](int n, int /*m*/) { return rank_seconds(n); }, "the rows of a rank", "rows"},
    {Computation::ortho_derivative, nullptr,
     [](int n, int /*m*/) { return n <= kMaxRankInputs ? rank_seconds(n) : 0; }},
    {Computation::products, [](int n, int m) { return n + m <= kMaxProductBits; },
     [](int n, int m) { return std::exp2(n + m) * (1 + n / 8.) * 5e-10; }},
    {Computation::nonlinear_invariants, [](int n, int m) { return n == m; }},
    {Computation::second_order, [](int n, int m) { return has_all(n, m) && n <= kMaxSecondOrderVariables; },
     [](int n, int m) { return std::exp2(m) * second_order_seconds(n); }, "second-order nonlinearities",
     "components"},
    {Computation::c_differential, [](int n, int m) { return is_square(n, m, kMaxCDifferentialBits); },
     [](int n, int /*m*/) { return std::exp2(3 * n) * 1e-9; }, "c-differential uniformities", "multipliers"}};

ComputationRow row_of(Computation computation) {
  const auto* const row = std::ranges::find(kComputations, computation, &ComputationRow::computation);
  return row != std::end(kComputations) ? *row : ComputationRow{computation};
}

bool has_computation(const ComputationRow& row, int inputs, int outputs) {
  return row.has == nullptr || row.has(inputs, outputs);
}

double seconds_of(Computation computation, int inputs, int outputs) {
  const ComputationRow row = row_of(computation);
  return row.seconds != nullptr && has_computation(row, inputs, outputs) ? row.seconds(inputs, outputs) : 0;
}

// The sum of delta(a,b)^2 over all b and a, a != 0, from some rows: an estimate must not take long itself.
double sum_of_squares(const SBox& box) {
  constexpr std::size_t kRows = 16;
  const std::size_t rows = box.size() - 1;
  const std::size_t step = rows / kRows + 1;
  double sum = 0;
  for (std::size_t a = 1; a <= rows; a += step)
    for (const DdtEntry& entry : ddt_entries(box, static_cast<std::uint32_t>(a)))
      sum += static_cast<double>(entry.count) * entry.count;
  return sum * static_cast<double>(rows) / static_cast<double>((rows + step - 1) / step);
}

}  // namespace

bool Box::has(Computation computation) const {
  if (computation == Computation::all_components && uses_exhaustive()) return true;
  if (computation == Computation::revised_transparency && !options_.exhaustive &&
      inputs_ + outputs_ > kMaxQuickRevisedBits)
    return false;
  return has_computation(row_of(computation), inputs_, outputs_);
}

double Box::seconds(Computation computation) {
  const double seconds = seconds_of(computation, inputs_, outputs_);
  switch (computation) {
    case Computation::differential:
    case Computation::linear:
    case Computation::all_components:
    case Computation::single_components:
    case Computation::autocorrelation:
      return on_gpu() ? 0 : seconds;
    case Computation::exhaustive:
      return has_gpu() && cuda::has_profile_kernels(inputs_, outputs_)
                 ? kGpuSecondsPerMask * std::exp2(outputs_)
                 : exhaustive_seconds(values());
    case Computation::transparency:
      return has_gpu() && cuda::has_transparency_kernels(outputs_) ? 0 : seconds;
    case Computation::boomerang:
      return boomerang_seconds();
    default:
      return seconds;
  }
}

std::optional<LongComputation> Box::long_computation(Computation computation) {
  const ComputationRow row = row_of(computation);
  if (row.what.empty()) return std::nullopt;
  const bool there =
      computation == Computation::exhaustive && has_gpu() && cuda::has_profile_kernels(inputs_, outputs_);
  const bool alone = there || computation == Computation::ranks;
  std::string what(row.what);
  if (const std::size_t at = what.find("{}"); at != std::string::npos)
    what.replace(at, 2, std::to_string(outputs_));
  return LongComputation{
      std::move(what), row.unit,
      seconds(computation) / (alone ? 1 : spectral::detail::threads_of(options_.work.threads))};
}

// The boomerang tables are counted from the pairs of pairs {x, x + a} with one output difference: the sum of
// delta^2 / 8. An H200 takes 34 ms for a random permutation of 16 bits, 4.7 s for one of 18.
double Box::boomerang_seconds() {
  constexpr double kEnough = 600;  // seconds from which on the rows alone decide
  const bool on_gpu = has_gpu() && cuda::has_boomerang_kernels(inputs_, outputs_) && basic().permutation;
  const double share = on_gpu ? 0.02 : is_narrow(inputs_, outputs_) ? 1.0 / 6 : 1;
  const double rows = share * 8e-9 * static_cast<double>(size()) * static_cast<double>(size());
  if (rows > kEnough) return rows;
  return rows + share * 1e-8 * detail::once(sum_of_squares_, [&] { return sum_of_squares(values()); }) / 8;
}

double core_seconds(int inputs, int outputs, std::span<const Group> groups) {
  if (!cuda::has_table_kernels(outputs)) return 0;
  constexpr std::pair<Group, Computation> kLongest[] = {{Group::differential, Computation::differential},
                                                        {Group::linear, Computation::linear},
                                                        {Group::components, Computation::autocorrelation},
                                                        {Group::boomerang, Computation::boomerang},
                                                        {Group::sidechannel, Computation::transparency}};
  // Whole reports of 14, 15 and 16 inputs and outputs took 0.17, 0.6 and 2.0 s on 16 cores of an H100's host,
  // by the estimates half as long.
  constexpr double kOfEstimate = 2.1;
  double seconds = 0;
  for (const auto& [group, computation] : kLongest)
    if (std::ranges::find(groups, group) != groups.end()) seconds += seconds_of(computation, inputs, outputs);
  return kOfEstimate * seconds;
}

}  // namespace fugu::spectral::lab
