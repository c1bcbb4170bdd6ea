// Magnitudes, which bound the coefficients of a transform.
#include "fugu/spectral/exactness.hpp"

#include <bit>

#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {
namespace {

// At least the largest |x|, and less than twice it: one pass at memory speed.
template <class T>
std::make_unsigned_t<T> magnitude_bits(std::span<const T> values, const detail::Workers& workers) {
  std::atomic<std::make_unsigned_t<T>> all = 0;
  workers.for_ranges(values.size(), detail::kValuesAtATime, [&](std::size_t first, std::size_t last) {
    std::make_unsigned_t<T> bits = 0;
    for (std::size_t i = first; i < last; ++i) bits |= core::magnitude(values[i]);
    all.fetch_or(bits, std::memory_order_relaxed);
  });
  return all;
}

// Sums part by part, so that rows of any length are distributed evenly.
template <class T>
bool row_sums_fit(std::span<const T> values, std::uint64_t row_size, const detail::Workers& workers) {
  constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(row_size, detail::kValuesAtATime));
  const std::uint64_t parts = row_size / part;
  std::vector<std::uint64_t> sums(values.size() / part);
  workers.for_ranges(sums.size(), detail::kValuesAtATime / part, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      sums[i] = detail::capped_sum(values.subspan(i * part, part), kLimit + 1);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % parts != 0) sums[i] += sums[i - 1];  // no overflow: at most kLimit plus kLimit + 1
    if (sums[i] > kLimit) return false;
  }
  return true;
}

}  // namespace

template <class T>
bool sums_fit(std::span<const T> values, std::uint64_t row_size, const WalshOptions& options) {
  if constexpr (std::is_integral_v<T>) {
    if (row_size == 1) return true;
    const detail::Workers workers(options, values.size());
    const auto bits =
        static_cast<int>(std::bit_width(magnitude_bits(values, workers)) + std::bit_width(row_size - 1));
    return bits < std::numeric_limits<std::make_unsigned_t<T>>::digits ||
           row_sums_fit(values, row_size, workers);
  } else {
    return true;
  }
}

// The bits of magnitudes are in their order, those of infinities and NaNs last.
template <class T>
FloatRange float_range(std::span<const T> values, const WalshOptions& options) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Limits = std::numeric_limits<T>;
  std::atomic<Bits> all = 0;
  const detail::Workers workers(options, values.size());
  workers.for_ranges(values.size(), detail::kValuesAtATime, [&](std::size_t first, std::size_t last) {
    Bits largest = 0;
    for (const T x : values.subspan(first, last - first))
      largest = std::max(largest, std::bit_cast<Bits>(x) & std::numeric_limits<Bits>::max());
    for (Bits before = all; before < largest && !all.compare_exchange_weak(before, largest);) {
    }
  });
  const int biased = static_cast<int>(all >> (Limits::digits - 1));
  return {biased < 2 * Limits::max_exponent - 1, biased - (Limits::max_exponent - 2)};
}

template FloatRange float_range(std::span<const float>, const WalshOptions&);
template FloatRange float_range(std::span<const double>, const WalshOptions&);

#define FUGU_INSTANTIATE(T) template bool sums_fit(std::span<const T>, std::uint64_t, const WalshOptions&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
