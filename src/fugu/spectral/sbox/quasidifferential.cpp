#include "fugu/spectral/sbox/quasidifferential.hpp"

#include <algorithm>
#include <bit>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral {

// For each b, the signs (-1)^(u.x) at S(x), transformed.
void quasidifferential_row(const SBox& box, std::uint32_t row_number, std::span<std::int32_t> row) {
  detail::require_at_most(kMaxQuasidifferentialBits, std::max(box.inputs(), box.outputs()),
                          "quasidifferentials", "inputs or outputs");
  const auto a = static_cast<std::size_t>(row_number >> box.inputs());
  const std::size_t u = row_number & (box.size() - 1);
  const std::size_t masks = std::size_t{box.last_mask()} + 1;
  std::ranges::fill(row, 0);
  for (std::size_t x = 0; x < box.size(); ++x)
    row[(box[x] ^ box[x ^ a]) * masks + box[x]] += std::popcount(u & x) % 2 == 0 ? 1 : -1;
  for (std::size_t b = 0; b < masks; ++b) {
    const auto signs = row.subspan(b * masks, masks);
    if (std::ranges::any_of(signs, [](std::int32_t sign) { return sign != 0; }))
      walsh(signs, box.outputs(), {.threads = 1});
  }
}

}  // namespace fugu::spectral
