#include "fugu/core/wipe.hpp"

#include <cstring>

namespace fugu::core {

void wipe(void* memory, std::size_t bytes) noexcept {
  if (bytes != 0) explicit_bzero(memory, bytes);
}

}  // namespace fugu::core
