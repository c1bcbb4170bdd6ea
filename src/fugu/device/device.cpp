// Finds GPUs through the CUDA runtime.
#include "fugu/device/device.hpp"

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/error.hpp"

namespace fugu::device {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  FUGU_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, index));
  return value;
}

DeviceInfo describe(int index) {
  cudaDeviceProp properties{};
  FUGU_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  DeviceInfo info;
  info.index = index;
  info.name = properties.name;
  info.memory_bytes = properties.totalGlobalMem;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.max_threads_per_block = properties.maxThreadsPerBlock;
  info.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.clock_khz = attribute(cudaDevAttrClockRate, index);
  return info;
}

// The driver's own text says too little: "insufficient" means older than the runtime of this build.
std::string reason_text(cudaError_t status, int driver) {
  int runtime = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) return "no NVIDIA driver is loaded";
  if (status == cudaErrorInsufficientDriver)
    return "the NVIDIA driver supports CUDA " + version_text(driver) + ", but this build needs " +
           version_text(runtime);
  if (status == cudaErrorNoDevice) return "no NVIDIA GPU is visible";
  return std::string("CUDA cannot start: ") + cudaGetErrorName(status);
}

}  // namespace

bool built_with_cuda() noexcept {
  return true;
}

Inventory inventory() {
  Inventory found;
  int driver = 0;
  if (!FUGU_CUDA_TRY(cudaDriverGetVersion(&driver))) driver = 0;
  if (driver != 0) found.driver_version = version_text(driver);
  int count = 0;
  cudaError_t status = cudaSuccess;
  if (!detail::count_call(status)) status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (status != cudaSuccess || count == 0) {
    found.reason = reason_text(status == cudaSuccess ? cudaErrorNoDevice : status, driver);
    return found;
  }
  try {
    for (int index = 0; index < count; ++index) found.devices.push_back(describe(index));
  } catch (const Error& error) {
    if (error.code() == Errc::memory) throw;
    found.devices.clear();
    found.reason = error.text();
  }
  return found;
}

int device_of(const void* data) {
  int index = 0;
  if (detail::driver::device_of_pointer(data, index) != cudaSuccess)
    throw Error(Errc::usage, "the pointer is not to memory that a GPU can access");
  return index;
}

}  // namespace fugu::device
