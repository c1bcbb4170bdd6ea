// What programs make of a key before Blowfish gets it, step by step: "base64,cut16". Private to raw.
#pragma once

#include <string_view>

#include "fugu/auth/secret.hpp"

namespace fugu::format {

// Throws Error{usage} for a step that does not exist, without looking at a key.
void check_key_steps(std::string_view steps);

// Throws Error{usage} as well for a key that a step cannot be applied to.
auth::SecretBytes after_key_steps(std::string_view steps, const auth::SecretBytes& key);

}  // namespace fugu::format
