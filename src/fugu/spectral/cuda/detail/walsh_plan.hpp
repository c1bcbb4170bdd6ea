// The passes over device memory of a Walsh transform: plans, which are plain arithmetic and tested without a
// GPU, and their launches. Internal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "fugu/core/half.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "fugu/error.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

struct Chip {
  std::size_t shared_bytes;  // shared memory available to a block
  std::size_t cache_bytes;   // second-level cache
  int multiprocessors = 0;
  int once_blocks_per_multiprocessor = 1;  // launch_walsh_once's, resident at the same time
};

struct WalshPlan {
  std::vector<kernels::WalshPass> passes;    // in order
  std::optional<kernels::ChainShape> chain;  // the first two passes are one launch
  bool once = false;                         // no passes: launch_walsh_once does it all
};

// Does each of the stages [0, log2_size) of rows of 2^log2_size exactly once. A single row is done by
// launch_walsh_once if that takes it and all its blocks fit on the chip. `values` is the size of the whole
// batch; `aligned`: it begins at a multiple of kernels::kPieceBytes.
WalshPlan plan_walsh(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip,
                     bool aligned = true);

// A strided pass of the stages [first, first + stages) on tiles of 2^tile_bits.
kernels::WalshPass strided_pass(int tile_bits, int register_bits, int first, int stages);

// The stages [first, first + stages) of rows of at least that many bits; `first` is at least a tile's bits.
std::vector<kernels::WalshPass> plan_stages(int first, int stages, std::size_t element_bytes,
                                            const Chip& chip, bool aligned = true);

// A batch of rows in passes of which the first is contiguous, on tiles that are not ring tiles.
WalshPlan plan_rows(int log2_size, std::uint64_t values, std::size_t element_bytes, const Chip& chip);

// The passes of a dyadic convolution of two rows of 2^log2_size: `forward` on f and on g, `middle` fused,
// `forward` again on f for the inverse.
struct ConvolutionPlan {
  WalshPlan forward;
  kernels::WalshPass middle;
};
ConvolutionPlan plan_convolution(int log2_size, std::size_t element_bytes, const Chip& chip,
                                 bool aligned = true);

// A Boolean spectrum of more than 14 variables: bits become 16-bit values in passes[0] (of
// kernels::kBooleanFirstStages stages), 32-bit values in passes[1].
std::vector<kernels::WalshPass> plan_boolean(int variables);

// The Moebius transform of a packed truth table: stages of the index of a word of 32 values.
std::vector<kernels::WalshPass> plan_moebius(int variables);

// The launchers' name of a C++ type.
template <class T>
constexpr kernels::Element element_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return kernels::Element::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return kernels::Element::int64;
  if constexpr (std::is_same_v<T, float>) return kernels::Element::float32;
  if constexpr (std::is_same_v<T, double>) return kernels::Element::float64;
  if constexpr (std::is_same_v<T, core::Float16>) return kernels::Element::float16;
  if constexpr (std::is_same_v<T, core::Bfloat16>) return kernels::Element::bfloat16;
}

inline Chip chip_of(const device::Context& context) {
  const device::DeviceInfo& info = context.info();
  return {info.shared_bytes_per_block, info.l2_bytes, info.multiprocessors, 1};
}

// Throws Error{no_device} if the passes on packed truth tables do not fit.
inline void check_boolean_tiles(const device::Context& context) {
  if (context.info().shared_bytes_per_block <
      kernels::tile_shared_bytes(kernels::kTileBits, sizeof(std::int32_t))) {
    throw Error(Errc::no_device, "Boolean spectra need a GPU with 68 KB of shared memory per block");
  }
}

// The alignment that plans on ring tiles need.
inline bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kernels::kPieceBytes == 0;
}

// The counters of a plan's chain, for a number of rows: all zeroed at once, so that runs follow each other
// without a gap.
class ChainCounters {
 public:
  ChainCounters(const WalshPlan& plan, std::size_t rows, const device::Stream& stream)
      : chunks_(plan.chain ? static_cast<std::size_t>(plan.chain->chunks) : 0),
        counters_(stream, rows * chunks_, device::Contents::open) {
    device::wipe(counters_.span(), stream);
  }

  std::uint32_t* of_row(std::size_t row) const { return counters_.data() + row * chunks_; }

 private:
  std::size_t chunks_;
  device::Buffer<std::uint32_t> counters_;
};

// One row or batch, or two of one size. The last pass scales.
template <class T>
struct PlanRun {
  const T* in;
  device::DeviceSpan<T> out;  // in is out.data, or does not overlap it
  T* other = nullptr;         // a second one, in place
  kernels::Scaling scaling = {};
};

template <class T, class Launch>
void for_rows(const PlanRun<T>& run, const T* in, const Launch& launch) {
  launch(in, run.out.data);
  if (run.other != nullptr) launch(run.other, run.other);
}

template <class T>
void run_once(const PlanRun<T>& run, const device::Stream& stream) {
  const int log2_size = std::countr_zero(run.out.size);
  for_rows(run, run.in, [&](const T* in, T* out) {
    device::launch_on(stream, "walsh_once", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_once(element_of<T>(), in, out, log2_size, run.scaling, handle);
    });
  });
}

// `chunks_done`: for the number of rows present.
template <class T>
void run_plan(const WalshPlan& plan, const PlanRun<T>& run, std::uint32_t* chunks_done,
              const device::Stream& stream) {
  if (plan.once) return run_once(run, stream);
  const auto& passes = plan.passes;
  std::size_t done = 0;
  const auto scaling_of = [&](std::size_t pass) {
    return pass + 1 == passes.size() ? run.scaling : kernels::Scaling();
  };
  if (plan.chain) {
    device::launch_on(stream, "walsh_chain", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_chain(element_of<T>(), passes[0], passes[1], *plan.chain, chunks_done,
                                         run.in, run.out.data, run.other, run.out.size, scaling_of(1),
                                         handle);
    });
    done = 2;
  }
  for (; done < passes.size(); ++done) {
    for_rows(run, done == 0 ? run.in : run.out.data, [&](const T* in, T* out) {
      device::launch_on(stream, "walsh_pass", [&](device::StreamHandle handle) {
        return kernels::launch_walsh_pass(element_of<T>(), passes[done], in, out, run.out.size,
                                          scaling_of(done), handle);
      });
    });
  }
}

template <class T>
void run_plan(const WalshPlan& plan, const PlanRun<T>& run, const device::Stream& stream) {
  const ChainCounters counters(plan, 1, stream);
  run_plan(plan, run, counters.of_row(0), stream);
}

template <class T>
void run_plan(const WalshPlan& plan, device::DeviceSpan<T> data, const device::Stream& stream) {
  run_plan(plan, PlanRun<T>{data.data, data}, stream);
}

}  // namespace fugu::spectral::cuda
