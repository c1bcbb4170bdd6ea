// One thread per block, 512 threads per thread-block, P-array and S-boxes in global memory.
//
// The project's rules keep the CUDA runtime in device/ and kernels/ and forbid the default stream. This file
// is the exception, because it reproduces the thesis's method: memory allocated for each run, pageable copies
// of everything, the default stream. Corrected against the thesis: the index reaches every block, the
// ciphertext is stored, the tables come from the key schedule, and the rounds are Blowfish's.
#include "thesis_kernel.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "fugu/core/block.hpp"
#include "fugu/core/feistel.hpp"

namespace fugu::bench {
namespace {

// The table accessor of core::run_blocks.
struct GlobalTables {
  using Word = std::uint32_t;

  template <int i>
  FUGU_HD Word sbox(const Word& x) const {
    return sboxes[i * core::kSboxEntries + (x >> (24 - 8 * i) & 0xffu)];
  }
  FUGU_HD void mix_subkey(Word& x, int i) const { x ^= subkeys[i]; }

  const std::uint32_t* subkeys;
  const std::uint32_t* sboxes;
};

__global__ void thesis_2009_kernel(const uint2* plain, uint2* cipher, GlobalTables tables) {
  const unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t left[1] = {core::byte_swap(plain[block].x)};
  std::uint32_t right[1] = {core::byte_swap(plain[block].y)};
  core::run_blocks<core::Direction::encrypt>(tables, left, right);
  cipher[block] = {core::byte_swap(left[0]), core::byte_swap(right[0])};
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

template <class T>
class GlobalMemory {
 public:
  explicit GlobalMemory(std::size_t bytes) { check(cudaMalloc(&data_, bytes)); }
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;
  ~GlobalMemory() { cudaFree(data_); }

  T* data() const { return data_; }
  void copy_from(const void* host, std::size_t bytes) {
    check(cudaMemcpy(data_, host, bytes, cudaMemcpyHostToDevice));
  }

 private:
  T* data_ = nullptr;
};

class TimingEvent {
 public:
  TimingEvent() { check(cudaEventCreate(&event_)); }
  TimingEvent(const TimingEvent&) = delete;
  TimingEvent& operator=(const TimingEvent&) = delete;
  ~TimingEvent() { cudaEventDestroy(event_); }

  void record() { check(cudaEventRecord(event_)); }
  double seconds_since(const TimingEvent& earlier) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(event_));
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Seconds since its construction or the last query, once the device has nothing left to do.
class StepClock {
 public:
  double lap() {
    check(cudaDeviceSynchronize());
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

StepSeconds run_thesis_2009(const cipher::Schedule& schedule, std::span<const std::byte> in,
                            std::span<std::byte> out) {
  TimingEvent start, stop;
  StepSeconds seconds{};
  StepClock clock;
  GlobalMemory<uint2> plain(in.size()), cipher(out.size());
  GlobalMemory<std::uint32_t> subkeys(sizeof schedule.p), sboxes(sizeof schedule.s);
  seconds.allocation = clock.lap();
  plain.copy_from(in.data(), in.size());
  cipher.copy_from(out.data(), out.size());
  subkeys.copy_from(schedule.p, sizeof schedule.p);
  sboxes.copy_from(schedule.s, sizeof schedule.s);
  seconds.to_device = clock.lap();
  start.record();
  thesis_2009_kernel<<<static_cast<unsigned>(in.size() / kThesisThreadBlockBytes), kThesisThreads>>>(
      plain.data(), cipher.data(), {subkeys.data(), sboxes.data()});
  check(cudaGetLastError());
  stop.record();
  seconds.kernel = stop.seconds_since(start);
  clock.lap();
  check(cudaMemcpy(out.data(), cipher.data(), out.size(), cudaMemcpyDeviceToHost));
  seconds.to_host = clock.lap();
  return seconds;
}

}  // namespace fugu::bench
