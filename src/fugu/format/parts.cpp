// The one table of formats that several processes can work on.
#include "fugu/format/parts.hpp"

#include "fugu/format/openssl/codec.hpp"
#include "fugu/format/raw/codec.hpp"
#include "fugu/format/sealed/codec.hpp"

namespace fugu::format {

const PartFunctions* parts_of(const Codec& codec) {
  if (&codec == &kSealedCodec) return &kSealedParts;
  if (&codec == &kOpensslCodec) return &kOpensslParts;
  if (&codec == &kRawCodec) return &kRawParts;
  return nullptr;
}

}  // namespace fugu::format
