#include "fugu/spectral/sbox/undisturbed.hpp"

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {

std::vector<UndisturbedBit> undisturbed_bits(const SBox& box, const SBoxOptions& options) {
  detail::require_at_most(kMaxUndisturbedInputs, box.inputs(), "undisturbed bits", "inputs");
  std::vector<UndisturbedBit> found;
  for (std::uint32_t a = 1; a < box.size(); ++a) {
    detail::throw_if_stopped(options.stop);
    const std::uint32_t first = box[0] ^ box[a];
    std::uint32_t same = box.last_mask();  // bits that have been as in `first` so far
    for (std::size_t x = 1; x < box.size() && same != 0; ++x) same &= ~(box[x] ^ box[x ^ a] ^ first);
    for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(box.outputs()); ++j)
      if ((same >> j & 1) != 0) found.push_back({a, j, (first >> j & 1) != 0});
  }
  return found;
}

}  // namespace fugu::spectral
