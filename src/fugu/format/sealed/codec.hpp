// The row of the table of formats for sealed.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kSealedCodec;

}  // namespace fugu::format
