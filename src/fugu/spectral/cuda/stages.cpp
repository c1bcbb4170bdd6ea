#include "fugu/spectral/cuda/stages.hpp"

#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"

namespace fugu::spectral::cuda {

template <class T>
void walsh_stages(device::DeviceSpan<T> data, int first, int stages, const device::Stream& stream) try {
  if (first < kLeastStridedStage || stages < 0 || data.size % (std::size_t{1} << (first + stages)) != 0) {
    throw Error(Errc::usage, "stages " + std::to_string(first) + " to " + std::to_string(first + stages) +
                                 " are not those of " + std::to_string(data.size) + " values");
  }
  const WalshPlan plan{plan_stages(first, stages, sizeof(T), chip_of(stream.context())), std::nullopt};
  run_plan(plan, data, 0, nullptr, stream);
} catch (...) {
  rethrow_as_error();
}

#define FUGU_INSTANTIATE(T) \
  template void walsh_stages(device::DeviceSpan<T>, int, int, const device::Stream&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
