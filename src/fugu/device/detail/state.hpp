// Private to the device manager: what a context and a stream share with everything made on them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>

#include "fugu/device/context.hpp"
#include "fugu/device/detail/inspection.hpp"

namespace fugu::device::detail {

struct Counters {
  std::atomic<std::uint64_t> device_bytes = 0;
  std::atomic<std::uint64_t> peak_device_bytes = 0;
  std::atomic<std::uint64_t> pinned_bytes = 0;
  std::atomic<std::uint64_t> streams = 0;
  std::atomic<std::uint64_t> events = 0;

  Stats stats() const noexcept;
};

Counters& process_counters() noexcept;

struct ContextState {
  explicit ContextState(DeviceInfo device_info);
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;
  ~ContextState();

  DeviceInfo info;
  cudaMemPool_t pool = nullptr;

  // Adds to a counter here and to the process's own.
  void add(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept;
  void subtract(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t amount) noexcept;

  Counters counters;
};

#if defined(FUGU_FAULT_INJECTION)
void note_held(const HeldMemory& memory);
void note_release(const std::byte* data) noexcept;
#else
inline void note_held(const HeldMemory&) {}
inline void note_release(const std::byte*) noexcept {}
#endif

struct StreamState {
  explicit StreamState(std::shared_ptr<ContextState> owner);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState();

  std::shared_ptr<ContextState> context;
  cudaStream_t handle = nullptr;
};

}  // namespace fugu::device::detail
