// The format table's row for sealed.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kSealedCodec;

}  // namespace fugu::format
