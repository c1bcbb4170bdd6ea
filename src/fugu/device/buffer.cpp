// Stream-ordered device memory, pinned host memory, and copies.
#include "fugu/device/buffer.hpp"

#include "fugu/core/wipe.hpp"
#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/driver.hpp"
#include "fugu/device/detail/state.hpp"

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
    : stream_(stream.state()), contents_(contents) {
  if (bytes == 0) return;
  data_ = stream_->allocate(bytes);
  bytes_ = bytes;
}

Memory::Memory(Memory&& other) noexcept
    : stream_(std::move(other.stream_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      contents_(other.contents_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  if (this != &other) {
    release();
    stream_ = std::move(other.stream_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    contents_ = other.contents_;
  }
  return *this;
}

Memory::~Memory() {
  release();
}

void Memory::release() noexcept {
  if (data_ == nullptr) return;
  detail::ContextState& context = *stream_->context.state();
  const detail::CurrentDevice current(context, std::nothrow);
  const bool clean =
      contents_ == Contents::open || FUGU_CUDA_TRY(cudaMemsetAsync(data_, 0, bytes_, stream_->handle));
  if (!clean) context.note_failed_wipe();
  stream_->free(std::exchange(data_, nullptr), std::exchange(bytes_, 0));
}

PinnedMemory::PinnedMemory(const Context& context, std::size_t bytes) : context_(context.state()) {
  if (bytes == 0) return;
  const detail::CurrentDevice current(*context_);
  void* memory = nullptr;
  // Portable: with several GPUs all of them read one host chunk.
  FUGU_CUDA_CHECK(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable));
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  context_->add(&detail::Counters::pinned_bytes, bytes);
  detail::note_held({data_, bytes, Place::pinned});
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : context_(std::move(other.context_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  if (this != &other) {
    release();
    context_ = std::move(other.context_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

PinnedMemory::~PinnedMemory() {
  release();
}

void PinnedMemory::release() noexcept {
  if (data_ == nullptr) return;
  core::wipe(data_, bytes_);
  detail::note_release(data_);
  const detail::CurrentDevice current(*context_, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaFreeHost(data_)));
  context_->subtract(&detail::Counters::pinned_bytes, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

PinnedRange::PinnedRange(const Context& context, std::byte* data, std::size_t bytes)
    : context_(context.state()) {
  const detail::CurrentDevice current(*context_);
  FUGU_CUDA_CHECK(cudaHostRegister(data, bytes, cudaHostRegisterPortable));
  data_ = data;
  bytes_ = bytes;
  context_->add(&detail::Counters::pinned_bytes, bytes);
}

PinnedRange::PinnedRange(PinnedRange&& other) noexcept
    : context_(std::move(other.context_)), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

PinnedRange::~PinnedRange() {
  if (data_ == nullptr) return;
  const detail::CurrentDevice current(*context_, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaHostUnregister(data_)));
  context_->subtract(&detail::Counters::pinned_bytes, bytes_);
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
}  // namespace fugu::device
