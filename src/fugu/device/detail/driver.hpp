// Private to the device manager: the calls of CUDA's driver that the runtime has no words for.
//
// The driver is asked for them through the runtime, so that nothing links to it and machines without one run
// the rest. Made current and given back by the driver, a context leaves no trace: cudaSetDevice() would start
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

// The device that a pointer of any library belongs to. Needs no current context, and starts no device.
cudaError_t device_of_pointer(const void* data, int& device_index) noexcept;

// From `at` to the end of the allocation or registration that it lies in; 0 when the driver does not know.
std::size_t bytes_from(const std::byte* at) noexcept;

}  // namespace fugu::device::detail::driver
