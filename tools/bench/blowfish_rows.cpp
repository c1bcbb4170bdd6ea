// Blowfish: the libraries that are installed, beside `fugu bench --scope kernel --mode ecb,cbc,cfb,ofb,ctr
// --direction both --size 64M`; and kernels, launch shapes and links of GPUs.
#include <array>
#include <memory>

#include "bench.hpp"
#include "fugu/engine/registry.hpp"
#include "measure/kernel.hpp"
#include "measure/link.hpp"
#include "peers.hpp"

namespace fugu::bench {
namespace {

using cli::bench::EngineTrial;
using cli::bench::HostTrial;
using cli::bench::Into;
using cli::bench::KernelSession;
using cli::bench::KernelTrial;
using cli::bench::LinkTrial;
using cli::bench::Way;
using core::Direction;
using kernels::BlowfishShape;
using mode::Mode;

constexpr std::size_t kPeerBytes = std::size_t{64} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr Work kEcb{Mode::ecb, Direction::encrypt};
constexpr Work kCtr{Mode::ctr, Direction::encrypt};
constexpr Work kWorks[] = {kEcb,
                           {Mode::ecb, Direction::decrypt},
                           {Mode::cbc, Direction::encrypt},
                           {Mode::cbc, Direction::decrypt},
                           {Mode::cfb64, Direction::encrypt},
                           {Mode::cfb64, Direction::decrypt},
                           {Mode::ofb, Direction::encrypt},
                           kCtr};

// A library's Blowfish on one core, checked like every engine. Key set-up is included, which takes tens of
// microseconds.
class PeerTrial final : public HostTrial {
 public:
  PeerTrial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, const Peer& peer)
      : HostTrial(c, buffer, pool), peer_(peer) {}

  double run() override {
    const auto key = case_.key.span();
    const PeerWork work{case_.work.mode,
                        case_.work.direction == Direction::decrypt,
                        {reinterpret_cast<const unsigned char*>(key.data()), key.size()},
                        reinterpret_cast<const unsigned char*>(case_.settings.iv->data()),
                        reinterpret_cast<unsigned char*>(buffer_.data()),
                        buffer_.size()};
    return wall_seconds([&] { has_mode_ = peer_.run(work); });
  }
  void check() override {
    if (has_mode_) HostTrial::check();
  }
  bool has_mode() const { return has_mode_; }

 private:
  const Peer& peer_;
  bool has_mode_ = true;
};

void measure_peer(Bench& bench, const Peer& peer) {
  Bytes memory(kPeerBytes);
  for (const Work& work : kWorks) {
    const Case c = bench.maker.make(work, kPeerBytes);
    PeerTrial trial(c, memory.span(), bench.pool, peer);
    trial.run();
    if (!trial.has_mode()) continue;
    bench.sampler.take(c.row(Scope::kernel, peer.name, 1, "host memory"), trial);
  }
}

void take_kernel(Bench& bench, KernelSession& session, const Case& c, Scope scope, const BlowfishShape& shape,
                 Into into, std::string place) {
  KernelTrial trial(c, session, shape, bench.pool, into);
  Row row = c.row(scope, "cuda:0", 0, std::move(place));
  row.thread_blocks = shape.thread_blocks;
  row.threads_per_block = shape.threads_per_block;
  bench.sampler.take(std::move(row), trial);
}

void kernels_in_place(Bench& bench) {
  KernelSession session(0, kGiB, bench.maker.schedule());
  for (const Work& work : kWorks) {
    if (!kernel_op(work)) continue;
    const Case c = bench.maker.make(work, kGiB);
    take_kernel(bench, session, c, Scope::kernel, session.default_shape(), Into::input,
                "device memory, in place");
  }
}

std::vector<BlowfishShape> shapes_to_sweep(int sms) {
  std::vector<BlowfishShape> shapes;
  for (const int vectors : {1, 2, 4})
    for (const int threads : {256, 512, 768, 1024})
      for (const int blocks : {sms / 2, sms, 2 * sms, 8 * sms})
        if (vectors < 4 || threads <= 512) shapes.push_back({true, vectors, false, threads, blocks});
  for (const int threads : {512, 768, 1024}) shapes.push_back({true, 2, true, threads, sms});
  shapes.push_back({false, 2, false, 512, 2 * sms});  // one copy of the tables
  return shapes;
}

// ECB encryption over thread-blocks x threads per block x blocks per thread: the basis of
// kernels/blowfish/blowfish_policy.hpp.
void sweep(Bench& bench) {
  KernelSession session(0, kGiB, bench.maker.schedule());
  const Case c = bench.maker.make(kEcb, kGiB);
  session.load(c.input, bench.pool);
  for (const BlowfishShape& shape : shapes_to_sweep(session.device().multiprocessors)) {
    take_kernel(bench, session, c, Scope::sweep, shape, Into::output,
                std::string(shape.replicated ? "replicated" : "single") + " tables; " +
                    std::to_string(2 * shape.vectors) + " blocks per thread" +
                    (shape.prefetch ? "; prefetch" : ""));
  }
}

void ordinary_memory(Bench& bench) {
  const auto engine = engine::make("cuda:0");
  for (std::size_t bytes = std::size_t{1} << 20; bytes <= kGiB; bytes *= 4) {
    const Case c = bench.maker.make(kCtr, bytes);
    Bytes memory(bytes);
    EngineTrial trial(c, memory.span(), bench.pool, *engine, 0);
    bench.sampler.take(c.row(Scope::copy, "cuda:0", 0, "ordinary host memory"), trial);
  }
}

void copies_on_device(Bench& bench) {
  LinkTrial trial(0, kGiB);
  trial.choose(Way::on_device);
  bench.sampler.take({Scope::copy, "link", 0, name_of(Way::on_device), "", "device memory", kGiB}, trial);
}

// Up and down on every GPU at once: the host's total rate. Bytes are those of one direction, summed.
void links_at_once(Bench& bench) {
  std::vector<std::unique_ptr<LinkTrial>> links;
  for (const device::DeviceInfo& info : device::inventory().devices)
    links.push_back(std::make_unique<LinkTrial>(info.index, kGiB));
  CallTrial trial([&] {
    return wall_seconds([&] {
      for (const auto& link : links) link->start();
      for (const auto& link : links) link->finish();
    });
  });
  bench.sampler.take({Scope::copy, "link", 0, "both ways", std::to_string(links.size()) + " GPUs",
                      "pinned host memory", kGiB * links.size()},
                     trial);
}

}  // namespace

std::vector<BenchRow> blowfish_rows() {
  std::vector<BenchRow> rows;
  for (const Peer& peer : peers())
    rows.push_back({Scope::kernel, peer.name, [peer](Bench& bench) { measure_peer(bench, peer); }});
  rows.push_back({Scope::kernel, "in place", kernels_in_place});
  rows.push_back({Scope::sweep, "shapes", sweep});
  rows.push_back({Scope::copy, "ordinary memory", ordinary_memory});
  rows.push_back({Scope::copy, "on device", copies_on_device});
  rows.push_back({Scope::copy, "links at once", links_at_once});
  return rows;
}

}  // namespace fugu::bench
