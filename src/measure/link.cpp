#include "measure/link.hpp"

#include <algorithm>
#include <cstring>

#include "fugu/device/buffer.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kLinkBytes = std::size_t{128} << 20;

double seconds_between(const device::Event& from, const device::Event& to) {
  return 1e-3 * static_cast<double>(device::Event::milliseconds(from, to));
}

}  // namespace

std::vector<Row> measure_link(int device_index, int runs) {
  device::Context context(device_index);
  device::Stream up(context), down(context);
  device::Event start(context, device::EventKind::timing), up_done(context, device::EventKind::timing),
      down_done(context, device::EventKind::timing);
  device::PinnedBuffer<std::byte> from(context, kLinkBytes), to(context, kLinkBytes);
  const device::Buffer<std::byte> first(up, kLinkBytes, device::Contents::open),
      second(down, kLinkBytes, device::Contents::open);
  std::memset(from.data(), 0x5a, kLinkBytes);
  context.synchronize();
  Sampler sampler{runs};
  const auto take = [&](const char* name, bool goes_up, bool goes_down) {
    const auto run = [&] {
      start.record(up);
      down.wait(start);
      if (goes_up) device::copy_to_device(first.span(), from.span(), up);
      if (goes_down) device::copy_to_host(to.span(), second.span(), down);
      up_done.record(up);
      down_done.record(down);
      up_done.synchronize();
      down_done.synchronize();
      return std::max(seconds_between(start, up_done), seconds_between(start, down_done));
    };
    sampler.take({Scope::copy, "link", 0, name, "", "pinned host memory", kLinkBytes}, {.run = run});
  };
  take("host to device", true, false);
  take("device to host", false, true);
  take("both ways", true, true);
  return sampler.rows;
}

double fastest_way(const std::vector<Row>& link) {
  double fastest = 0;
  for (const Row& row : link)
    for (const Sample& sample : row.samples) fastest = std::max(fastest, 1e9 * row.gb_per_s(sample));
  return fastest;
}

double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes) {
  constexpr double kMeasuredShort = 1.05;
  return static_cast<double>(bytes) / (kMeasuredShort * fastest_bytes_per_second);
}

}  // namespace fugu::cli::bench
