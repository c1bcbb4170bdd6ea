// Private to the device manager: calls of the CUDA driver that the runtime does not offer.
//
// The entry points come from the runtime, so that nothing links to the driver and machines without one run
// the rest. Contexts are pushed and popped through the driver, without a trace: cudaSetDevice() would start
// the device that it restores.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace fugu::device::detail::driver {

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

}  // namespace fugu::device::detail::driver
