// Kernel scope and link scope: what the device does with data it holds, and what the link to it carries.
//
// Every shape is checked against the scalar engine before it is timed.
#include "gpu_kernel.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "fugu/cipher/schedule.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/engine/registry.hpp"
#include "kernels/launch.hpp"

namespace fugu::bench {
namespace {

using kernels::BlowfishOp;
using kernels::BlowfishShape;
using kernels::WordOrder;

constexpr std::uint64_t kIv = 0x0123456789abcdefu;

struct NamedOp {
  BlowfishOp op;
  const char* name;
};
constexpr NamedOp kOps[] = {{BlowfishOp::ecb_encrypt, "ecb_encrypt"},
                            {BlowfishOp::ecb_decrypt, "ecb_decrypt"},
                            {BlowfishOp::ctr, "ctr"},
                            {BlowfishOp::cbc_decrypt, "cbc_decrypt"},
                            {BlowfishOp::cfb_decrypt, "cfb_decrypt"}};

std::string shape_text(const BlowfishShape& shape) {
  return std::string(shape.replicated ? "replicated" : "single") + " " + std::to_string(shape.thread_blocks) +
         "x" + std::to_string(shape.threads_per_block) + "x" + std::to_string(2 * shape.vectors) +
         (shape.prefetch ? " prefetch" : "");
}

class KernelBench {
 public:
  explicit KernelBench(std::uint64_t bytes)
      : bytes_(bytes),
        stream_(context_),
        in_(stream_, bytes, device::Contents::open),
        out_(stream_, bytes, device::Contents::open),
        schedule_words_(stream_, kernels::kScheduleWords),
        chain_(stream_, 4096) {
    const std::vector<std::byte> key(16, std::byte{0x5c});
    cipher::expand(key, schedule_);
    device::copy_to_device(schedule_words_.span().subspan(0, core::kSubkeys),
                           std::span<const std::uint32_t>(schedule_.p), stream_);
    device::copy_to_device(schedule_words_.span().subspan(core::kSubkeys, 1024),
                           std::span<const std::uint32_t>(&schedule_.s[0][0], 1024), stream_);
    stream_.synchronize();
    // Counter mode over zeros: data without a pattern. Under another counter than the runs, or one would undo
    // it.
    device::wipe(in_.span(), stream_);
    queue(BlowfishOp::ctr, default_shape(), in_.data(), in_.data(), bytes_ / 8, ~kIv);
    stream_.synchronize();
  }

  BlowfishShape default_shape() const {
    const device::DeviceInfo& info = context_.info();
    return kernels::blowfish_shape(info.multiprocessors, info.shared_bytes_per_block,
                                   info.max_threads_per_block);
  }

  void check(const NamedOp& op, const BlowfishShape& shape) {
    constexpr std::size_t blocks = 1000003;
    std::vector<std::byte> in(8 * blocks);
    std::vector<std::byte> got(8 * blocks);
    std::vector<std::byte> want(8 * blocks);
    device::copy_to_host(std::span(in), in_.span().subspan(0, in.size()), stream_);
    queue(op.op, shape, in_.data(), out_.data(), blocks);
    device::copy_to_host(std::span(got), out_.span().subspan(0, got.size()), stream_);
    stream_.synchronize();
    engine::Segment segment;
    segment.schedule = &schedule_;
    segment.iv = kIv;
    segment.in = in;
    segment.out = want;
    engine::make("cpu/scalar")->run(static_cast<engine::Op>(op.op), {&segment, 1});
    if (got != want)
      throw std::runtime_error(std::string(op.name) + " " + shape_text(shape) + ": wrong output");
  }

  std::vector<double> time(const NamedOp& op, const BlowfishShape& shape, int samples, bool in_place) {
    device::Event start(context_, device::EventKind::timing);
    device::Event stop(context_, device::EventKind::timing);
    std::byte* to = in_place ? in_.data() : out_.data();
    std::vector<double> seconds;
    for (int i = -3; i < samples; ++i) {
      start.record(stream_);
      queue(op.op, shape, in_.data(), to, bytes_ / 8);
      stop.record(stream_);
      stop.synchronize();
      if (i >= 0) seconds.push_back(1e-3 * static_cast<double>(device::Event::milliseconds(start, stop)));
    }
    return seconds;
  }

 private:
  void queue(BlowfishOp op, const BlowfishShape& shape, const std::byte* in, std::byte* out,
             std::uint64_t blocks, std::uint64_t iv = kIv) {
    kernels::BlowfishArguments arguments{};
    arguments.segments[0] = {in, out, schedule_words_.data(), blocks, iv, 0};
    arguments.segment_count = 1;
    arguments.chain = chain_.data();
    device::launch_on(stream_, "blowfish kernel", [&](device::StreamHandle stream) {
      const int status = kernels::prepare_blowfish(op, WordOrder::big, shape);
      return status != 0 ? status : kernels::launch_blowfish(op, WordOrder::big, arguments, shape, stream);
    });
  }

