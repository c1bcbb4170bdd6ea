#include "fugu/distributed/spectral.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <system_error>
#include <thread>
#include <type_traits>

#include "fugu/core/butterfly.hpp"

namespace fugu::distributed {
namespace {

// Collective. The sum over all ranks, or the maximum if that is larger.
std::uint64_t capped_sum(const Communicator& ranks, std::uint64_t mine) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks.size()));
  check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, ranks.get()), "MPI_Allgather");
  std::uint64_t sum = 0;
  for (const std::uint64_t one : all) sum += std::min(one, std::numeric_limits<std::uint64_t>::max() - sum);
  return sum;
}

template <class T>
std::uint64_t sum_of_magnitudes(const Communicator& ranks, std::span<const T> mine) {
  std::uint64_t sum = 0;
  for (const T value : mine)
    sum += std::min<std::uint64_t>(core::magnitude(value), std::numeric_limits<std::uint64_t>::max() - sum);
  return capped_sum(ranks, sum);
}

// Swaps block `partner` of this rank with block `this rank` of the partner, through `room`, unless this rank
// gives up.
template <class T>
void swap_blocks(const Communicator& ranks, int partner, std::span<T> block, std::span<T> room,
                 const std::stop_token& given_up) {
  for (std::size_t at = 0; at < block.size() && !given_up.stop_requested(); at += room.size()) {
    const std::span<T> part = block.subspan(at, std::min(room.size(), block.size() - at));
    const auto bytes = static_cast<int>(part.size_bytes());
    check(MPI_Sendrecv(part.data(), bytes, MPI_BYTE, partner, 0, room.data(), bytes, MPI_BYTE, partner, 0,
                       ranks.get(), MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    std::ranges::copy(room.first(part.size()), part.begin());
  }
}

// Calls then() while swap(given_up) runs on a thread of its own, or afterwards if there is none. If then()
// fails, the swap is given up.
template <class Swap, class Then>
void at_the_same_time(Swap swap, Then then) {
  std::exception_ptr failure;
  std::jthread swapping;
  try {
    swapping = std::jthread([&](const std::stop_token& given_up) {
      try {
        swap(given_up);
      } catch (...) {
        failure = std::current_exception();
      }
    });
  } catch (const std::system_error&) {
  }
  then();
  if (!swapping.joinable()) return swap({});
  swapping.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls then(block) for each block of the rank once it is exchanged, while the next one is.
template <class T, class Then>
void exchange(const Communicator& ranks, std::span<T> mine, Then then) {
  const auto count = static_cast<std::size_t>(ranks.size());
  const std::size_t size = mine.size() / count;
  std::vector<T> room;
  together(ranks, [&] { room.resize(std::min(size, kExchangeBytes / sizeof(T))); });
  const auto block_of = [&](int partner) {
    return mine.subspan(static_cast<std::size_t>(partner) * size, size);
  };
  std::span<T> ready = block_of(ranks.rank());
  for (int step = 1; step < ranks.size(); ++step) {
    const int partner = ranks.rank() ^ step;
    at_the_same_time(
        [&](const std::stop_token& given_up) {
          swap_blocks(ranks, partner, block_of(partner), std::span<T>(room), given_up);
        },
        [&] { then(ready); });
    ready = block_of(partner);
  }
  then(ready);
}

template <class T>
void multiply(std::span<T> f, std::span<const T> g) {
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] = static_cast<T>(static_cast<core::Wrap<T>>(f[i]) * static_cast<core::Wrap<T>>(g[i]));
}

// |C| is at most this bound, and the inverse begins with up to 2^n times as much.
template <class T>
void require_64_bits(const Communicator& ranks, std::span<const T> f, std::span<const T> g, int log2_size) {
  if constexpr (std::is_integral_v<T>) {
    __extension__ using Wide = unsigned __int128;
    const auto product = [](std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; };
    const Wide bound = std::min(product(sum_of_magnitudes(ranks, f), largest_magnitude(ranks, g)),
                                product(largest_magnitude(ranks, f), sum_of_magnitudes(ranks, g)));
    together(ranks, [&] {
      if (bound >= (Wide{1} << (63 - log2_size)))
        throw Error(
            Errc::usage,
            "the convolution may need more than 64-bit integers: one process (fugu) can use wider ones");
    });
  }
}

}  // namespace

int log2_transform_ranks(int log2_size, int ranks) {
  const int most = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
  return std::min(most, log2_size / 2);
}

Split split_of(const Communicator& ranks, int log2_size) {
  const int log2_ranks = spectral::log2_exact(static_cast<std::uint64_t>(ranks.size()));
  return {log2_size, log2_ranks, log2_size - 2 * log2_ranks};
}

std::vector<Run> interleaved_runs(const Split& split, int rank) {
  const int p = split.log2_ranks;
  const int e = split.exchanged;
  if (p == 0) return {{0, 0, split.local_values()}};
  std::vector<Run> runs;
  for (std::uint64_t at = 0; at < split.local_values() >> e; ++at) {
    const std::uint64_t j = at & ((std::uint64_t{1} << p) - 1);
    const std::uint64_t high = at >> p;
    const std::uint64_t global =
        (j << split.local_bits()) | (high << (e + p)) | (static_cast<std::uint64_t>(rank) << e);
    runs.push_back({static_cast<std::size_t>(at << e), global, std::size_t{1} << e});
  }
  return runs;
}

template <class T>
void walsh(const Communicator& ranks, std::span<T> mine, int log2_size,
           const spectral::WalshOptions& options) {
  const Split split = split_of(ranks, log2_size);
  if (split.exchanged < 0 || mine.size() != split.local_values()) {
    throw Error(Errc::usage, "2^" + std::to_string(log2_size) + " values over " +
                                 std::to_string(ranks.size()) + " ranks are not what this rank holds");
  }
  if (split.log2_ranks == 0) return spectral::walsh(mine, log2_size, options);
  spectral::walsh_stages(mine, split.exchanged, split.log2_ranks, options);
  exchange(ranks, mine, [&](std::span<T> block) { spectral::walsh(block, split.exchanged, options); });
  spectral::walsh_stages(mine, split.exchanged, split.log2_ranks, options);
}

template <class T>
void inverse_walsh(const Communicator& ranks, std::span<T> mine, int log2_size, const Transform<T>& walsh) {
  together(ranks, [&] {
    if (std::is_integral_v<T> &&
        log2_size >= std::numeric_limits<
                         std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>>::digits)
      throw Error(Errc::usage, "the inverse of 2^" + std::to_string(log2_size) + " values does not fit " +
                                   std::to_string(8 * sizeof(T)) + "-bit integers");
  });
  walsh(mine);
  together(ranks, [&] {
    if (!spectral::divide_by_power(mine, log2_size))
      throw Error(Errc::usage, "not the spectrum of an integer function: the inverse has fractions");
  });
}

template <class T>
void dyadic_convolve(const Communicator& ranks, std::span<T> f, std::span<T> g, int log2_size,
                     const Transform<T>& walsh) {
  require_64_bits(ranks, std::span<const T>(f), std::span<const T>(g), log2_size);
  walsh(f);
  if (g.data() != f.data()) walsh(g);
  multiply(f, std::span<const T>(g));
  walsh(f);
  static_cast<void>(spectral::divide_by_power(f, log2_size));
}

template <class T>
bool sums_fit(const Communicator& ranks, std::span<const T> mine, int log2_size) {
  if constexpr (std::is_integral_v<T>) {
    return log2_size == 0 || sum_of_magnitudes(ranks, mine) <= std::uint64_t{std::numeric_limits<T>::max()};
  } else {
    return true;
  }
}

template <class T>
std::uint64_t largest_magnitude(const Communicator& ranks, std::span<const T> mine) {
  std::uint64_t largest = 0;
  for (const T value : mine) largest = std::max<std::uint64_t>(largest, core::magnitude(value));
  std::uint64_t of_all = 0;
  check(MPI_Allreduce(&largest, &of_all, 1, MPI_UINT64_T, MPI_MAX, ranks.get()), "MPI_Allreduce");
  return of_all;
}

#define FUGU_INSTANTIATE(T)                                                                   \
  template void walsh(const Communicator&, std::span<T>, int, const spectral::WalshOptions&); \
  template void inverse_walsh(const Communicator&, std::span<T>, int, const Transform<T>&);   \
  template bool sums_fit(const Communicator&, std::span<const T>, int);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

template void dyadic_convolve(const Communicator&, std::span<std::int64_t>, std::span<std::int64_t>, int,
                              const Transform<std::int64_t>&);
template void dyadic_convolve(const Communicator&, std::span<float>, std::span<float>, int,
                              const Transform<float>&);
template void dyadic_convolve(const Communicator&, std::span<double>, std::span<double>, int,
                              const Transform<double>&);
template std::uint64_t largest_magnitude(const Communicator&, std::span<const std::int32_t>);
template std::uint64_t largest_magnitude(const Communicator&, std::span<const std::int64_t>);

}  // namespace fugu::distributed
