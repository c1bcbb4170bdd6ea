#include "fugu/core/wipe.hpp"

#include <string.h>  // explicit_bzero

namespace fugu {

void core::wipe(void* memory, std::size_t bytes) noexcept {
  if (bytes != 0) ::explicit_bzero(memory, bytes);
}

void core::wipe_touched(void* memory, std::size_t bytes) noexcept {
  wipe(memory, bytes);
}

}  // namespace fugu
