// The ranks of Edel and Pott, and the ortho-derivative.
#include "fugu/spectral/sbox/invariants.hpp"

#include <cmath>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/gf2.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/differential.hpp"

namespace fugu::spectral {
namespace {

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
                               std::to_string(box.outputs()) + " outputs: only equal numbers, at most " +
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

}  // namespace fugu::spectral
