// The format table's row for openssl.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/parts.hpp"

namespace fugu::format {

extern const Codec kOpensslCodec;
extern const PartFunctions kOpensslParts;

}  // namespace fugu::format
