// Tests that need GPUs skip with the reason if there are too few, and fail instead when FUGU_REQUIRE_GPU=N
// says that this machine has N.
#pragma once

#include "fugu/device/device.hpp"
#include "support/testing.hpp"

namespace fugu::test {

inline std::size_t required_gpus() {
  const char* value = std::getenv("FUGU_REQUIRE_GPU");
  return value == nullptr ? 0 : static_cast<std::size_t>(std::atoi(value));
}

// Empty when there are `count` GPUs.
inline std::string missing_gpus(std::size_t count) {
  const device::Inventory found = device::inventory();
  if (found.devices.size() >= count) return {};
  if (found.devices.empty()) return "no GPU: " + found.reason;
  return "needs " + std::to_string(count) + " GPUs, found " + std::to_string(found.devices.size());
}

}  // namespace fugu::test

#define FUGU_NEED_GPU(count)                       \
  FUGU_SKIP_FOR(::fugu::test::missing_gpus(count), \
                ::fugu::test::required_gpus() >= static_cast<std::size_t>(count))
