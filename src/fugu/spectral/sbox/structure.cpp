// Linear algebra over F_2: linear structures, nonlinear invariants, the ranks of Edel and Pott, the
// ortho-derivative.
#include "fugu/spectral/sbox/structure.hpp"

#include "fugu/spectral/detail/gf2.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/invariants.hpp"

namespace fugu::spectral {
namespace {

// A subspace of F_2^32 as a basis with different leading bits.
class Subspace {
 public:
  int dimension() const { return dimension_; }

  // The vectors b of `bits` bits with b.v = 0 for all members v: the first `most` of them besides 0,
  // ascending.
  std::vector<std::uint32_t> orthogonal(int bits, std::size_t most) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t pivot : orthogonal_basis(bits)) {
      const std::size_t smaller = found.size();
      if (smaller == most) break;
      found.push_back(pivot);
      for (std::size_t i = 0; i < smaller && found.size() < most; ++i) found.push_back(pivot ^ found[i]);
    }
    return found;
  }

  std::uint32_t reduced(std::uint32_t vector) const {
    while (vector != 0 && basis_[leading(vector)] != 0) vector ^= basis_[leading(vector)];
    return vector;
  }
  void add(std::uint32_t vector) {
    vector = reduced(vector);
    if (vector == 0) return;
    basis_[leading(vector)] = vector;
    ++dimension_;
  }

 private:
  // Ascending, and no vector has the leading bit of another: of the unit vectors, those that are removed are
  // added to larger ones only.
  std::vector<std::uint32_t> orthogonal_basis(int bits) const {
    std::vector<std::uint32_t> basis;
    for (int i = 0; i < bits; ++i) basis.push_back(std::uint32_t{1} << i);
    for (const std::uint32_t member : basis_) {
      const auto odd = [&](std::uint32_t b) { return std::popcount(b & member) % 2 != 0; };
      const auto first = std::ranges::find_if(basis, odd);
      if (first == basis.end()) continue;
      const std::uint32_t out = *first;
      basis.erase(first);
      for (std::uint32_t& b : basis) b ^= odd(b) ? out : 0;
    }
    return basis;
  }

  static std::size_t leading(std::uint32_t vector) {
    return static_cast<std::size_t>(31 - std::countl_zero(vector));
  }

  std::array<std::uint32_t, 32> basis_{};
  int dimension_ = 0;
};

// All D + D(0) of the derivative D by a: b.D is constant if b is orthogonal to them; the constant is b.D(0).
Subspace differences_of(const SBox& box, std::uint32_t a) {
  Subspace differences;
  for (std::size_t x = 0; x < box.size() && differences.dimension() < box.outputs(); ++x)
    differences.add(box[x] ^ box[x ^ a] ^ box[0] ^ box[a]);
  return differences;
}

LinearStructures structures_of(const SBox& box, std::uint32_t a) {
  const std::uint32_t start = box[0] ^ box[a];
  const Subspace differences = differences_of(box, a);
  const std::uint64_t constant = std::uint64_t{1} << (box.outputs() - differences.dimension());
  const bool always_zero = differences.reduced(start) == 0;
  return always_zero ? LinearStructures{constant - 1, 0} : LinearStructures{constant / 2 - 1, constant / 2};
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
                               std::to_string(box.outputs()) + " outputs: only equal numbers, at most " +
                               std::to_string(kMaxRankInputs) + ", are possible");
}

}  // namespace

LinearStructures linear_structures(const SBox& box, const SBoxOptions& options) {
  std::atomic<std::uint64_t> positive = 0;
  std::atomic<std::uint64_t> negative = 0;
  const auto make = [&] {
    return [&](std::size_t a) {
      const LinearStructures found = structures_of(box, static_cast<std::uint32_t>(a));
      positive += found.positive;
      negative += found.negative;
    };
  };
  detail::for_each_row(1, box.size(), 2 * static_cast<std::uint64_t>(box.outputs()), options, make);
  return {positive, negative};
}

std::vector<LinearStructure> list_linear_structures(const SBox& box, std::size_t most) {
  std::vector<LinearStructure> list;
  for (std::uint32_t a = 1; a < box.size() && list.size() < most; ++a) {
    for (const std::uint32_t b : differences_of(box, a).orthogonal(box.outputs(), most - list.size()))
      list.push_back({a, b, std::popcount(b & (box[0] ^ box[a])) % 2 != 0});
  }
  return list;
}

// The function 1 comes after the monomials' changes: it can depend on them once.
std::vector<NonlinearInvariant> nonlinear_invariants(const SBox& box, const SBoxOptions& options) {
  if (box.inputs() != box.outputs())
    throw Error(Errc::usage, "nonlinear invariants need as many inputs as outputs");
  std::vector<std::uint32_t> monomials;
  for (std::uint32_t mask = 1; mask < box.size(); ++mask)
    if (std::popcount(mask) <= 2) monomials.push_back(mask);
  monomials.push_back(0);
  detail::Dependencies dependencies(box.size(), monomials.size());
  std::vector<std::uint64_t> change((box.size() + 63) / 64);
  std::vector<NonlinearInvariant> found;
  for (const std::uint32_t mask : monomials) {
    detail::throw_if_stopped(options.stop);
    for (std::uint64_t& word : change) word = 0;
    for (std::size_t x = 0; x < box.size(); ++x) {
      const bool differs = mask == 0 || ((box[x] & mask) == mask) != ((x & mask) == mask);
      change[x / 64] |= std::uint64_t{differs} << (x % 64);
    }
    NonlinearInvariant invariant{{}, mask == 0};
    for (const std::size_t i : dependencies.add(change))
      if (monomials[i] != 0) invariant.monomials.push_back(monomials[i]);
    if (!invariant.monomials.empty()) found.push_back(std::move(invariant));
  }
  return found;
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
    const std::vector<std::uint32_t> orthogonal = differences_of(box, a).orthogonal(box.outputs(), 2);
    if (orthogonal.size() != 1) return std::nullopt;
    values[a] = orthogonal[0];
  }
  return SBox(box.inputs(), box.outputs(), std::move(values));
}

}  // namespace fugu::spectral
