// Launches the passes of a plan. Internal.
#pragma once

#include <bit>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/detail/element.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"

namespace fugu::spectral::cuda {

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

// In place, on one row or batch, or on two of one size. The last pass divides by 2^shift; an integer that is
// not divisible sets *inexact, which may be null as for kernels::launch_walsh_pass.
template <class T>
struct PlanRun {
  device::DeviceSpan<T> data;
  T* other;  // null: only data
  int shift;
  std::uint32_t* inexact;
};

template <class T>
void run_once(const PlanRun<T>& run, const device::Stream& stream) {
  const int log2_size = std::countr_zero(run.data.size);
  for (T* row : {run.data.data, run.other}) {
    if (row == nullptr) continue;
    device::launch_on(stream, "walsh_once", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_once(element_of<T>(), row, log2_size, run.shift, run.inexact, handle);
    });
  }
}

// `chunks_done`: for the number of rows present.
template <class T>
void run_plan(const WalshPlan& plan, const PlanRun<T>& run, std::uint32_t* chunks_done,
              const device::Stream& stream) {
  if (plan.once) return run_once(run, stream);
  const auto& passes = plan.passes;
  std::size_t done = 0;
  const auto shift_of = [&](std::size_t pass) { return pass + 1 == passes.size() ? run.shift : 0; };
  if (plan.chain) {
    device::launch_on(stream, "walsh_chain", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_chain(element_of<T>(), passes[0], passes[1], *plan.chain, chunks_done,
                                         run.data.data, run.other, run.data.size, shift_of(1), run.inexact,
                                         handle);
    });
    done = 2;
  }
  for (; done < passes.size(); ++done) {
    for (T* row : {run.data.data, run.other}) {
      if (row == nullptr) continue;
      device::launch_on(stream, "walsh_pass", [&](device::StreamHandle handle) {
        return kernels::launch_walsh_pass(element_of<T>(), passes[done], row, run.data.size, shift_of(done),
                                          run.inexact, handle);
      });
    }
  }
}

template <class T>
void run_plan(const WalshPlan& plan, device::DeviceSpan<T> data, int shift, std::uint32_t* inexact,
              const device::Stream& stream) {
  const ChainCounters counters(plan, 1, stream);
  run_plan(plan, PlanRun<T>{data, nullptr, shift, inexact}, counters.of_row(0), stream);
}

}  // namespace fugu::spectral::cuda