  std::uint64_t bytes_;
  device::Context context_{0};
  device::Stream stream_;
  device::Buffer<std::byte> in_;
  device::Buffer<std::byte> out_;
  device::Buffer<std::uint32_t> schedule_words_;
  device::Buffer<std::uint64_t> chain_;
  cipher::Schedule schedule_;
};

}  // namespace

void bench_kernels(Samples& samples, std::uint64_t bytes, int count) {
  KernelBench bench(bytes);
  const BlowfishShape shape = bench.default_shape();
  BlowfishShape single = shape;
  single.replicated = false;
  single.threads_per_block = 512;
  single.thread_blocks *= 2;
  for (const NamedOp& op : kOps) {
    bench.check(op, shape);
    samples.add("kernel", op.name, shape_text(shape), bytes, bench.time(op, shape, count, false));
    samples.add("kernel", std::string(op.name) + " in place", shape_text(shape), bytes,
                bench.time(op, shape, count, true));
    bench.check(op, single);
  }
  samples.add("kernel", "ecb_encrypt", shape_text(single), bytes, bench.time(kOps[0], single, 3, false));
}

void bench_sweep(Samples& samples, std::uint64_t bytes, int count) {
  KernelBench bench(bytes);
  const int sms = bench.default_shape().thread_blocks;
  std::vector<BlowfishShape> shapes;
  for (const int vectors : {1, 2, 4})
    for (const int threads : {256, 512, 768, 1024})
      for (const int blocks : {sms / 2, sms, 2 * sms, 8 * sms})
        if (vectors < 4 || threads <= 512) shapes.push_back({true, vectors, false, threads, blocks});
  for (const int threads : {512, 768, 1024}) shapes.push_back({true, 2, true, threads, sms});
  for (const BlowfishShape& shape : shapes) {
    bench.check(kOps[0], shape);
    samples.add("sweep", kOps[0].name, shape_text(shape), bytes, bench.time(kOps[0], shape, count, false));
  }
}

void bench_one_kernel(const std::string& name, std::uint64_t bytes) {
  KernelBench bench(bytes);
  const BlowfishShape shape = bench.default_shape();
  for (const NamedOp& op : kOps)
    if (name == op.name) bench.time(op, shape, 1, false);
}

void bench_link(Samples& samples, std::uint64_t bytes, int count) {
  device::Context context(0);
  device::Stream up(context);
  device::Stream down(context);
  device::PinnedBuffer<std::byte> from(context, bytes);
  device::PinnedBuffer<std::byte> to(context, bytes);
  device::Buffer<std::byte> first(up, bytes, device::Contents::open);
  device::Buffer<std::byte> second(down, bytes, device::Contents::open);
  std::memset(from.data(), 0x5a, bytes);
  context.synchronize();
  device::Event start(context, device::EventKind::timing);
  device::Event up_done(context, device::EventKind::timing);
  device::Event down_done(context, device::EventKind::timing);
  const auto measure = [&](bool upward, bool downward) {
    std::vector<double> seconds;
    for (int i = -1; i < count; ++i) {
      start.record(up);
      down.wait(start);
      if (upward) device::copy_to_device(first.span(), from.span(), up);
      if (downward) device::copy_to_host(to.span(), second.span(), down);
      up_done.record(up);
      down_done.record(down);
      up_done.synchronize();
      down_done.synchronize();
      const double up_ms = static_cast<double>(device::Event::milliseconds(start, up_done));
      const double down_ms = static_cast<double>(device::Event::milliseconds(start, down_done));
      if (i >= 0) seconds.push_back(1e-3 * std::max(up_ms, down_ms));
    }
    return seconds;
  };
  samples.add("link", "host to device", "", bytes, measure(true, false));
  samples.add("link", "device to host", "", bytes, measure(false, true));
  samples.add("link", "both each way", "", bytes, measure(true, true));
  std::vector<double> on_device;
  for (int i = 0; i < count; ++i) {
    start.record(up);
    device::copy_on_device(second.span(), first.span(), up);
    up_done.record(up);
    up_done.synchronize();
    on_device.push_back(1e-3 * static_cast<double>(device::Event::milliseconds(start, up_done)));
  }
  samples.add("link", "on device (one way)", "", bytes, on_device);
}

namespace {

// Both directions of one device's link.
struct Link {
  Link(int index, std::uint64_t bytes)
      : context(index),
        from(context, bytes),
        to(context, bytes),
        first(up, bytes, device::Contents::open),
        second(down, bytes, device::Contents::open) {
    std::memset(from.data(), 0x5a, bytes);
    context.synchronize();
  }

  void start() {
    device::copy_to_device(first.span(), from.span(), up);
    device::copy_to_host(to.span(), second.span(), down);
  }

  device::Context context;
  device::Stream up{context};
  device::Stream down{context};
  device::PinnedBuffer<std::byte> from;
  device::PinnedBuffer<std::byte> to;
  device::Buffer<std::byte> first;
  device::Buffer<std::byte> second;
};

}  // namespace

void bench_link_all(Samples& samples, std::uint64_t bytes, int count) {
  std::vector<std::unique_ptr<Link>> links;
  for (const device::DeviceInfo& info : device::inventory().devices)
    links.push_back(std::make_unique<Link>(info.index, bytes));
  std::vector<double> seconds;
  for (int i = -1; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& link : links) link->start();
    for (const auto& link : links) link->context.synchronize();
    const auto end = std::chrono::steady_clock::now();
    if (i >= 0) seconds.push_back(std::chrono::duration<double>(end - begin).count());
  }
  samples.add("link", std::to_string(links.size()) + " gpus both each way", "", bytes * links.size(),
              seconds);
}

}  // namespace fugu::bench
