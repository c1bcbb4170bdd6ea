// Tests that need GPUs skip with the reason where there is none, and fail instead when FUGU_REQUIRE_GPU=1
// says that this machine has one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "fugu/device/device.hpp"

namespace fugu::test {

inline bool gpu_required() {
  const char* value = std::getenv("FUGU_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

// Empty when there are `count` GPUs.
inline std::string missing_gpus(std::size_t count) {
  const device::Inventory found = device::inventory();
  if (found.devices.size() >= count) return {};
  if (found.devices.empty()) return "no gpu: " + found.reason;
  return "needs " + std::to_string(count) + " GPUs, found " + std::to_string(found.devices.size());
}

}  // namespace fugu::test

// One GPU is what FUGU_REQUIRE_GPU promises; tests of several still skip where there is one.
#define FUGU_NEED_GPU(count)                                                    \
  do {                                                                          \
    const std::string fugu_missing = ::fugu::test::missing_gpus(count);         \
    if (!fugu_missing.empty()) {                                                \
      if (::fugu::test::gpu_required() && (count) == 1) FAIL() << fugu_missing; \
      GTEST_SKIP() << fugu_missing;                                             \
    }                                                                           \
  } while (false)
