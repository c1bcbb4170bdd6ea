// Memory that several processes' GPUs reach.
#include "fugu/device/peer.hpp"

#include <bit>
#include <utility>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/inspection.hpp"
#include "fugu/device/detail/state.hpp"
#include "fugu/error.hpp"

namespace fugu::device {

static_assert(sizeof(ExportHandle) == sizeof(cudaIpcMemHandle_t));

// Memory of a pool cannot be exported by a handle of fixed size.
ExportedMemory::ExportedMemory(const Stream& stream, std::size_t bytes) : context_(stream.context().state()) {
  const detail::CurrentDevice current(*context_);
  void* memory = nullptr;
  FUGU_CUDA_CHECK(cudaMalloc(&memory, bytes));
  cudaIpcMemHandle_t handle{};
  if (!FUGU_CUDA_TRY(cudaMemsetAsync(memory, 0, bytes, stream.handle())) || !stream.drain() ||
      !FUGU_CUDA_TRY(cudaIpcGetMemHandle(&handle, memory))) {
    static_cast<void>(cudaFree(memory));
    throw Error(Errc::engine, "gpu: the device's memory cannot be shared with other processes");
  }
  handle_ = std::bit_cast<ExportHandle>(handle);
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  context_->add(&detail::Counters::device_bytes, bytes);
  detail::note_held({data_, bytes, Place::device});
}

ExportedMemory::ExportedMemory(ExportedMemory&& other) noexcept
    : context_(std::move(other.context_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      handle_(other.handle_) {}

ExportedMemory& ExportedMemory::operator=(ExportedMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(handle_, other.handle_);
  return *this;
}

ExportedMemory::~ExportedMemory() {
  if (data_ == nullptr) return;
  const detail::CurrentDevice current(*context_, std::nothrow);
  detail::note_release(data_);
  static_cast<void>(FUGU_CUDA_TRY(cudaFree(data_)));
  context_->subtract(&detail::Counters::device_bytes, bytes_);
}

ImportedMemory::ImportedMemory(const Context& context, const ExportHandle& handle)
    : context_(context.state()) {
  const detail::CurrentDevice current(*context_);
  void* memory = nullptr;
  FUGU_CUDA_CHECK(cudaIpcOpenMemHandle(&memory, std::bit_cast<cudaIpcMemHandle_t>(handle),
                                       cudaIpcMemLazyEnablePeerAccess));
  data_ = static_cast<std::byte*>(memory);
}

ImportedMemory::ImportedMemory(ImportedMemory&& other) noexcept
    : context_(std::move(other.context_)), data_(std::exchange(other.data_, nullptr)) {}

ImportedMemory::~ImportedMemory() {
  if (data_ == nullptr) return;
  const detail::CurrentDevice current(*context_, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaIpcCloseMemHandle(data_)));
}

}  // namespace fugu::device
