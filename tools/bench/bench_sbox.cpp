// bench_sbox STAMP: times the S-box laboratory on GPU 0 and writes raw samples as CSV on standard output.
//
// STAMP is "machine,date,commit,command", written before every sample. A sample is a whole call on values in
// host memory: copies to and from the device, kernels, and the host's evaluation of their results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "fugu/core/feistel.hpp"
#include "fugu/engine/cuda/weak_keys.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace {

using namespace fugu;
using namespace fugu::spectral;

constexpr int kSamples = 5;

// Reports of boxes of at most 16 inputs have all tables.
constexpr int kMostInputsOfAllTables = 16;

template <class Call>
void measure(const char* stamp, const char* what, int inputs, int outputs, std::size_t boxes, Call call) {
  call();  // once to warm up
  for (int sample = 1; sample <= kSamples; ++sample) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    std::printf("%s,%s,%d,%d,%zu,%d,%.3f\n", stamp, what, inputs, outputs, boxes, sample, time.count());
  }
  std::fflush(stdout);
}

SBox permutation(int bits) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  std::iota(values.begin(), values.end(), 0u);
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  return {bits, bits, std::move(values)};
}

void measure_tables(const char* stamp, const SBox& box, const device::Stream& stream) {
  const auto of_box = [&](const char* what, auto call) {
    measure(stamp, what, box.inputs(), box.outputs(), 1, call);
  };
  of_box("linear", [&] { (void)cuda::linear({box, stream}); });
  of_box("component_degrees", [&] { (void)cuda::component_degrees({box, stream}); });
  of_box("differential", [&] { (void)cuda::differential({box, stream}); });
  of_box("autocorrelation", [&] { (void)cuda::autocorrelation({box, stream}); });
  of_box("difference_tables", [&] { (void)cuda::difference_tables({box, stream}); });
  if (box.inputs() > kMostInputsOfAllTables) return;
  of_box("boomerang", [&] { (void)cuda::boomerang({box, stream}); });
  of_box("transparency_order", [&] { (void)cuda::transparency_order({box, stream}); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: bench_sbox STAMP\n");
    return 1;
  }
  const device::Context context(0);
  const device::Stream stream(context);
  std::printf("machine,date,commit,command,what,inputs,outputs,boxes,sample,milliseconds\n");
  for (const int bits : {12, 14, 16, 18, 20}) measure_tables(arguments[1], permutation(bits), stream);
  std::mt19937 random(1);
  std::vector<std::uint32_t> wide(256);
  for (std::uint32_t& value : wide) value = static_cast<std::uint32_t>(random());
  const SBox blowfish_like(8, 32, std::move(wide));
  measure(arguments[1], "exhaustive_components", 8, 32, 1, [&] {
    (void)cuda::exhaustive_components({blowfish_like, stream});
  });
  std::vector<std::uint8_t> many(std::size_t{256} << 20);
  for (std::uint8_t& value : many) value = static_cast<std::uint8_t>(random());
  measure(arguments[1], "summarize_boxes", 8, 8, std::size_t{1} << 20,
          [&] { (void)cuda::summarize_boxes(8, 8, many, stream); });
  constexpr std::uint64_t kKeys = std::uint64_t{1} << 25;
  measure(arguments[1], "find_weak_keys", 8, 32, core::kSboxes * kKeys,
          [&] { (void)engine::cuda::find_weak_keys(0, kKeys, stream); });
  return 0;
}
