// Private to the device manager: the macros for all CUDA calls, and calls of the driver that the runtime does
// not offer.
//
// FUGU_CUDA_CHECK(call) throws Error{engine} with the call, its place and CUDA's name for the failure, and
// clears the sticky error so that the next call does not report it again. FUGU_CUDA_CHECK_AS(name, call) is
// for wrappers of CUDA's calls and reports CUDA's name for the call. FUGU_CUDA_TRY(call) is for destructors:
// it always makes the call, never throws, and yields whether it succeeded.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace fugu::device::detail {

#if defined(FUGU_FAULT_INJECTION)
// True when this call is to fail, with the status in `status`.
bool count_call(cudaError_t& status) noexcept;
#else
inline bool count_call(cudaError_t&) noexcept {
  return false;
}
#endif

[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line);

// The entry points come from the runtime, so that nothing links to the driver and machines without one run
// the rest. Contexts are pushed and popped through the driver, without a trace: cudaSetDevice() would start
// the device that it restores.
namespace driver {

cudaError_t push_context(CUcontext context) noexcept;
cudaError_t pop_context() noexcept;
cudaError_t current_context(CUcontext& context) noexcept;
cudaError_t set_current_context(CUcontext context) noexcept;

cudaError_t retain_primary_context(int device_index, CUdevice& device, CUcontext& context) noexcept;
cudaError_t release_primary_context(CUdevice device) noexcept;
cudaError_t is_primary_context_active(int device_index, bool& active) noexcept;

cudaError_t context_of_stream(cudaStream_t stream, CUcontext& context) noexcept;

// Finds the device of a pointer from any library. Needs no current context and starts no device.
cudaError_t device_of_pointer(const void* data, int& device_index) noexcept;

// The bytes from `at` to the end of its allocation or registration; 0 when the driver does not know.
std::size_t bytes_from(const std::byte* at) noexcept;

}  // namespace driver
}  // namespace fugu::device::detail

#define FUGU_CUDA_CHECK(call) FUGU_CUDA_CHECK_AS(#call, call)

#define FUGU_CUDA_CHECK_AS(name, call)                                                      \
  do {                                                                                      \
    cudaError_t fugu_status = cudaSuccess;                                                  \
    if (!::fugu::device::detail::count_call(fugu_status)) fugu_status = (call);             \
    if (fugu_status != cudaSuccess)                                                         \
      ::fugu::device::detail::throw_cuda_error(fugu_status, name, __FILE_NAME__, __LINE__); \
  } while (false)

#define FUGU_CUDA_TRY(call)                                                   \
  [&]() noexcept {                                                            \
    cudaError_t fugu_injected = cudaSuccess;                                  \
    const bool fugu_fail = ::fugu::device::detail::count_call(fugu_injected); \
    const cudaError_t fugu_status = (call);                                   \
    if (fugu_status != cudaSuccess) static_cast<void>(cudaGetLastError());    \
    return fugu_status == cudaSuccess && !fugu_fail;                          \
  }()
