// The fast Walsh transform of integers and floats on the CPU.
//
// Definition (natural, also Hadamard, order), for f of 2^n values and 0 <= a < 2^n:
//   W(a) = sum over x of (-1)^{popcount(a & x)} f(x),        no scale
//   f(x) = 2^-n sum over a of (-1)^{popcount(a & x)} W(a),   the inverse carries all of the scale
// Bit 0 of an index is its least significant bit. Orderings name the same coefficients differently:
//   natural   position k holds W(k)
//   dyadic    (Paley) position k holds W(r(k)), r reversing the n bits of k
//   sequency  (Walsh) position k holds W(r(k ^ k >> 1)), the row of the matrix that changes sign k times
// The forward transform writes the requested ordering; the inverse reads it. Functions are always in natural
// order.
//
// Integers wrap modulo 2^32 or 2^64: the result is exact if it fits, which the sum of |f| below 2^31 or 2^63
// guarantees; for the inverse 2^n f, the result before the scale, has to fit. Floats that overflow are
// refused: Error{usage} when one of the results is infinite or NaN since a sum of finite values exceeded the
// type; data is then unspecified. Infinities and NaNs in the input may yield more in the result, which is no
// error. Nothing here allocates in proportion to the data.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "fugu/export.hpp"

namespace fugu::threads {
class ThreadPool;
}

namespace fugu::spectral {

enum class Ordering : std::uint8_t { natural, dyadic, sequency };

// The instruction sets that the vector code is compiled for; higher ones include lower ones.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// The best one that this CPU and operating system support.
FUGU_EXPORT Isa best_isa();

inline constexpr int kMaxLog2Size = 40;

struct FUGU_EXPORT WalshOptions {
  Ordering ordering = Ordering::natural;
  unsigned threads = 0;  // most to start for the call; 0: as many as this process may run on
  Isa isa = best_isa();  // tests narrow this; more than best_isa() is an error

  // Runs the loops instead of threads started for the call; `threads` is then ignored. Several callers may
  // share one.
  fugu::threads::ThreadPool* pool = nullptr;

  // Rows of at most 2^cache_bits values are transformed in one pass. 0: as many as the caches hold; tests
  // narrow this.
  int cache_bits = 0;

  // After a stop request the work ends early with Error{interrupted}; its output is then unspecified.
  std::stop_token stop = {};
};

// Transforms every row of 2^log2_size values in `data` in place (one function, or a batch of consecutive
// ones). T: std::int32_t, std::int64_t, float, double. Throws Error{usage} when data is not whole rows.
template <class T>
FUGU_EXPORT void walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

// The same if the sum of |f| over each row fits T, so that the result is exact; otherwise returns false and
// leaves data as it was. Long rows are checked while the first pass reads them, which costs a few percent; a
// separate check (exactness.hpp) costs 10 to 25 %. Floats always fit, or are refused as by walsh().
template <class T>
FUGU_EXPORT bool walsh_if_exact(std::span<T> data, int log2_size, const WalshOptions& options = {});

// The inverse. Integers must come out whole: throws Error{usage} when the input is not the spectrum of an
// integer function (data is then unspecified), and when 2^log2_size does not fit the type. Otherwise overflow
// of integers is not detected.
template <class T>
FUGU_EXPORT void inverse_walsh(std::span<T> data, int log2_size, const WalshOptions& options = {});

// Reorders one row from natural order into `ordering`, or back, in place; of `options` only threads and pool
// are used. Throws Error{usage} when its size is not a power of two.
template <class T>
FUGU_EXPORT void to_ordering(std::span<T> row, Ordering ordering, const WalshOptions& options = {});
template <class T>
FUGU_EXPORT void from_ordering(std::span<T> row, Ordering ordering, const WalshOptions& options = {});

// Returns n with 2^n == size. Throws Error{usage}, with the size, when it is not a power of two.
FUGU_EXPORT int log2_exact(std::uint64_t size);

}  // namespace fugu::spectral
