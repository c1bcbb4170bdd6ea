// Published records of S-boxes by size.
#include "fugu/spectral/sbox/best_known.hpp"

namespace fugu::spectral {
namespace {

bool has_bent(int inputs, int outputs) {
  return inputs % 2 == 0 && outputs <= inputs / 2;
}

bool has_apn_permutation(int bits) {
  return bits % 2 == 1 || bits == 6;
}

}  // namespace

std::optional<std::uint32_t> best_known_uniformity(int inputs, int outputs, bool permutation) {
  if (permutation) return has_apn_permutation(inputs) ? 2u : 4u;
  if (outputs >= inputs) return 2u;
  if (has_bent(inputs, outputs)) return std::uint32_t{1} << (inputs - outputs);
  return std::nullopt;
}

std::optional<std::uint64_t> best_known_linearity(int inputs, int outputs) {
  if (has_bent(inputs, outputs)) return std::uint64_t{1} << (inputs / 2);
  if (inputs == outputs) return std::uint64_t{1} << (inputs / 2 + 1);
  if (outputs == 1 && inputs <= 7) return std::uint64_t{1} << ((inputs + 1) / 2);
  if (outputs == 1 && inputs == 9) return 28u;
  return std::nullopt;
}

std::optional<std::uint32_t> best_known_boomerang_uniformity(int bits) {
  if (bits < 3) return std::nullopt;
  if (has_apn_permutation(bits)) return 2u;
  return bits % 4 == 2 ? 4u : 6u;
}

}  // namespace fugu::spectral
