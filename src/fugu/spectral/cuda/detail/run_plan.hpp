// Launches the passes of a plan. Internal.
#pragma once

#include <bit>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/detail/element.hpp"

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
