// Blowfish: the libraries that are installed, beside `fugu bench --scope kernel --mode ecb,cbc,cfb,ofb,ctr
// --direction both --size 64M`; and launch shapes of kernels.
#include "bench.hpp"
#include "measure/kernel.hpp"
#include "peers.hpp"

namespace fugu::bench {
namespace {

using cli::bench::KernelSession;
using core::Direction;
using kernels::BlowfishShape;
using mode::Mode;

constexpr std::size_t kPeerBytes = std::size_t{64} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr Work kEcb{Mode::ecb, Direction::encrypt};
constexpr Work kWorks[] = {kEcb,
                           {Mode::ecb, Direction::decrypt},
                           {Mode::cbc, Direction::encrypt},
                           {Mode::cbc, Direction::decrypt},
                           {Mode::cfb64, Direction::encrypt},
                           {Mode::cfb64, Direction::decrypt},
                           {Mode::ofb, Direction::encrypt},
                           {Mode::ctr, Direction::encrypt}};

// A library's Blowfish on one core, checked like every engine. Key set-up is included, which takes tens of
// microseconds.
void measure_peer(Bench& bench, const Peer& peer) {
  Bytes memory(kPeerBytes);
  for (const Work& work : kWorks) {
    const Case c = bench.maker.make(work, kPeerBytes);
    const auto key = c.key.span();
    const PeerWork peer_work{work.mode,
                             work.direction == Direction::decrypt,
                             {reinterpret_cast<const unsigned char*>(key.data()), key.size()},
                             reinterpret_cast<const unsigned char*>(c.settings.iv->data()),
                             reinterpret_cast<unsigned char*>(memory.span().data()),
                             memory.size()};
    if (!peer.run(peer_work)) continue;  // has no such mode
    bench.sampler.take(c.row(Scope::kernel, peer.name, 1, "host memory"),
                       host_trial(c, memory.span(), bench.pool, timed([&] { peer.run(peer_work); })));
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
    const std::string place = std::string(shape.replicated ? "replicated" : "single") + " tables; " +
                              std::to_string(2 * shape.vectors) + " blocks per thread" +
                              (shape.prefetch ? "; prefetch" : "");
    session.take(c, shape, bench.pool, c.row(Scope::sweep, "cuda:0", 0, place), bench.sampler);
  }
}

}  // namespace

std::vector<BenchRow> blowfish_rows() {
  std::vector<BenchRow> rows;
  for (const Peer& peer : peers())
    rows.push_back({Scope::kernel, peer.name, [peer](Bench& bench) { measure_peer(bench, peer); }});
  rows.push_back({Scope::sweep, "shapes", sweep});
  return rows;
}

}  // namespace fugu::bench
