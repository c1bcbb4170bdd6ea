// Memory that several processes' GPUs reach.
#include "fugu/device/peer.hpp"

#include <bit>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"
#include "fugu/error.hpp"

namespace fugu::device {

static_assert(sizeof(ExportHandle) == sizeof(cudaIpcMemHandle_t));

// Memory of a pool cannot be exported by a handle of fixed size.
ExportedMemory::ExportedMemory(const Stream& stream, std::size_t bytes) {
  const std::shared_ptr<detail::ContextState>& context = stream.context().state();
  const detail::CurrentDevice current(*context);
  void* memory = nullptr;
  FUGU_CUDA_CHECK(cudaMalloc(&memory, bytes));
  cudaIpcMemHandle_t handle{};
  if (!FUGU_CUDA_TRY(cudaMemsetAsync(memory, 0, bytes, stream.handle())) || !stream.drain() ||
      !FUGU_CUDA_TRY(cudaIpcGetMemHandle(&handle, memory))) {
    static_cast<void>(cudaFree(memory));
    throw Error(Errc::engine, "GPU: the device's memory cannot be shared with other processes");
  }
  handle_ = std::bit_cast<ExportHandle>(handle);
  data_ = {static_cast<std::byte*>(memory), Free{context, bytes}};
  context->add(&detail::Counters::device_bytes, bytes);
  detail::note_held({data(), bytes, Place::device});
}

void ExportedMemory::Free::operator()(std::byte* data) const noexcept {
  const detail::CurrentDevice current(*context, std::nothrow);
  detail::note_release(data);
  static_cast<void>(FUGU_CUDA_TRY(cudaFree(data)));
  context->subtract(&detail::Counters::device_bytes, bytes);
}

ImportedMemory::ImportedMemory(const Context& context, const ExportHandle& handle) {
  const detail::CurrentDevice current(*context.state());
  void* memory = nullptr;
  FUGU_CUDA_CHECK(cudaIpcOpenMemHandle(&memory, std::bit_cast<cudaIpcMemHandle_t>(handle),
                                       cudaIpcMemLazyEnablePeerAccess));
  data_ = {static_cast<std::byte*>(memory), Close{context.state()}};
}

void ImportedMemory::Close::operator()(std::byte* data) const noexcept {
  const detail::CurrentDevice current(*context, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaIpcCloseMemHandle(data)));
}

}  // namespace fugu::device
