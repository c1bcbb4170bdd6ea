// Random bytes for salts, IVs and keys, from OpenSSL's generator.
#pragma once

#include <cstddef>
#include <span>

namespace fugu::auth {

// Throws Error{io} when the system has no randomness to give.
void random_bytes(std::span<std::byte> out);

}  // namespace fugu::auth
