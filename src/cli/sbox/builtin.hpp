// S-boxes that have a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::cli {

// One name or family a line, with its size and origin.
std::string builtin_list();

// AES, DES_S1, ..., or a family with its parameters, such as power:8:254:0x11b. None: no such name. Throws
// Error{usage} for a family whose parameters mean nothing.
//
// random:N:M:SEED and permutation:N:SEED take the outputs r[0], r[1], ... of splitmix64 with that seed: S(x)
// is the M most significant bits of r[x]; a permutation is the identity after swaps of i and r[i] mod (i + 1)
// for i = 2^N - 1 down to 1 (Fisher and Yates).
std::optional<spectral::SBox> builtin_box(std::string_view name);

}  // namespace fugu::cli
