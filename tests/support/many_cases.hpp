// How many cases a test looks at.
#pragma once

namespace fugu::test {

#if defined(FUGU_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `all`, and a tenth where sanitizers make them slow: those take the same paths through memory.
constexpr int cases(int all) {
  return kSanitized ? all / 10 : all;
}

}  // namespace fugu::test
