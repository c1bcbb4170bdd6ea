// The format table's row for openssl.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOpensslCodec;

}  // namespace fugu::format
