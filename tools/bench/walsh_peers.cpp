// walsh_peers STAMP: this project's Walsh transform and the peers that were compiled in, raw samples as CSV
// on standard output. Rounds alternate, and every result is compared before anything is timed.
//
// STAMP is "machine,date,commit,command", written before every sample.
#include "walsh_peers.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral_samples.hpp"

namespace fugu::bench {
namespace {

constexpr std::size_t kRounds = 11;

// Sums of 2^24 of them are exact in single precision.
std::vector<float> bits(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 2654435761u >> 13 & 1);
  return values;
}

void require_same(const std::vector<float>& a, const std::vector<float>& b, const char* peer) {
  if (a == b) return;
  std::fprintf(stderr, "walsh_peers: %s and fugu differ\n", peer);
  std::exit(7);
}

#if defined(FUGU_HAVE_FFHT)

// Microseconds per row: short ones are timed many at a time.
double per_row(std::vector<float>& data, int n, const std::function<void(float*)>& transform) {
  const std::size_t size = std::size_t{1} << n;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < data.size(); at += size) transform(&data[at]);
  const double taken =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return taken / static_cast<double>(data.size() / size);
}

void on_cpu(const SpectralSamples& samples) {
  for (const int n : {10, 16, 20, 24}) {
    const std::size_t size = std::size_t{1} << n;
    const std::vector<float> input = bits(std::max(size, std::size_t{1} << 18));
    std::vector<float> theirs, ours;
    for (std::size_t round = 0; round <= kRounds; ++round) {
      theirs = input;  // just before each, so that both find their values in the same caches
      const double peer = per_row(theirs, n, [&](float* row) { ffht(row, n); });
      ours = input;
      const double own =
          per_row(ours, n, [&](float* row) { spectral::walsh(std::span(row, size), n, {.threads = 1}); });
      require_same(theirs, ours, "FFHT");
      if (round == 0) continue;  // warms up
      samples.add("walsh cpu", "FFHT float32 1 thread", n, round - 1, peer, 0);
      samples.add("walsh cpu", "fugu float32 1 thread", n, round - 1, own, 0);
    }
  }
}

#endif
#if defined(FUGU_HAVE_CUDA_SAMPLES)

void on_gpu(const SpectralSamples& samples) {
  const device::Context context(0);
  const device::Stream stream(context);
  device::Event from(context, device::EventKind::timing), to(context, device::EventKind::timing);
  for (const int n : {20, 24, 26, 27, 28}) {
    const std::vector<float> input = bits(std::size_t{1} << n);
    std::vector<float> theirs(input.size()), ours(input.size());
    const device::Buffer<float> there(stream, input.size(), device::Contents::open);
    const auto upload = [&] {
      device::copy_to_device(there.span(), input, stream);
      stream.synchronize();
    };
    for (std::size_t round = 0; round <= kRounds; ++round) {
      upload();
      const double peer = default_stream_microseconds([&] { cuda_samples_walsh(there.data(), n); });
      if (round == 0) device::copy_to_host(std::span(theirs), there.span(), stream);
      upload();
      from.record(stream);
      spectral::cuda::walsh(there.span(), n, spectral::Ordering::natural, stream);
      to.record(stream);
      to.synchronize();
      const double own = 1e3 * static_cast<double>(device::Event::milliseconds(from, to));
      if (round == 0) {
        device::copy_to_host(std::span(ours), there.span(), stream);
        stream.synchronize();
        if (n <= 24) require_same(theirs, ours, "cuda-samples");
        continue;
      }
      samples.add("walsh", "cuda-samples float32", n, round - 1, peer, 0);
      samples.add("walsh", "fugu float32", n, round - 1, own, 0);
    }
  }
}

#endif

}  // namespace
}  // namespace fugu::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: walsh_peers STAMP\n");
    return 1;
  }
  const fugu::bench::SpectralSamples samples(argv[1]);
#if defined(FUGU_HAVE_FFHT)
  fugu::bench::on_cpu(samples);
#endif
#if defined(FUGU_HAVE_CUDA_SAMPLES)
  fugu::bench::on_gpu(samples);
#endif
  return 0;
}
