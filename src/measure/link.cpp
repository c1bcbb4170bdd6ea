#include "measure/link.hpp"

#include <algorithm>
#include <cstring>

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kLinkBytes = std::size_t{128} << 20;

double seconds_between(const device::Event& from, const device::Event& to) {
  return 1e-3 * static_cast<double>(device::Event::milliseconds(from, to));
}

}  // namespace

Link::Link(int device_index, std::size_t bytes)
    : context_(device_index),
      up_(context_),
      down_(context_),
      start_(context_, device::EventKind::timing),
      up_done_(context_, device::EventKind::timing),
      down_done_(context_, device::EventKind::timing),
      from_(context_, bytes),
      to_(context_, bytes),
      first_(up_, bytes, device::Contents::open),
      second_(down_, bytes, device::Contents::open) {
  std::memset(from_.data(), 0x5a, bytes);
  context_.synchronize();
}

double Link::copy(Way way) {
  const bool both = way == Way::both;
  start_.record(up_);
  down_.wait(start_);
  if (both || way == Way::host_to_device) device::copy_to_device(first_.span(), from_.span(), up_);
  if (both || way == Way::device_to_host) device::copy_to_host(to_.span(), second_.span(), down_);
  if (way == Way::on_device) device::copy_on_device(second_.span(), first_.span(), up_);
  up_done_.record(up_);
  down_done_.record(down_);
  up_done_.synchronize();
  down_done_.synchronize();
  return std::max(seconds_between(start_, up_done_), seconds_between(start_, down_done_));
}

std::vector<Row> measure_link(int device_index, int runs) {
  Link link(device_index, kLinkBytes);
  Sampler sampler{runs};
  for (const Way way : {Way::host_to_device, Way::device_to_host, Way::both})
    sampler.take({Scope::copy, "link", 0, name_of(way), "", "pinned host memory", kLinkBytes},
                 link.trial(way));
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
