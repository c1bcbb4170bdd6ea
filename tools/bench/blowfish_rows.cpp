// Blowfish: launch shapes of kernels.
#include "bench.hpp"
#include "measure/gpu.hpp"

namespace fugu::bench {
namespace {

using kernels::BlowfishShape;

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr Operation kEcb{mode::Mode::ecb, core::Direction::encrypt};

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
  return {{Scope::sweep, "shapes", sweep}};
}

}  // namespace fugu::bench
