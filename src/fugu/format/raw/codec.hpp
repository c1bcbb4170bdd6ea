// The format table's row for raw.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/parts.hpp"

namespace fugu::format {

extern const Codec kRawCodec;
extern const PartFunctions kRawParts;

}  // namespace fugu::format
