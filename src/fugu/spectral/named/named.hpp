// Named S-boxes. The cipher's own, those of Blowfish, are in fugu/cipher/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// A name, or a family with its parameters in capitals.
struct BoxName {
  std::string_view name;
  std::string_view size;    // inputs x outputs
  std::string_view origin;  // the source, or what S(x) is
};

FUGU_EXPORT std::span<const BoxName> box_names();

// The name as it is compared with others: in lower case.
FUGU_EXPORT std::string box_key(std::string_view name);

// AES, DES_S1, ..., or a family with its parameters, such as power:8:254:0x11b, in letters of either case.
// Empty if there is no such name. Throws Error{usage} for a family with invalid parameters.
//
// random:N:M:SEED and permutation:N:SEED take the outputs r[0], r[1], ... of splitmix64 with that seed: S(x)
// is the M most significant bits of r[x]; a permutation is the identity after swaps of i and r[i] mod (i + 1)
// for i = 2^N - 1 down to 1 (Fisher and Yates).
FUGU_EXPORT std::optional<SBox> named_box(std::string_view name);

}  // namespace fugu::spectral
