// GoogleTest, and what most tests use of the standard library and of this folder: all tests share it
// precompiled.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fugu/error.hpp"
#include "support/bytes.hpp"

namespace fugu::test {

// The error that work throws; empty if nothing is thrown.
inline std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

inline std::optional<Errc> code_of(const std::function<void()>& work) {
  const auto error = error_of(work);
  return error ? std::optional(error->code()) : std::nullopt;
}

inline void expect_error(Errc code, std::string_view says, const std::optional<Error>& error) {
  ASSERT_TRUE(error) << "no error says " << says;
  EXPECT_EQ(error->code(), code) << error->text();
  EXPECT_THAT(error->text(), testing::HasSubstr(std::string(says)));
}

// Asks to stop from the beginning.
inline std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

#if defined(FUGU_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `all`, or a tenth under sanitizers, which make them slow: the fewer cases take the same paths through
// memory.
constexpr int cases(int all) {
  return kSanitized ? all / 10 : all;
}

// From one case to the next: 1, or `sanitized`, which is prime to the number of kinds that follow one another
// (7 for bits), so that each kind stays.
constexpr std::size_t step(std::size_t sanitized) {
  return kSanitized ? sanitized : 1;
}

// FUGU_REQUIRE_PACKAGES=1 says that the packages of tools/lib/setup.sh for testing are installed.
inline bool packages_required() {
  const char* value = std::getenv("FUGU_REQUIRE_PACKAGES");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace fugu::test

// Skips a test with the reason, if there is one, or fails instead where what it needs is required to be
// there.
#define FUGU_SKIP_FOR(reason, is_required)                                  \
  do {                                                                      \
    if (const std::string fugu_missing = (reason); !fugu_missing.empty()) { \
      if (is_required) FAIL() << fugu_missing;                              \
      GTEST_SKIP() << fugu_missing;                                         \
    }                                                                       \
  } while (false)

// `reason`: "mcrypt is not installed".
#define FUGU_NEED_PACKAGE(is_there, reason) \
  FUGU_SKIP_FOR((is_there) ? "" : (reason), ::fugu::test::packages_required())
