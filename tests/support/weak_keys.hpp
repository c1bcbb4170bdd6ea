// The weak keys of vectors/sbox/weak_keys.txt, which OpenSSL's schedule found.
#pragma once

#include <vector>

#include "fugu/cipher/weak_keys.hpp"

namespace fugu::test {

// In ascending order. Throws std::runtime_error for an invalid line, and if there are no keys.
std::vector<cipher::WeakKey> known_weak_keys();

}  // namespace fugu::test
