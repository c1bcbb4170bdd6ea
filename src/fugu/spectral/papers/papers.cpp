#include "fugu/spectral/papers/papers.hpp"

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

void paper_walsh_0(std::span<std::int32_t> spectrum) {
  log2_exact(spectrum.size());
  for (std::size_t j = 1; j < spectrum.size(); j *= 2) {
    for (std::size_t i = 0; i < spectrum.size(); ++i) {
      if ((i & j) == 0) core::butterfly(spectrum[i], spectrum[i + j]);
    }
  }
}

}  // namespace fugu::spectral
