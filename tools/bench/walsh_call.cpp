// The processor time of one call of the library's walsh(), all threads together, for
// tools/bench/python_overhead.
//
// usage: walsh_call LOG2_SIZE CALLS        prints seconds per call: of walsh(), and of walsh_if_exact()
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "fugu/spectral/walsh.hpp"

namespace {

constexpr std::size_t kAlignment = 4096;

template <class Call>
double seconds_per_call(long calls, Call call) {
  call();
  const std::clock_t begin = std::clock();
  for (long i = 0; i < calls; ++i) call();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(calls);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fugu::spectral;
  if (argc != 3) return 1;
  const int n = std::atoi(argv[1]);
  const long calls = std::atol(argv[2]);
  // Memory like that of a large NumPy array, which requests huge pages. If vectors cross cache lines, as in
  // memory from new, a transform takes up to half as long again.
  const std::size_t size = std::size_t{1} << n;
  void* memory = std::aligned_alloc(kAlignment, std::max(size * sizeof(std::int32_t), kAlignment));
  if (memory == nullptr) return 1;
  if (n >= 20) ::madvise(memory, size * sizeof(std::int32_t), MADV_HUGEPAGE);
  std::memset(memory, 0, size * sizeof(std::int32_t));
  const std::span data(static_cast<std::int32_t*>(memory), size);
  const double alone = seconds_per_call(calls, [&] { walsh(data, n); });
  const double if_exact = seconds_per_call(calls, [&] {
    if (!walsh_if_exact(data, n)) std::abort();
  });
  std::printf("%.9f %.9f\n", alone, if_exact);
  return 0;
}
