// Blowfish's S-boxes: the only place where the laboratory meets the cipher.
#pragma once

#include <optional>
#include <string_view>

#include "cli/options.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::cli {

// blowfish:1 to blowfish:4: that S-box under the key of --key. Empty for any other name. Throws Error{usage}
// without a key.
std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments);

// Blowfish_initial_S1 to _S4: the S-boxes before a key is mixed in. Empty for any other name.
std::optional<spectral::SBox> initial_box(std::string_view name);

// Whether it is, or is meant to be, a name of keyed_box.
bool is_keyed_name(std::string_view name);

// --weak-keys FIRST:COUNT: the eight-byte keys, as big-endian numbers, under which an S-box has two equal
// entries (Vaudenay, FSE 1996). One line each: key, S-box, x, y, S(x) = S(y).
void run_weak_keys(const Arguments& arguments);

}  // namespace fugu::cli
