// Contexts, streams, events and the throwing half of the CUDA call macro.
#include "fugu/device/context.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"
#include "fugu/error.hpp"

namespace fugu::device {
namespace detail {

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());  // clears it: the next call must not report it again
  const std::string_view name(call, std::strcspn(call, "("));
  std::string text = "gpu: ";
  text.append(name).append(" failed: ").append(cudaGetErrorName(status));
  text.append(" (").append(cudaGetErrorString(status)).append(") at ");
  text.append(file).append(":").append(std::to_string(line));
  throw Error(Errc::engine, std::move(text));
}

CurrentDevice::CurrentDevice(int device_index) {
  FUGU_CUDA_CHECK(cudaGetDevice(&before_));
  if (before_ == device_index) {
    before_ = -1;
    return;
  }
  FUGU_CUDA_CHECK(cudaSetDevice(device_index));
}

CurrentDevice::~CurrentDevice() {
  if (before_ >= 0) static_cast<void>(cudaSetDevice(before_));
}

// A pool of our own keeps freed memory for the next call without touching the pool other libraries share.
ContextState::ContextState(DeviceInfo device_info) : info(std::move(device_info)) {
  const CurrentDevice current(info.index);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = info.index;
  FUGU_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t keep_all = ~std::uint64_t{0};
  const bool kept = FUGU_CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  if (!kept) {
    static_cast<void>(cudaMemPoolDestroy(pool));
    throw Error(Errc::engine, "gpu: the device's memory pool cannot be configured");
  }
}

ContextState::~ContextState() {
  static_cast<void>(FUGU_CUDA_TRY(cudaMemPoolDestroy(pool)));
}

Stats Counters::stats() const noexcept {
  Stats stats;
  stats.live_device_bytes = device_bytes;
  stats.live_pinned_bytes = pinned_bytes;
  stats.peak_device_bytes = peak_device_bytes;
  stats.live_streams = streams;
  stats.live_events = events;
  return stats;
}

Counters& process_counters() noexcept {
  static Counters counters;
  return counters;
}

namespace {

void raise_peak(Counters& counters) noexcept {
  const std::uint64_t live = counters.device_bytes;
  std::uint64_t peak = counters.peak_device_bytes;
  while (peak < live && !counters.peak_device_bytes.compare_exchange_weak(peak, live)) {
  }
}

}  // namespace

void ContextState::add(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept {
  for (Counters* to : {&counters, &process_counters()}) {
    to->*counter += amount;
    raise_peak(*to);
  }
}

void ContextState::subtract(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept {
  for (Counters* from : {&counters, &process_counters()}) from->*counter -= amount;
}

StreamState::StreamState(std::shared_ptr<ContextState> owner) : context(std::move(owner)) {
  const CurrentDevice current(context->info.index);
  FUGU_CUDA_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  context->add(&Counters::streams, 1);
}

// The pool may be destroyed next. CUDA allows that while frees are queued, but the driver then reads memory
// of its own that it has freed (580.159.04): it crashes or waits for ever, some calls later.
StreamState::~StreamState() {
  static_cast<void>(FUGU_CUDA_TRY(cudaStreamSynchronize(handle)));
  static_cast<void>(FUGU_CUDA_TRY(cudaStreamDestroy(handle)));
  context->subtract(&Counters::streams, 1);
}

void begin_launch(const Stream& stream) {
  FUGU_CUDA_CHECK(cudaSetDevice(stream.context()->info.index));
}

bool launch_is_injected(int& status) noexcept {
  cudaError_t injected = cudaSuccess;
  const bool fail = count_call(injected);
  if (fail) status = static_cast<int>(injected);
  return fail;
}

void end_launch(const char* what, int status, const char* file, int line) {
  if (status == 0) return;
  const char* slash = std::strrchr(file, '/');
  throw_cuda_error(static_cast<cudaError_t>(status), what, slash != nullptr ? slash + 1 : file, line);
}

}  // namespace detail

namespace {

DeviceInfo find_device(int index) {
  Inventory found = inventory();
  if (found.devices.empty()) throw Error(Errc::no_device, "no gpu: " + found.reason);
  if (index < 0 || static_cast<std::size_t>(index) >= found.devices.size())
    throw Error(Errc::no_device, "there is no gpu " + std::to_string(index) + ": this machine has " +
                                     std::to_string(found.devices.size()));
  return std::move(found.devices[static_cast<std::size_t>(index)]);
}

}  // namespace

Context::Context(int device_index)
    : state_(std::make_shared<detail::ContextState>(find_device(device_index))) {}

const DeviceInfo& Context::info() const noexcept {
  return state_->info;
}

Stats Context::stats() const noexcept {
  return state_->counters.stats();
}

Stats process_stats() noexcept {
  return detail::process_counters().stats();
}

void Context::synchronize() {
  const detail::CurrentDevice current(state_->info.index);
  FUGU_CUDA_CHECK(cudaDeviceSynchronize());
}

Stream::Stream(const Context& context) : state_(std::make_shared<detail::StreamState>(context.state())) {}

StreamHandle Stream::handle() const noexcept {
  return state_->handle;
}

const std::shared_ptr<detail::ContextState>& Stream::context() const noexcept {
  return state_->context;
}

void Stream::synchronize() {
  FUGU_CUDA_CHECK(cudaStreamSynchronize(state_->handle));
}

bool Stream::drain() noexcept {
  return FUGU_CUDA_TRY(cudaStreamSynchronize(state_->handle));
}

void Stream::wait(const Event& event) {
  FUGU_CUDA_CHECK(cudaStreamWaitEvent(state_->handle, event.handle(), 0));
}

Event::Event(const Context& context, EventKind kind) : context_(context.state()) {
  const detail::CurrentDevice current(context_->info.index);
  const unsigned flags = kind == EventKind::timing ? unsigned{cudaEventDefault}
                                                   : unsigned{cudaEventDisableTiming | cudaEventBlockingSync};
  FUGU_CUDA_CHECK(cudaEventCreateWithFlags(&handle_, flags));
  context_->add(&detail::Counters::events, 1);
}

Event::Event(Event&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  if (this != &other) {
    release();
    context_ = std::move(other.context_);
    handle_ = std::exchange(other.handle_, nullptr);
  }
  return *this;
}

Event::~Event() {
  release();
}

void Event::release() noexcept {
  if (handle_ == nullptr) return;
  static_cast<void>(FUGU_CUDA_TRY(cudaEventDestroy(handle_)));
  handle_ = nullptr;
  context_->subtract(&detail::Counters::events, 1);
}

void Event::record(Stream& stream) {
  const detail::CurrentDevice current(context_->info.index);
  FUGU_CUDA_CHECK(cudaEventRecord(handle_, stream.handle()));
}

void Event::synchronize() {
  FUGU_CUDA_CHECK(cudaEventSynchronize(handle_));
}

float Event::milliseconds(const Event& from, const Event& to) {
  float elapsed = 0;
  FUGU_CUDA_CHECK(cudaEventElapsedTime(&elapsed, from.handle_, to.handle_));
  return elapsed;
}

}  // namespace fugu::device
