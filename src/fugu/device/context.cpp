// Contexts, streams, events and the throwing half of the CUDA call macro.
#include "fugu/device/context.hpp"

#include <cstring>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"
#include "fugu/error.hpp"

namespace fugu::device {
namespace detail {

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());  // clears it: the next call must not report it again
  const std::string_view name(call, std::strcspn(call, "("));
  std::string text = "GPU: ";
  text.append(name).append(" failed: ").append(cudaGetErrorName(status));
  text.append(" (").append(cudaGetErrorString(status)).append(") at ");
  text.append(file).append(":").append(std::to_string(line));
  throw Error(Errc::engine, std::move(text));
}

// If the device is already current, only one query is needed: pushing a context made the following calls 1.6
// us slower (H200). A thread without a context gets this one and keeps it: restoring a device that the thread
// has never used would start that device.
CurrentDevice::CurrentDevice(const ContextState& context) {
  const CUcontext wanted = context.primary.handle();
  CUcontext before = nullptr;
  FUGU_CUDA_CHECK_AS("cuCtxGetCurrent", driver::current_context(before));
  if (before == wanted) return;
  if (before == nullptr) {
    FUGU_CUDA_CHECK_AS("cuCtxSetCurrent", driver::set_current_context(wanted));
    return;
  }
  FUGU_CUDA_CHECK_AS("cuCtxPushCurrent", driver::push_context(wanted));
  pushed_ = true;
}

CurrentDevice::CurrentDevice(const ContextState& context, std::nothrow_t) noexcept {
  const CUcontext wanted = context.primary.handle();
  CUcontext before = nullptr;
  static_cast<void>(driver::current_context(before));
  if (before == wanted) return;
  if (before == nullptr) {
    static_cast<void>(driver::set_current_context(wanted));
  } else {
    pushed_ = driver::push_context(wanted) == cudaSuccess;
  }
}

CurrentDevice::~CurrentDevice() {
  if (pushed_) static_cast<void>(FUGU_CUDA_TRY(driver::pop_context()));
}

// The runtime starts the device without making it current.
PrimaryContext::PrimaryContext(int device_index) {
  FUGU_CUDA_CHECK(cudaInitDevice(device_index, 0, 0));
  FUGU_CUDA_CHECK_AS("cuDevicePrimaryCtxRetain",
                     driver::retain_primary_context(device_index, device_, handle_));
}

PrimaryContext::~PrimaryContext() {
  static_cast<void>(FUGU_CUDA_TRY(driver::release_primary_context(device_)));
}

// A pool of our own keeps freed memory for the next call and leaves the pool shared with other libraries
// alone.
ContextState::ContextState(DeviceInfo device_info, std::uint64_t kept_bytes)
    : info(std::move(device_info)), primary(info.index) {
  const CurrentDevice current(*this);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = info.index;
  FUGU_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  const bool kept =
      FUGU_CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes));
  if (!kept) {
    static_cast<void>(cudaMemPoolDestroy(pool));
    throw Error(Errc::engine, "GPU: the device's memory pool cannot be configured");
  }
}

// CUDA allows a pool to be destroyed while frees are queued, also on adopted streams, but the driver
// (580.159.04) then reads memory of its own after freeing it, and crashes or hangs some calls later.
ContextState::~ContextState() {
  const CurrentDevice current(*this, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaDeviceSynchronize()));
  static_cast<void>(FUGU_CUDA_TRY(cudaMemPoolDestroy(pool)));
}

Stats Counters::stats() const noexcept {
  Stats stats;
  stats.live_device_bytes = device_bytes;
  stats.live_pinned_bytes = pinned_bytes;
  stats.peak_device_bytes = peak_device_bytes;
  stats.live_streams = streams;
  stats.live_events = events;
  stats.failed_wipes = failed_wipes;
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

void ContextState::note_failed_wipe() noexcept {
  add(&Counters::failed_wipes, 1);
  wipe_failed = true;
}

void ContextState::report_failed_wipe() {
  if (wipe_failed.exchange(false)) throw Error(Errc::engine, "GPU: secret memory could not be zeroed");
}

void ContextState::refuse_unwiped_memory() const {
  if (counters.failed_wipes != 0)
    throw Error(Errc::engine, "GPU: secret memory could not be zeroed; its pool is no longer used");
}

StreamState::StreamState(const Context& on) : context(on) {
  const CurrentDevice current(*context.state());
  FUGU_CUDA_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  context.state()->add(&Counters::streams, 1);
}

StreamState::StreamState(const Context& on, cudaStream_t foreign)
    : context(on), handle(foreign), owned(false) {}

// An adopted stream goes on without a wait, unless kernels or copies that write to `answer` may be queued.
StreamState::~StreamState() {
  const CurrentDevice current(*context.state(), std::nothrow);
  if (owned || answer.bytes() != 0) static_cast<void>(FUGU_CUDA_TRY(cudaStreamSynchronize(handle)));
  if (!owned) return;
  static_cast<void>(FUGU_CUDA_TRY(cudaStreamDestroy(handle)));
  context.state()->subtract(&Counters::streams, 1);
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
  if (found.devices.empty()) throw Error(Errc::no_device, "no GPU: " + found.reason);
  if (index < 0 || static_cast<std::size_t>(index) >= found.devices.size())
    throw Error(Errc::no_device, "there is no GPU " + std::to_string(index) + ": this machine has " +
                                     std::to_string(found.devices.size()));
  return std::move(found.devices[static_cast<std::size_t>(index)]);
}

}  // namespace

