// The number of cases of a test.
#pragma once

#include <cstddef>

namespace fugu::test {

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

}  // namespace fugu::test
