// The number of cases of a test.
#pragma once

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

}  // namespace fugu::test
