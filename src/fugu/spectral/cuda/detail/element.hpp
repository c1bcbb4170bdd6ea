// The launchers' names of C++ types, and the plans' view of devices. Internal.
#pragma once

#include <type_traits>

#include "fugu/core/half.hpp"
#include "fugu/device/context.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"

namespace fugu::spectral::cuda {

template <class T>
constexpr kernels::Element element_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return kernels::Element::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return kernels::Element::int64;
  if constexpr (std::is_same_v<T, float>) return kernels::Element::float32;
  if constexpr (std::is_same_v<T, double>) return kernels::Element::float64;
  if constexpr (std::is_same_v<T, core::Float16>) return kernels::Element::float16;
  if constexpr (std::is_same_v<T, core::Bfloat16>) return kernels::Element::bfloat16;
}

inline Chip chip_of(const device::Context& context) {
  const device::DeviceInfo& info = context.info();
  return {info.shared_bytes_per_block, info.l2_bytes, info.multiprocessors, 1};
}

// Throws Error{no_device} if the passes on packed truth tables do not fit.
inline void check_boolean_tiles(const device::Context& context) {
  if (context.info().shared_bytes_per_block <
      kernels::tile_shared_bytes(kernels::kTileBits, sizeof(std::int32_t))) {
    throw Error(Errc::no_device, "Boolean spectra need a GPU with 68 KB of shared memory per block");
  }
}

}  // namespace fugu::spectral::cuda
