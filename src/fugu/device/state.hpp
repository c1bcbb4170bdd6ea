// Private to the device manager: what a context and a stream share with everything made on them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>

#include "fugu/device/context.hpp"

namespace fugu::device::detail {

struct ContextState {
  explicit ContextState(DeviceInfo device_info);
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;
  ~ContextState();

  DeviceInfo info;
  cudaMemPool_t pool = nullptr;
  std::atomic<std::uint64_t> live_device_bytes = 0;
  std::atomic<std::uint64_t> live_pinned_bytes = 0;
  std::atomic<std::uint64_t> peak_device_bytes = 0;
  std::atomic<std::uint64_t> live_streams = 0;
  std::atomic<std::uint64_t> live_events = 0;
};

struct StreamState {
  explicit StreamState(std::shared_ptr<ContextState> owner);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState();

  std::shared_ptr<ContextState> context;
  cudaStream_t handle = nullptr;
};

}  // namespace fugu::device::detail
