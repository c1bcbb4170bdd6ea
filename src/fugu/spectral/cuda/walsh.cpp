#include "fugu/spectral/cuda/walsh.hpp"

#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/detail/inverse.hpp"

namespace fugu::spectral::cuda {
namespace {

void check_rows(std::size_t values, int log2_size) {
  if (log2_size < 0 || log2_size > kMaxLog2Size || values % (std::size_t{1} << log2_size) != 0) {
    throw Error(Errc::usage,
                std::to_string(values) + " values are not whole rows of 2^" + std::to_string(log2_size));
  }
}

// Occupancy need not be queried if there is a multiprocessor for each of the blocks that wait for each other.
template <class T>
Chip chip_for(int log2_size, const device::Stream& stream) {
  Chip chip = chip_of(stream.context());
  if (log2_size > kernels::kOneLaunchMaxBits || kernels::walsh_once_blocks(log2_size) <= chip.multiprocessors)
    return chip;
  device::launch_on(stream, "walsh_once_occupancy", [&](device::StreamHandle) {
    return kernels::walsh_once_occupancy(element_of<T>(), log2_size, &chip.once_blocks_per_multiprocessor);
  });
  return chip;
}

template <class T>
void transform(device::DeviceSpan<T> data, int log2_size, int shift, std::uint32_t* inexact,
               const device::Stream& stream) {
  const Chip chip = chip_for<T>(log2_size, stream);
  run_plan(plan_walsh(log2_size, data.size, sizeof(T), chip, is_aligned(data.data)), data, shift, inexact,
           stream);
}

template <class T>
void reorder(device::DeviceSpan<T> data, int log2_size, Ordering ordering, bool back,
             const device::Stream& stream) {
  if (ordering == Ordering::natural || data.size == 0) return;
  device::Buffer<T> other(stream, data.size, device::Contents::open);
  device::launch_on(stream, "reorder", [&](device::StreamHandle handle) {
    return kernels::launch_reorder(sizeof(T), data.data, other.data(), data.size, log2_size,
                                   ordering == Ordering::sequency, back, handle);
  });
  device::copy_on_device(data, other.span(), stream);
}

}  // namespace

template <class T>
void walsh(device::DeviceSpan<T> data, int log2_size, Ordering ordering, const device::Stream& stream) {
  check_rows(data.size, log2_size);
  transform(data, log2_size, 0, nullptr, stream);
  reorder(data, log2_size, ordering, false, stream);
}

template <class T>
void inverse_walsh(device::DeviceSpan<T> data, int log2_size, Ordering ordering,
                   const device::Stream& stream) {
  spectral::detail::check_inverse<T>(log2_size);
  check_rows(data.size, log2_size);
  device::Buffer<std::uint32_t> inexact(stream, 1, device::Contents::open);
  device::wipe(inexact.span(), stream);
  reorder(data, log2_size, ordering, true, stream);
  transform(data, log2_size, log2_size, inexact.data(), stream);
  if constexpr (std::is_integral_v<T>) {
    std::uint32_t fractions = 0;
    device::copy_to_host(std::span<std::uint32_t>(&fractions, 1), inexact.span(), stream);
    stream.synchronize();
    if (fractions != 0) {
      throw Error(Errc::usage, "not the spectrum of an integer function: the inverse has fractions");
    }
  }
}

#define FUGU_INSTANTIATE(T)                                                         \
  template void walsh(device::DeviceSpan<T>, int, Ordering, const device::Stream&); \
  template void inverse_walsh(device::DeviceSpan<T>, int, Ordering, const device::Stream&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
