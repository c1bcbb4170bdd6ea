// The secret of these tests. It is computed byte by byte, so that memory holds it only where a test puts it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/auth/secret.hpp"

namespace fugu::distributed {

inline std::byte secret_byte(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return static_cast<std::byte>(x >> 56);
}

inline auth::SecretBytes secret(std::size_t bytes) {
  auth::SecretBytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made.data()[i] = secret_byte(i);
  return made;
}

}  // namespace fugu::distributed
