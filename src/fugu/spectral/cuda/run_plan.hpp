// Launches the passes of a plan. Internal.
#pragma once

#include "fugu/spectral/cuda/element.hpp"
#include "fugu/spectral/cuda/queue.hpp"
#include "fugu/spectral/cuda/walsh_plan.hpp"

namespace fugu::spectral::cuda {

// In place. The last pass divides by 2^shift; an integer that does not divide sets *inexact, which may be
// null when shift is 0.
template <class T>
void run_plan(const WalshPlan& plan, device::DeviceSpan<T> data, int shift, std::uint32_t* inexact,
              const Queue& queue) {
  const auto& passes = plan.passes;
  std::size_t done = 0;
  const auto shift_of = [&](std::size_t pass) { return pass + 1 == passes.size() ? shift : 0; };
  if (plan.chain) {
    const device::Buffer<std::uint32_t> chunks_done(queue.stream, plan.chain->chunks, device::Contents::open);
    device::launch_on(queue.stream, "walsh_chain", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_chain(element_of<T>(), passes[0], passes[1], *plan.chain,
                                         chunks_done.data(), data.data, data.size, shift_of(1), inexact,
                                         handle);
    });
    done = 2;
  }
  for (; done < passes.size(); ++done) {
    device::launch_on(queue.stream, "walsh_pass", [&](device::StreamHandle handle) {
      return kernels::launch_walsh_pass(element_of<T>(), passes[done], data.data, data.size, shift_of(done),
                                        inexact, handle);
    });
  }
}

}  // namespace fugu::spectral::cuda
