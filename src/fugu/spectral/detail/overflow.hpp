// Floats that become infinite on the way to a result. Internal.
#pragma once

#include <cfenv>
#include <complex>
#include <span>

namespace fugu::spectral::detail {

// Whether a finite operation of this thread has overflowed since construction. The processor records this at
// no cost; inspecting every value would take a tenth of a transform's time. Infinities and NaNs in the input
// are no overflow.
#if defined(FE_OVERFLOW)
class OverflowFlag {
 public:
  OverflowFlag() : before_(is_set()) {
    if (before_) std::feclearexcept(FE_OVERFLOW);
  }
  OverflowFlag(const OverflowFlag&) = delete;
  OverflowFlag& operator=(const OverflowFlag&) = delete;
  ~OverflowFlag() {
    if (before_) std::feraiseexcept(FE_OVERFLOW);
  }

  bool raised() const { return is_set(); }

 private:
  static bool is_set() {
#if defined(__SSE2__)  // the C library would ask the x87 unit too, in a call
    constexpr unsigned kOverflow = 0x8;
    return (__builtin_ia32_stmxcsr() & kOverflow) != 0;
#else
    return std::fetestexcept(FE_OVERFLOW) != 0;
#endif
  }

  bool before_;
};
#else  // WebAssembly records nothing: every result is looked at, also where an input was infinite
class OverflowFlag {
 public:
  OverflowFlag() {}
  bool raised() const { return true; }
};
#endif

template <class T>
std::span<const T> scalars_of(std::span<const std::complex<T>> values) {
  return {reinterpret_cast<const T*>(values.data()), 2 * values.size()};
}

}  // namespace fugu::spectral::detail
