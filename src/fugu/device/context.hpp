// One Context per GPU, shared by everything that computes there; streams and events on it.
//
// Rules: nothing runs on the default stream; every asynchronous call names its stream; destructors never
// throw. Streams, events and buffers keep the context's state alive, so they may die in any order. A stream
// whose last buffer is gone dies when everything queued on it is done, and a context when everything on its
// device is. Every call creates no CUDA context on any device but its own, and leaves the thread's current
// context as it was, except that a thread without one keeps that of the call's device: its later calls then
// need not make it current, and another library's in that thread mean that device until it chooses one.
#pragma once

#include <memory>
#include <new>
#include <span>
#include <utility>

#include "fugu/device/device.hpp"

struct CUstream_st;  // what cudaStream_t points to
struct CUevent_st;   // what cudaEvent_t points to

namespace fugu::device {

// CUDA's own types, so that kernels/*.cu take them without a cast.
using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;

struct Stats {
  std::uint64_t live_device_bytes = 0;
  std::uint64_t live_pinned_bytes = 0;
  std::uint64_t peak_device_bytes = 0;
  std::uint64_t live_streams = 0;
  std::uint64_t live_events = 0;
  std::uint64_t failed_wipes = 0;  // secret memory was freed unwiped
};

// The memory held by all contexts of the process together.
FUGU_EXPORT Stats process_stats() noexcept;

namespace detail {
struct ContextState;
struct StreamState;
}  // namespace detail

class Stream;

class FUGU_EXPORT Context {
 public:
  // Freed memory stays with the context for its next buffers, up to `kept_bytes` of it, and out of reach of
  // other libraries. Throws Error{no_device} when there is no such device or it cannot be used, Error{engine}
  // when it fails.
  explicit Context(int device_index, std::uint64_t kept_bytes = ~std::uint64_t{0});

  const DeviceInfo& info() const noexcept;
  Stats stats() const noexcept;

  // Waits for everything on the device. Throws Error{engine}.
  void synchronize();

  const std::shared_ptr<detail::ContextState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::ContextState> state_;
};

class Event;

// A handle: copies name the same stream. It carries its context, so a function needs nothing but the stream.
class FUGU_EXPORT Stream {
 public:
  // Creates a stream, which dies with the last handle and buffer on it.
  explicit Stream(const Context& context);

  // Adopts a stream that its owner creates and destroys, such as another library's, so that work is
  // ordered with theirs. It must outlive every handle and buffer on it. The last of these does not wait for
  // queued work, except after answer_memory(). Throws Error{usage} for the null handle, which is ambiguous
  // (CUDA names its default streams cudaStreamLegacy and cudaStreamPerThread), and for a stream of another
  // device.
  static Stream adopt(const Context& context, StreamHandle foreign);

  StreamHandle handle() const noexcept;
  const Context& context() const noexcept;

  // Blocks the calling thread until everything queued so far is done. Throws Error{engine} when any of it
  // failed.
  void synchronize() const;
  // The same for destructors and unwinding: returns false when something failed.
  bool drain() const noexcept;
  // Work queued here from now on starts after `event`.
  void wait(const Event& event) const;

  // Pinned memory of the stream, kAnswerBytes of it, for small results that the host waits for. Every caller
  // gets the same memory. Allocated on first use; not thread-safe. Throws Error{engine}.
  static constexpr std::size_t kAnswerBytes = std::size_t{1} << 20;
  std::span<std::byte> answer_memory() const;

  // Blocks until a kernel queued here replaces kNoAnswer in `word`, which lies in answer_memory(). This is
  // sooner than synchronize(), since the kernel need not have ended. Throws Error{engine} when the kernel
  // failed or ended without that.
  static constexpr std::uint32_t kNoAnswer = ~std::uint32_t{0};
  void await_answer(std::uint32_t& word) const;

  const std::shared_ptr<detail::StreamState>& state() const noexcept { return state_; }

 private:
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::StreamState> state_;
};

// A point in a stream. Timing events are for measurements; order events let the waiting thread sleep.
enum class EventKind : std::uint8_t { order, timing };

class Event {
 public:
  FUGU_EXPORT Event(const Context& context, EventKind kind);

  FUGU_EXPORT void record(const Stream& stream);
  // Blocks until the recorded point is reached; returns at once when nothing was recorded. Throws
  // Error{engine}.
  FUGU_EXPORT void synchronize();

  EventHandle handle() const noexcept { return handle_.get(); }

  // Milliseconds between two recorded and reached timing events.
  FUGU_EXPORT static float milliseconds(const Event& from, const Event& to);

 private:
  struct Destroy {
    std::shared_ptr<detail::ContextState> context;
    FUGU_EXPORT void operator()(EventHandle handle) const noexcept;
  };
  detail::ContextState& context() const noexcept { return *handle_.get_deleter().context; }

  std::unique_ptr<CUevent_st, Destroy> handle_;
};

namespace detail {

// Makes a context's device the calling thread's current one while it lives.
class FUGU_EXPORT CurrentDevice {
 public:
  // Throws Error{engine}.
  explicit CurrentDevice(const ContextState& context);
  // For destructors: if the device cannot be made current, the calls that follow fail and report it.
  CurrentDevice(const ContextState& context, std::nothrow_t) noexcept;
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  bool pushed_ = false;
};

FUGU_EXPORT void end_launch(const char* what, int status, const char* file, int line);
FUGU_EXPORT bool launch_is_injected(int& status) noexcept;

}  // namespace detail

// Runs `launch`, a callable that queues a kernel and returns CUDA's status as an int, with `stream`'s device
// current. Throws Error{engine} naming `what` and the place of the launch when the status is not success
// (clang 14 has no std::source_location).
template <class Launch>
void launch_on(const Stream& stream, const char* what, Launch&& launch, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  const detail::CurrentDevice current(*stream.context().state());
  int status = 0;
#if defined(FUGU_NO_CUDA)
  static_cast<void>(launch);  // there are no streams, so that the launchers need no stubs
#else
  if (!detail::launch_is_injected(status)) status = launch(stream.handle());
#endif
  detail::end_launch(what, status, file, line);
}

}  // namespace fugu::device
