// The format table's row for sealed.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/parts.hpp"

namespace fugu::format {

extern const Codec kSealedCodec;
extern const PartFunctions kSealedParts;

}  // namespace fugu::format
