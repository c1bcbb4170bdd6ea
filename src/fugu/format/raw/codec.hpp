// The row of the table of formats for raw.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kRawCodec;

}  // namespace fugu::format
