// Tests that need another program skip with the reason if it is missing, and fail instead when
// FUGU_REQUIRE_PACKAGES=1 says that the packages of tools/lib/setup.sh for testing are installed.
#pragma once
#include "support/testing.hpp"

namespace fugu::test {

inline bool packages_required() {
  const char* value = std::getenv("FUGU_REQUIRE_PACKAGES");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace fugu::test

// `reason`: "mcrypt is not installed".
#define FUGU_NEED_PACKAGE(is_there, reason)                      \
  do {                                                           \
    if (!(is_there)) {                                           \
      if (::fugu::test::packages_required()) FAIL() << (reason); \
      GTEST_SKIP() << (reason);                                  \
    }                                                            \
  } while (false)
