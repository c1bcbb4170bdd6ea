#include "measure/gpu.hpp"

#include <cstring>

#include "kernels/blowfish/blowfish_policy.hpp"

namespace fugu::cli::bench {
namespace {

using kernels::BlowfishShape;

constexpr std::size_t kStagingBytes = std::size_t{64} << 20;
constexpr std::size_t kLinkBytes = std::size_t{128} << 20;

double seconds_between(const device::Event& from, const device::Event& to) {
  return 1e-3 * static_cast<double>(device::Event::milliseconds(from, to));
}

core::Op kernel_op(const Operation& operation) {
  const bool encrypts = operation.direction == core::Direction::encrypt;
  if (operation.mode == mode::Mode::ecb) return encrypts ? core::Op::ecb_encrypt : core::Op::ecb_decrypt;
  if (operation.mode == mode::Mode::ctr) return core::Op::ctr;
  return operation.mode == mode::Mode::cbc ? core::Op::cbc_decrypt : core::Op::cfb_decrypt;
}

}  // namespace

KernelSession::KernelSession(int device_index, std::size_t bytes, const cipher::Schedule& schedule)
    : context_(device_index),
      stream_(context_),
      start_(context_, device::EventKind::timing),
      stop_(context_, device::EventKind::timing),
      input_(stream_, bytes, device::Contents::open),
      output_(stream_, bytes, device::Contents::open),
      schedule_(stream_, kernels::kScheduleWords),
      staging_(context_, std::min(bytes, kStagingBytes)) {
  device::copy_to_device(schedule_.span().subspan(0, core::kSubkeys),
                         std::span<const std::uint32_t>(schedule.p), stream_);
  device::copy_to_device(schedule_.span().subspan(core::kSubkeys, core::kSboxes * core::kSboxEntries),
                         std::span(&schedule.s[0][0], core::kSboxes * core::kSboxEntries), stream_);
  device::wipe(input_.span(), stream_);
  stream_.synchronize();
}

BlowfishShape default_shape(const device::DeviceInfo& device) {
  return kernels::choose_shape(device.multiprocessors, device.shared_bytes_per_block,
                               device.max_threads_per_block);
}

void KernelSession::load(std::span<const std::byte> input, ThreadPool& pool) {
  for (std::size_t at = 0; at < input.size(); at += staging_.size()) {
    const std::size_t size = std::min(staging_.size(), input.size() - at);
    const auto piece = staging_.span().first(size);
    copy_bytes(input.subspan(at, size), piece, pool);
    device::copy_to_device(input_.span().subspan(at, size), piece, stream_);
    stream_.synchronize();
  }
}

double kernel_seconds(core::Op op, const kernels::BlowfishArguments& arguments, const BlowfishShape& shape,
                      device::Stream& stream, device::Event& start, device::Event& stop) {
  device::launch_on(stream, "blowfish kernel", [&](device::StreamHandle) {
    return kernels::prepare_blowfish(op, core::ByteOrder::big, shape);
  });
  start.record(stream);
  device::launch_on(stream, "blowfish kernel", [&](device::StreamHandle handle) {
    return kernels::launch_blowfish(op, core::ByteOrder::big, arguments, shape, handle);
  });
  stop.record(stream);
  stop.synchronize();
  return seconds_between(start, stop);
}

double KernelSession::run(const Case& c, const BlowfishShape& shape) {
  if (chain_.size() < static_cast<std::size_t>(shape.thread_blocks))
    chain_ = device::Buffer<std::uint64_t>(stream_, static_cast<std::size_t>(shape.thread_blocks));
  kernels::BlowfishArguments arguments{};
  const std::uint64_t iv = core::load_u64_big(c.settings.iv->data());
  arguments.segments[0] = {
      input_.data(), output_.data(), schedule_.data(), c.input.size() / core::kBlockBytes, iv, 0};
  arguments.segment_count = 1;
  arguments.chain = chain_.data();
  return kernel_seconds(kernel_op(c.operation), arguments, shape, stream_, start_, stop_);
}

void KernelSession::require(std::span<const std::byte> expected, ThreadPool& pool) {
  for (std::size_t at = 0; at < expected.size(); at += staging_.size()) {
    const std::size_t size = std::min(staging_.size(), expected.size() - at);
    const auto piece = staging_.span().first(size);
    device::copy_to_host(piece, output_.span().subspan(at, size), stream_);
    stream_.synchronize();
    require_same(expected.subspan(at, size), piece, pool);
  }
}

double blowfish_floor_seconds(const device::DeviceInfo& device, std::uint64_t bytes) {
  constexpr double kLookUpsPerBlock = 64;
  constexpr double kBanks = 32;
  const double look_ups = kLookUpsPerBlock * static_cast<double>(bytes) / core::kBlockBytes;
  const double per_second = kBanks * device.multiprocessors * 1e3 * device.clock_khz;
  return look_ups / per_second;
}

void KernelSession::take(const Case& c, const BlowfishShape& shape, ThreadPool& pool, Row row,
                         Sampler& sampler) {
  row.thread_blocks = shape.thread_blocks;
  row.threads_per_block = shape.threads_per_block;
  // The wipe is only queued: while the GPU is busy with it, the launch is queued, and the events see no
  // latency.
  sampler.take(std::move(row), {.run = [&] { return run(c, shape); },
                                .spoil = [&] { device::wipe(output_.span(), stream_); },
                                .check = [&] { require(c.expected, pool); },
                                .floor_seconds = blowfish_floor_seconds(device(), c.input.size())});
}

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
