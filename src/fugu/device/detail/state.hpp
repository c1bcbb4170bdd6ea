// Private to the device manager: the state that a context and a stream share with everything made on them.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>

#include "fugu/device/buffer.hpp"
#include "fugu/device/detail/inspection.hpp"

namespace fugu::device::detail {

struct Counters {
  std::atomic<std::uint64_t> device_bytes = 0;
  std::atomic<std::uint64_t> peak_device_bytes = 0;
  std::atomic<std::uint64_t> pinned_bytes = 0;
  std::atomic<std::uint64_t> streams = 0;
  std::atomic<std::uint64_t> events = 0;
  std::atomic<std::uint64_t> failed_wipes = 0;

  Stats stats() const noexcept;
};

Counters& process_counters() noexcept;

// The device's primary CUDA context, shared with the runtime and other libraries, retained while this lives.
class PrimaryContext {
 public:
  explicit PrimaryContext(int device_index);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  CUcontext handle() const noexcept { return handle_; }

 private:
  CUdevice device_ = 0;
  CUcontext handle_ = nullptr;
};

struct ContextState {
  ContextState(DeviceInfo device_info, std::uint64_t kept_bytes);
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;
  ~ContextState();

  DeviceInfo info;
  PrimaryContext primary;
  cudaMemPool_t pool = nullptr;

  // Adds to a counter here and to the process's.
  void add(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept;
  void subtract(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept;

  // Records a wipe that failed where nothing may be thrown: the next synchronisation reports it, once, and
  // every allocation from then on fails, since the pool would hand out the secrets again.
  void note_failed_wipe() noexcept;
  void report_failed_wipe();
  void refuse_unwiped_memory() const;

  Counters counters;
  std::atomic<bool> wipe_failed = false;
};

#if defined(FUGU_FAULT_INJECTION)
void note_held(const HeldMemory& memory);
void note_release(const std::byte* data) noexcept;
#else
inline void note_held(const HeldMemory&) {}
inline void note_release(const std::byte*) noexcept {}
#endif

struct StreamState {
  explicit StreamState(const Context& on);
  // Adopts `foreign`.
  StreamState(const Context& on, cudaStream_t foreign);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState();

  // Memory of the context's pool, in the stream's order. The caller of free() has made the device current.
  // allocate() throws Error{engine}.
  std::byte* allocate(std::size_t bytes);
  void free(std::byte* data, std::size_t bytes) noexcept;

  Context context;
  cudaStream_t handle = nullptr;
  bool owned = true;
  PinnedMemory answer;
};

}  // namespace fugu::device::detail
