// A warp's matrix unit on the host. PTX specifies which lanes hold which elements of the matrices ("Matrix
// Fragments for mma.m16n8k256" and "for mma.m16n8k16 with floating point type").
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/walsh/matrix_agent.hpp"
#include "spectral/fake_block.hpp"

namespace fugu::spectral::test {

// One lane's call. Results are written once all lanes have called, since no lane may rely on getting them
// earlier.
struct MatrixRequest {
  std::array<std::uint32_t, 4> a;
  std::array<std::uint32_t, 2> b;
  std::int32_t* counts = nullptr;
  float* floats = nullptr;
  std::array<kernels::Halves*, 2> halves{};
};

struct FakeMatrixUnit {
  std::vector<MatrixRequest>* requests;

  void count(std::int32_t (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) const {
    requests->push_back({.a = {a[0], a[1], a[2], a[3]}, .b = {b0, b1}, .counts = d});
  }
  void multiply(kernels::Halves& d0, kernels::Halves& d1, const kernels::HadamardMatrix& a,
                kernels::Halves b0, kernels::Halves b1) const {
    requests->push_back({.a = words(a), .b = {b0.bits, b1.bits}, .halves = {&d0, &d1}});
  }
  void multiply(float (&d)[4], const kernels::HadamardMatrix& a, kernels::Halves b0,
                kernels::Halves b1) const {
    requests->push_back({.a = words(a), .b = {b0.bits, b1.bits}, .floats = d});
  }

 private:
  static std::array<std::uint32_t, 4> words(const kernels::HadamardMatrix& a) {
    return std::to_array(a.words);
  }
};

using WarpRequests = std::array<std::vector<MatrixRequest>, 32>;

// Compute the products of the requests that the lanes made as their `at`-th.
void count_bits(WarpRequests& lanes, std::size_t at);
void multiply_halves(WarpRequests& lanes, std::size_t at);

// Calls step(state, thread, unit) for every thread, then computes the products.
template <class State, class Step>
void run_matrix_phase(std::vector<State>& threads, ThreadOrder order, Step step) {
  std::vector<WarpRequests> warps(threads.size() / 32);
  run_phase(threads, order, [&](State& state, unsigned thread) {
    step(state, thread, FakeMatrixUnit{&warps[thread / 32][thread % 32]});
  });
  for (WarpRequests& lanes : warps) {
    for (std::size_t at = 0; at < lanes[0].size(); ++at)
      lanes[0][at].counts != nullptr ? count_bits(lanes, at) : multiply_halves(lanes, at);
  }
}

// A warp's registers for one instruction, two halves per word.
using Words4 = std::array<std::array<std::uint32_t, 4>, 32>;
using Words2 = std::array<std::array<std::uint32_t, 2>, 32>;
using Floats = std::array<std::array<float, 4>, 32>;

// Returns D = A B, by sums of floats as they are in the definition of the instruction.
Floats multiply(const Words4& a, const Words2& b);

}  // namespace fugu::spectral::test
