#include "fugu/spectral/sbox/nonlinear_invariants.hpp"

#include <bit>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/gf2.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {

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

}  // namespace fugu::spectral
