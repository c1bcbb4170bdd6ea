// The format table's row for raw.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kRawCodec;

}  // namespace fugu::format
