// The S-boxes S1 to S8 of CAST-128, 8 to 32 bits (RFC 2144, appendix A). Internal.
#pragma once

#include <cstdint>

namespace fugu::spectral::detail {

extern const std::uint32_t kCastSboxes[8][256];

}  // namespace fugu::spectral::detail
