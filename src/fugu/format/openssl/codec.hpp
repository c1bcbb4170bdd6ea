// The row of the table of formats for openssl.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kOpensslCodec;

}  // namespace fugu::format
