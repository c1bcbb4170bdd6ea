// The S-box laboratory on GPU 0. A sample is a whole call on values in host memory: copies to and from the
// device, kernels, and the host's evaluation of their results.
#include <cstring>
#include <numeric>
#include <random>

#include "bench.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::bench {
namespace {

using namespace spectral;

SBox permutation(int bits) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  std::iota(values.begin(), values.end(), 0u);
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  return {bits, bits, std::move(values)};
}

std::vector<std::uint8_t> random_bytes(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> values(count);
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random());
  return values;
}

void take(Bench& bench, const std::string& mode, const std::string& box, std::uint64_t bytes,
          const std::function<void()>& call) {
  bench.sampler.take({Scope::sbox, "cuda:0", 0, mode, box, "host memory", bytes}, {.run = timed(call)});
}

// A table of permutations of `sizes` bits.
BenchRow table(const char* name, std::vector<int> sizes, void (*call)(const cuda::DeviceBox&)) {
  return {Scope::sbox, name, [=](Bench& bench) {
            const device::Stream& stream = bench.gpu().stream;
            for (const int bits : sizes) {
              const SBox box = permutation(bits);
              take(bench, name, n_is(bits), std::uint64_t{4} << bits, [&] { call({box, stream}); });
            }
          }};
}

void components_of_8x32(Bench& bench) {
  const auto bytes = random_bytes(1024);
  std::vector<std::uint32_t> values(256);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  const SBox box(8, 32, std::move(values));
  take(bench, "all components", "8 x 32", bytes.size(), [&] {
    static_cast<void>(cuda::exhaustive_components({box, bench.gpu().stream}));
  });
}

void many_boxes(Bench& bench) {
  const auto values = random_bytes(std::size_t{256} << 20);
  take(bench, "summaries", "2^20 boxes of 8 x 8", values.size(),
       [&] { static_cast<void>(cuda::summarize_boxes(8, 8, values, bench.gpu().stream)); });
}

}  // namespace

std::vector<BenchRow> sbox_rows() {
  using Box = cuda::DeviceBox;
  const std::vector<int> all{12, 14, 16, 18, 20}, with_all_tables{12, 14, 16};
  return {
      table("linear", all, [](const Box& box) { static_cast<void>(cuda::linear(box)); }),
      table("degrees", all, [](const Box& box) { static_cast<void>(cuda::component_degrees(box)); }),
      table("difference tables", all,
            [](const Box& box) { static_cast<void>(cuda::difference_tables(box)); }),
      table("boomerang", with_all_tables, [](const Box& box) { static_cast<void>(cuda::boomerang(box)); }),
      table("transparency", with_all_tables,
            [](const Box& box) { static_cast<void>(cuda::transparency_order(box)); }),
      {Scope::sbox, "components", components_of_8x32},
      {Scope::sbox, "many boxes", many_boxes},
  };
}

}  // namespace fugu::bench