Context::Context(int device_index, std::uint64_t kept_bytes)
    : state_(std::make_shared<detail::ContextState>(find_device(device_index), kept_bytes)) {}

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
  const detail::CurrentDevice current(*state_);
  FUGU_CUDA_CHECK(cudaDeviceSynchronize());
  state_->report_failed_wipe();
}

Stream::Stream(const Context& context) : state_(std::make_shared<detail::StreamState>(context)) {}

Stream Stream::adopt(const Context& context, StreamHandle foreign) {
  if (foreign == nullptr) throw Error(Errc::usage, "the null stream cannot be adopted: name a stream");
  const detail::CurrentDevice current(*context.state());
  CUcontext of_stream = nullptr;
  FUGU_CUDA_CHECK_AS("cuStreamGetCtx", detail::driver::context_of_stream(foreign, of_stream));
  if (of_stream != context.state()->primary.handle())
    throw Error(Errc::usage, "the stream belongs to another device or CUDA context");
  return Stream(std::make_shared<detail::StreamState>(context, foreign));
}

StreamHandle Stream::handle() const noexcept {
  return state_->handle;
}

const Context& Stream::context() const noexcept {
  return state_->context;
}

// The default streams have no context of their own: they belong to the current device.
void Stream::synchronize() const {
  const detail::CurrentDevice current(*context().state());
  FUGU_CUDA_CHECK(cudaStreamSynchronize(state_->handle));
  context().state()->report_failed_wipe();
}

bool Stream::drain() const noexcept {
  const detail::CurrentDevice current(*context().state(), std::nothrow);
  return FUGU_CUDA_TRY(cudaStreamSynchronize(state_->handle));
}

void Stream::wait(const Event& event) const {
  const detail::CurrentDevice current(*context().state());
  FUGU_CUDA_CHECK(cudaStreamWaitEvent(state_->handle, event.handle(), 0));
}

std::span<std::byte> Stream::answer_memory() const {
  PinnedMemory& memory = state_->answer;
  if (memory.bytes() == 0) memory = PinnedMemory(context(), kAnswerBytes);
  return {memory.data(), memory.bytes()};
}

// Small kernels answer after some 10 us. After ten times as long the thread may as well sleep, and
// synchronize() reports failures.
void Stream::await_answer(std::uint32_t& word) const {
  constexpr int kLooks = 1 << 17;
  const std::atomic_ref<std::uint32_t> answer(word);
  for (int look = 0; look < kLooks; ++look) {
    if (answer.load(std::memory_order_acquire) != kNoAnswer) return;
  }
  synchronize();
  if (answer.load(std::memory_order_acquire) == kNoAnswer)
    throw Error(Errc::engine, "the GPU ended its work without a result");
}

namespace {

EventHandle create_event(detail::ContextState& context, EventKind kind) {
  const detail::CurrentDevice current(context);
  const unsigned flags = kind == EventKind::timing ? unsigned{cudaEventDefault}
                                                   : unsigned{cudaEventDisableTiming | cudaEventBlockingSync};
  EventHandle handle = nullptr;
  FUGU_CUDA_CHECK(cudaEventCreateWithFlags(&handle, flags));
  context.add(&detail::Counters::events, 1);
  return handle;
}

}  // namespace

Event::Event(const Context& context, EventKind kind)
    : handle_(create_event(*context.state(), kind), Destroy{context.state()}) {}

void Event::Destroy::operator()(EventHandle handle) const noexcept {
  const detail::CurrentDevice current(*context, std::nothrow);
  static_cast<void>(FUGU_CUDA_TRY(cudaEventDestroy(handle)));
  context->subtract(&detail::Counters::events, 1);
}

void Event::record(const Stream& stream) {
  const detail::CurrentDevice current(context());
  FUGU_CUDA_CHECK(cudaEventRecord(handle(), stream.handle()));
}

void Event::synchronize() {
  const detail::CurrentDevice current(context());
  FUGU_CUDA_CHECK(cudaEventSynchronize(handle()));
}

float Event::milliseconds(const Event& from, const Event& to) {
  const detail::CurrentDevice current(from.context());
  float elapsed = 0;
  FUGU_CUDA_CHECK(cudaEventElapsedTime(&elapsed, from.handle(), to.handle()));
  return elapsed;
}

}  // namespace fugu::device
