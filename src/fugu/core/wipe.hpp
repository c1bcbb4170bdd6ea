// Clearing secrets so that the compiler cannot leave it out. Host only.
#pragma once

#include <cstddef>

namespace fugu::core {

void wipe(void* memory, std::size_t bytes) noexcept;

}  // namespace fugu::core
