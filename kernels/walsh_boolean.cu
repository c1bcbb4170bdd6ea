// The passes of Boolean spectra: packed bits in, 16-bit values between, 32-bit values or only statistics out.
#include "kernels/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// Counts W / 2. Most values of a spectrum are small, so the middle of the range is counted in the block's own
// memory and added to the device's counters once a block; the rest goes there at once.
constexpr int kBlockHalf = 1024;

struct StatisticsSink {
  SpectrumStatistics statistics;
  std::uint32_t largest;

  __device__ static std::uint32_t* block_counts() {
    __shared__ std::uint32_t counts[2 * kBlockHalf + 1];
    return counts;
  }

  __device__ void begin() {
    largest = 0;
    if (statistics.counts == nullptr) return;
    for (int i = static_cast<int>(threadIdx.x); i <= 2 * kBlockHalf; i += static_cast<int>(blockDim.x)) {
      block_counts()[i] = 0;
    }
  }

  __device__ void operator()(std::uint64_t, std::int32_t value) {
    const std::uint32_t magnitude =
        value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
    largest = magnitude > largest ? magnitude : largest;
    if (statistics.counts != nullptr) count(value);
  }

  __device__ void count(std::int32_t value) {
    const std::int32_t halved = value / 2;
    if (halved >= -kBlockHalf && halved <= kBlockHalf) {
      atomicAdd(&block_counts()[halved + kBlockHalf], 1u);
    } else if (halved >= -statistics.half && halved <= statistics.half) {
      atomicAdd(&statistics.counts[halved + statistics.half], 1u);
    } else {
      const std::uint32_t slot = atomicAdd(statistics.other_count, 1u);
      if (slot < statistics.other_capacity) statistics.others[slot] = value;
    }
  }

  __device__ void end() {
    for (int distance = 16; distance != 0; distance /= 2) {
      const std::uint32_t other = __shfl_xor_sync(0xffffffffu, largest, distance);
      largest = other > largest ? other : largest;
    }
    // Most warps find nothing new: a stale read only costs an atomic.
    if (threadIdx.x % 32 == 0 && largest > *statistics.max_abs) atomicMax(statistics.max_abs, largest);
    if (statistics.counts == nullptr) return;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i <= 2 * kBlockHalf; i += static_cast<int>(blockDim.x)) {
      const std::uint32_t counted = block_counts()[i];
      // A value within the block's window is within the device's, or does not occur.
      if (counted != 0) atomicAdd(&statistics.counts[i - kBlockHalf + statistics.half], counted);
    }
  }
};

}  // namespace

int launch_boolean_first(const std::uint32_t* words, std::int16_t* out, int variables, CUstream_st* stream) {
  // A tile of pairs spans one stage more than 16 bits hold: its top stage is left to the next pass.
  const Plain<PairSink> sink{{reinterpret_cast<std::uint32_t*>(out)}};
  return launch_contiguous<std::int32_t, kTileBits>(StageRange{0, kBooleanFirstStages - 1},
                                                    PolarityPairSource{words}, sink,
                                                    std::uint64_t{1} << (variables - 1), stream);
}

int launch_boolean_only(const WalshPass& pass, const std::uint32_t* words, std::int32_t* out,
                        std::uint64_t values, CUstream_st* stream) {
  return launch_contiguous<std::int32_t, kTileBits>(StageRange{0, pass.to}, PolaritySource{words},
                                                    Plain<ValueSink<std::int32_t>>{{out}}, values, stream);
}

int launch_boolean_widen(const WalshPass& pass, const std::int16_t* in, std::int32_t* out,
                         std::uint64_t values, CUstream_st* stream) {
  return launch_strided<std::int32_t, kTileBits>(pass, ValueSource<std::int16_t>{in},
                                                 Plain<ValueSink<std::int32_t>>{{out}}, values, stream);
}

int launch_boolean_only_statistics(const WalshPass& pass, const std::uint32_t* words, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  return launch_contiguous<std::int32_t, kTileBits>(StageRange{0, pass.to}, PolaritySource{words},
                                                    StatisticsSink{statistics, 0}, values, stream);
}

int launch_boolean_narrow_statistics(const WalshPass& pass, const std::int16_t* in, std::uint64_t values,
                                     const SpectrumStatistics& statistics, CUstream_st* stream) {
  return launch_strided<std::int32_t, kTileBits>(pass, ValueSource<std::int16_t>{in},
                                                 StatisticsSink{statistics, 0}, values, stream);
}

int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  return launch_strided<std::int32_t, kTileBits>(pass, ValueSource<std::int32_t>{in},
                                                 StatisticsSink{statistics, 0}, values, stream);
}

}  // namespace fugu::kernels
