// One Walsh transform over the memories of all ranks, in place.
//
// 2^n values are distributed over 2^p ranks, 2^m on each, m = n - p. In slabs, rank r holds the values r 2^m
// to (r + 1) 2^m - 1: its number is the upper p bits of an index. A transform computes the stages of the bits
// local to a rank, exchanges the rank's p bits for p of these, and computes their stages. So one all-to-all
// replaces p exchanges; the result is interleaved, and a second transform, of interleaved values, ends in
// slabs.
//
// Definitions and exactness are those of fugu/spectral/walsh.hpp and dyadic.hpp. T: std::int32_t,
// std::int64_t, float, double. Every function here is collective.
#pragma once

#include <functional>
#include <vector>

#include "fugu/distributed/communicator.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::distributed {

// The distribution of 2^log2_size values. Interleaved, rank r has at (high, j, low) of its memory, j being
// log2_ranks bits above `exchanged` low ones, the value of index (j, high, r, low).
struct Split {
  int log2_size = 0;
  int log2_ranks = 0;
  int exchanged = 0;

  int local_bits() const { return log2_size - log2_ranks; }
  std::size_t local_values() const { return std::size_t{1} << local_bits(); }
};

// The largest power of two of `ranks` that can share the values, with one block for each other rank:
// 2^log2_size >= its square. The other ranks do not take part in the transform.
int log2_transform_ranks(int log2_size, int ranks);

// Exchanges the upper local bits, for the CPU.
Split split_of(const Communicator& ranks, int log2_size);

// Values that are consecutive both on an interleaved rank and in the whole.
struct Run {
  std::size_t local;
  std::uint64_t global;
  std::size_t values;
};
std::vector<Run> interleaved_runs(const Split& split, int rank);

// From slabs to interleaved, or back. Uses at most kExchangeBytes of memory beside the values: blocks are
// exchanged while the stages of received ones are computed. Throws Error{usage} when `mine` is not this
// rank's share of a power of two of ranks.
inline constexpr std::size_t kExchangeBytes = std::size_t{16} << 20;
template <class T>
void walsh(const Communicator& ranks, std::span<T> mine, int log2_size,
           const spectral::WalshOptions& options = {});

// A transform like walsh(), by any means.
template <class T>
using Transform = std::function<void(std::span<T> mine)>;

// From slabs to interleaved, then divided by 2^log2_size. Throws Error{usage} on every rank when integers
// have a remainder.
template <class T>
void inverse_walsh(const Communicator& ranks, std::span<T> mine, int log2_size, const Transform<T>& walsh);

// C(s) = sum over x of f(x) g(x ^ s) replaces f, both in slabs; g is overwritten, and is f for the
// autocorrelation. T: std::int64_t, float, double. Throws Error{usage} on every rank when integers may need
// more than 64 bits.
template <class T>
void dyadic_convolve(const Communicator& ranks, std::span<T> f, std::span<T> g, int log2_size,
                     const Transform<T>& walsh);

// Whether the sum of |x| over all ranks fits T, which bounds every sum of the transform.
template <class T>
bool sums_fit(const Communicator& ranks, std::span<const T> mine, int log2_size);

// The largest |x| over all ranks.
template <class T>
std::uint64_t largest_magnitude(const Communicator& ranks, std::span<const T> mine);

}  // namespace fugu::distributed
