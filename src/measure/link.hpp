// The link between host memory and a GPU, which bounds every figure of the copy scope.
#pragma once

#include "fugu/device/buffer.hpp"
#include "measure/trial.hpp"

namespace fugu::cli::bench {

// both: up and down at once; on_device: from one half of the device's memory to the other.
enum class Way : std::uint8_t { host_to_device, device_to_host, both, on_device };

constexpr const char* name_of(Way way) {
  constexpr const char* kNames[] = {"host to device", "device to host", "both ways", "on device"};
  return kNames[static_cast<std::size_t>(way)];
}

// Copies between pinned host memory and one GPU. No cipher, so there is no output to check.
class Link {
 public:
  Link(int device_index, std::size_t bytes);

  // Returns seconds.
  double copy(Way way);

  Trial trial(Way way) {
    return {.run = [this, way] { return copy(way); }};
  }

 private:
  device::Context context_;
  device::Stream up_;
  device::Stream down_;
  device::Event start_;
  device::Event up_done_;
  device::Event down_done_;
  device::PinnedBuffer<std::byte> from_;
  device::PinnedBuffer<std::byte> to_;
  device::Buffer<std::byte> first_;
  device::Buffer<std::byte> second_;
};

// One row per direction.
std::vector<Row> measure_link(int device_index, int runs);

// Bytes per second of the fastest sample in one direction.
double fastest_way(const std::vector<Row>& link);

// The least time in which `bytes` cross a link that has carried `fastest_bytes_per_second` in one direction.
// Since that is also a measurement, 5 % are allowed for its error.
double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes);

}  // namespace fugu::cli::bench
