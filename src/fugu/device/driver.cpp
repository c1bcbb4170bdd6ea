// Finds each driver call through the runtime, once.
#include "fugu/device/detail/cuda_check.hpp"

#include <cstdint>

namespace fugu::device::detail::driver {
namespace {

// Driver calls have had these meanings since CUDA 12.0, the oldest version this library builds with.
constexpr unsigned kMeaning = 12000;

void* find(const char* name) noexcept {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, kMeaning, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

// The runtime's errors have the driver's numbers.
template <class Function, class... Arguments>
cudaError_t call(void* function, Arguments... arguments) noexcept {
  if (function == nullptr) return cudaErrorCallRequiresNewerDriver;
  return static_cast<cudaError_t>(reinterpret_cast<Function>(function)(arguments...));
}

cudaError_t device_of(int index, CUdevice& device) noexcept {
  static void* const function = find("cuDeviceGet");
  return call<CUresult (*)(CUdevice*, int)>(function, &device, index);
}

using GetAttribute = CUresult (*)(void*, CUpointer_attribute, CUdeviceptr);

void* get_attribute() noexcept {
  static void* const function = find("cuPointerGetAttribute");
  return function;
}

}  // namespace

cudaError_t push_context(CUcontext context) noexcept {
  static void* const function = find("cuCtxPushCurrent");
  return call<CUresult (*)(CUcontext)>(function, context);
}

cudaError_t pop_context() noexcept {
  static void* const function = find("cuCtxPopCurrent");
  CUcontext popped = nullptr;
  return call<CUresult (*)(CUcontext*)>(function, &popped);
}

cudaError_t current_context(CUcontext& context) noexcept {
  static void* const function = find("cuCtxGetCurrent");
  return call<CUresult (*)(CUcontext*)>(function, &context);
}

cudaError_t set_current_context(CUcontext context) noexcept {
  static void* const function = find("cuCtxSetCurrent");
  return call<CUresult (*)(CUcontext)>(function, context);
}

cudaError_t retain_primary_context(int device_index, CUdevice& device, CUcontext& context) noexcept {
  static void* const function = find("cuDevicePrimaryCtxRetain");
  const cudaError_t status = device_of(device_index, device);
  return status != cudaSuccess ? status
                               : call<CUresult (*)(CUcontext*, CUdevice)>(function, &context, device);
}

cudaError_t release_primary_context(CUdevice device) noexcept {
  static void* const function = find("cuDevicePrimaryCtxRelease");
  return call<CUresult (*)(CUdevice)>(function, device);
}

cudaError_t is_primary_context_active(int device_index, bool& active) noexcept {
  static void* const function = find("cuDevicePrimaryCtxGetState");
  CUdevice device = 0;
  unsigned flags = 0;
  int answer = 0;
  cudaError_t status = device_of(device_index, device);
  if (status == cudaSuccess)
    status = call<CUresult (*)(CUdevice, unsigned*, int*)>(function, device, &flags, &answer);
  active = answer != 0;
  return status;
}

cudaError_t context_of_stream(cudaStream_t stream, CUcontext& context) noexcept {
  static void* const function = find("cuStreamGetCtx");
  return call<CUresult (*)(CUstream, CUcontext*)>(function, stream, &context);
}

cudaError_t device_of_pointer(const void* data, int& device_index) noexcept {
  return call<GetAttribute>(get_attribute(), static_cast<void*>(&device_index),
                            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, reinterpret_cast<CUdeviceptr>(data));
}

std::size_t bytes_from(const std::byte* at) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  const bool known = call<GetAttribute>(get_attribute(), static_cast<void*>(&start),
                                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) == cudaSuccess &&
                     call<GetAttribute>(get_attribute(), static_cast<void*>(&bytes),
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) == cudaSuccess;
  return known && start <= address && address - start < bytes ? bytes - (address - start) : 0;
}

}  // namespace fugu::device::detail::driver
