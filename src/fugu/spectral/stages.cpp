#include "fugu/spectral/walsh.hpp"

#include <type_traits>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/limits.hpp"

namespace fugu::spectral {
namespace {

// Rows too narrow for the tiles of a column pass.
template <class T>
void narrow_stage(std::span<T> data, std::size_t distance) {
  for (std::size_t at = 0; at < data.size(); at += 2 * distance) {
    for (std::size_t i = at; i < at + distance; ++i) core::butterfly(data[i], data[i + distance]);
  }
}

}  // namespace

template <class T>
void walsh_stages(std::span<T> data, int first, int stages, const WalshOptions& options) {
  if (first < 0 || stages < 0 || first + stages > kMaxLog2Size ||
      data.size() % (std::size_t{1} << (first + stages)) != 0) {
    throw Error(Errc::usage, std::to_string(data.size()) + " values are not whole rows of 2^" +
                                 std::to_string(first + stages));
  }
  const detail::Workers workers(options, data.size());
  const auto kernels = detail::walsh_kernels<T>(limits_of(options).isa);
  const int end = first + stages;
  for (; first < end && (std::size_t{1} << first) < detail::kColumnWidth<T>; ++first)
    narrow_stage(data, std::size_t{1} << first);
  const std::size_t row = std::size_t{1} << end;
  for (std::size_t at = 0; at < data.size(); at += row) {
    std::vector<detail::Pass> passes;
    detail::add_columns(passes, kernels, data.subspan(at, row), {first, end - first}, workers);
    workers.run(passes);
  }
}

template <class T>
bool divide_by_power(std::span<T> data, int log2_size) {
  if constexpr (std::is_floating_point_v<T>) {
    const T scale = T{1} / static_cast<T>(std::uint64_t{1} << log2_size);
    for (T& x : data) x *= scale;
    return true;
  } else {
    const core::Wrap<T> mask = core::fraction_mask<T>(log2_size);
    core::Wrap<T> remainders = 0;
    for (T& x : data) {
      remainders |= static_cast<core::Wrap<T>>(x) & mask;
      x = core::shifted_right(x, log2_size);
    }
    return remainders == 0;
  }
}

#define FUGU_INSTANTIATE(T)                                                             \
  template void walsh_stages(std::span<T>, int first, int stages, const WalshOptions&); \
  template bool divide_by_power(std::span<T>, int);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
