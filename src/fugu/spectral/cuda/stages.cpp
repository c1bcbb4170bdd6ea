#include "fugu/spectral/cuda/stages.hpp"

#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral::cuda {

template <class T>
void walsh_stages(device::DeviceSpan<T> data, int first, int stages, const device::Stream& stream) {
  if (first < kMinStridedStage || stages < 0 || data.size % (std::size_t{1} << (first + stages)) != 0) {
    throw Error(Errc::usage, "stages " + std::to_string(first) + " to " + std::to_string(first + stages) +
                                 " are not those of " + std::to_string(data.size) + " values");
  }
  const WalshPlan plan{
      plan_stages(first, stages, sizeof(T), chip_of(stream.context()), is_aligned(data.data)), std::nullopt};
  run_plan(plan, data, stream);
}

template <class T>
void walsh_received(device::DeviceSpan<T> row, const Received<T>& received, const device::Stream& stream) {
  const int row_bits = log2_exact(row.size);
  if (received.column_bits < kMinStridedStage || row_bits < received.column_bits) {
    throw Error(Errc::usage, std::to_string(row.size) + " values are not a row of received parts of 2^" +
                                 std::to_string(received.column_bits));
  }
  WalshPlan plan = plan_rows(row_bits, row.size, sizeof(T), chip_of(stream.context()));
  device::launch_on(stream, "walsh_received", [&](device::StreamHandle handle) {
    const kernels::ReceivedParts parts{received.values, received.column_bits, received.own};
    return kernels::launch_walsh_received(element_of<T>(), plan.passes.front(), row.data, parts, row.size,
                                          handle);
  });
  plan.passes.erase(plan.passes.begin());
  run_plan(plan, row, stream);
}

#define FUGU_INSTANTIATE(T)                                                           \
  template void walsh_stages(device::DeviceSpan<T>, int, int, const device::Stream&); \
  template void walsh_received(device::DeviceSpan<T>, const Received<T>&, const device::Stream&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
