// Stream-ordered device memory, pinned host memory, memory that several processes' GPUs reach, and copies.
#include "fugu/device/buffer.hpp"

#include <bit>

#include "fugu/core/wipe.hpp"
#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"
#include "fugu/device/peer.hpp"
#include "fugu/error.hpp"

namespace fugu::device {

std::byte* detail::StreamState::allocate(std::size_t bytes) {
  ContextState& on = *context.state();
  on.refuse_unwiped_memory();
  const CurrentDevice current(on);
  void* memory = nullptr;
  FUGU_CUDA_CHECK(cudaMallocFromPoolAsync(&memory, bytes, on.pool, handle));
  auto* const data = static_cast<std::byte*>(memory);
  on.add(&Counters::device_bytes, bytes);
  note_held({data, bytes, Place::device});
  return data;
}

void detail::StreamState::free(std::byte* data, std::size_t bytes) noexcept {
  note_release(data);
  static_cast<void>(FUGU_CUDA_TRY(cudaFreeAsync(data, handle)));
  context.state()->subtract(&Counters::device_bytes, bytes);
}

Memory::Memory(const Stream& stream, std::size_t bytes, Contents contents)
    : data_(bytes == 0 ? nullptr : stream.state()->allocate(bytes), Free{stream.state(), bytes, contents}) {}

void Memory::Free::operator()(std::byte* data) const noexcept {
  detail::ContextState& context = *stream->context.state();
  const detail::CurrentDevice current(context, std::nothrow);
  const bool clean =
      contents == Contents::open || FUGU_CUDA_TRY(cudaMemsetAsync(data, 0, bytes, stream->handle));
  if (!clean) context.note_failed_wipe();
  stream->free(data, bytes);
}

namespace {

std::byte* allocate_pinned(detail::ContextState& context, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const detail::CurrentDevice current(context);
  void* memory = nullptr;
  // Portable: with several GPUs all of them read one host chunk.
  FUGU_CUDA_CHECK(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable));
  auto* const data = static_cast<std::byte*>(memory);
  context.add(&detail::Counters::pinned_bytes, bytes);
  detail::note_held({data, bytes, Place::pinned});
  return data;
}

std::byte* lock_pages(detail::ContextState& context, std::byte* data, std::size_t bytes) {
  const detail::CurrentDevice current(context);
  FUGU_CUDA_CHECK(cudaHostRegister(data, bytes, cudaHostRegisterPortable));
  context.add(&detail::Counters::pinned_bytes, bytes);
  return data;
}

}  // namespace

PinnedMemory::PinnedMemory(const Context& context, std::size_t bytes)
    : data_(allocate_pinned(*context.state(), bytes), Free{context.state(), bytes}) {}

void PinnedMemory::Free::operator()(std::byte* data) const noexcept {
  core::wipe(data, bytes);
  detail::note_release(data);
  const detail::CurrentDevice current(*context, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaFreeHost(data)));
  context->subtract(&detail::Counters::pinned_bytes, bytes);
}

PinnedRange::PinnedRange(const Context& context, std::byte* data, std::size_t bytes)
    : data_(lock_pages(*context.state(), data, bytes), Unlock{context.state(), bytes}) {}

void PinnedRange::Unlock::operator()(std::byte* data) const noexcept {
  const detail::CurrentDevice current(*context, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaHostUnregister(data)));
  context->subtract(&detail::Counters::pinned_bytes, bytes);
}

namespace {

bool is_page_locked(const std::byte* at) noexcept {
  cudaPointerAttributes attributes{};
  if (!FUGU_CUDA_TRY(cudaPointerGetAttributes(&attributes, at))) return false;
  return attributes.type == cudaMemoryTypeHost;
}

}  // namespace

bool is_pinned(const Context& context, const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return true;
  const detail::CurrentDevice current(*context.state(), std::nothrow);
  const auto* first = static_cast<const std::byte*>(data);
  if (!is_page_locked(first)) return false;
  if (const std::size_t reach = detail::driver::bytes_from(first); reach != 0) return bytes <= reach;
  return is_page_locked(first + bytes - 1);
}

namespace detail {
namespace {

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const Stream& stream) {
  if (bytes == 0) return;
  const CurrentDevice current(*stream.context().state());
  FUGU_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream.handle()));
}

}  // namespace

void copy_to_device(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}

void copy_to_host(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}

void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

void fill_zero(void* to, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  const CurrentDevice current(*stream.context().state());
  FUGU_CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, stream.handle()));
}

}  // namespace detail

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
