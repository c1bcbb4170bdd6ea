// Sizes that are refused. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "fugu/error.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral::detail {

// Throws Error{usage} for more than `most`: "the polynomial of 13 inputs: at most 12 are possible".
inline void require_at_most(int most, int given, std::string_view what, std::string_view unit) {
  if (given <= most) return;
  throw Error(Errc::usage, std::string(what) + " of " + std::to_string(given) + " " + std::string(unit) +
                               ": at most " + std::to_string(most) + " are possible");
}

// Throws Error{usage} unless `given` is from `least` to `most`: "33 outputs: 1 to 32 are possible".
inline void require_within(int least, int most, int given, std::string_view unit) {
  if (given >= least && given <= most) return;
  throw Error(Errc::usage, std::to_string(given) + " " + std::string(unit) + ": " + std::to_string(least) +
                               " to " + std::to_string(most) + " are possible");
}

// Throws Error{usage} unless the values are whole rows of 2^log2_size.
inline void check_rows(std::size_t values, int log2_size) {
  if (log2_size < 0 || log2_size > kMaxLog2Size) {
    throw Error(Errc::usage,
                "n = " + std::to_string(log2_size) + " is outside 0 to " + std::to_string(kMaxLog2Size));
  }
  if (values % (std::size_t{1} << log2_size) != 0) {
    throw Error(Errc::usage,
                std::to_string(values) + " values are not whole rows of 2^" + std::to_string(log2_size));
  }
}

// The same of rows of a function on a group of this order.
inline void require_rows_of(std::uint64_t order, std::size_t values) {
  if (values % order == 0) return;
  throw Error(Errc::usage, std::to_string(values) + " values are not whole rows of " + std::to_string(order) +
                               ", the group's order");
}

// Throws Error{usage} when `room` is not the number of a spectrum's values.
inline void require_room(std::size_t values, std::size_t room) {
  if (room == values) return;
  throw Error(Errc::usage, "the spectrum has " + std::to_string(values) + " values, the output room for " +
                               std::to_string(room));
}

// Sums wrap modulo 2^bits, and those of the inverse are multiples of 2^n: if bits <= n every sum is 0,
// whatever the function was. Throws Error{usage}.
template <class T>
void check_inverse(int log2_size) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  if (std::is_floating_point_v<T> || log2_size < kBits) return;
  throw Error(Errc::usage, "the inverse of 2^" + std::to_string(log2_size) + " values does not fit " +
                               std::to_string(kBits) + "-bit integers");
}

}  // namespace fugu::spectral::detail
