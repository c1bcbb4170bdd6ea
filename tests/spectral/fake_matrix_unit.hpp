// A warp's matrix unit on the host. PTX specifies which lanes hold which elements of the matrices ("Matrix
// Fragments for mma.m16n8k256" and "for mma.m16n8k16 with floating point type").
#pragma once

#include <array>
#include <bit>
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
  void multiply(kernels::Halves& d0, kernels::Halves& d1, kernels::HadamardMatrix a, kernels::Halves b0,
                kernels::Halves b1) const {
    requests->push_back({.a = words(a), .b = {b0.bits, b1.bits}, .halves = {&d0, &d1}});
  }
  void multiply(float (&d)[4], kernels::HadamardMatrix a, kernels::Halves b0, kernels::Halves b1) const {
    requests->push_back({.a = words(a), .b = {b0.bits, b1.bits}, .floats = d});
  }

 private:
  static std::array<std::uint32_t, 4> words(kernels::HadamardMatrix a) {
    return {a.positive, a.positive, a.positive, a.negative};
  }
};

using WarpRequests = std::array<std::vector<MatrixRequest>, 32>;

// Element (row, column) of the 16 x 8 result is element 2 (row / 8) + column % 2 of lane 4 (row % 8) + column
// / 2. Word i of A belongs to row g + 8 (i % 2), and to the same k as word b[i / 2] of B.
inline void count_bits(WarpRequests& lanes, std::size_t at) {
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      int common = 0;
      for (unsigned word = 0; word < 8; ++word) {
        const std::uint32_t a = lanes[4 * (row % 8) + word % 4][at].a[2 * (word / 4) + row / 8];
        common += std::popcount(a & lanes[4 * column + word % 4][at].b[word / 4]);
      }
      lanes[4 * (row % 8) + column / 2][at].counts[2 * (row / 8) + column % 2] += common;
    }
  }
}

inline double half_at(std::uint32_t pair, unsigned at) {
  return kernels::value_of_half(pair >> (16 * at) & 0xffff);
}

inline void multiply_halves(WarpRequests& lanes, std::size_t at) {
  double a[16][16], b[16][8];
  for (unsigned k = 0; k < 16; ++k) {
    for (unsigned row = 0; row < 16; ++row)
      a[row][k] = half_at(lanes[4 * (row % 8) + k % 8 / 2][at].a[2 * (k / 8) + row / 8], k % 2);
    for (unsigned column = 0; column < 8; ++column)
      b[k][column] = half_at(lanes[4 * column + k % 8 / 2][at].b[k / 8], k % 2);
  }
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      double sum = 0;
      for (unsigned k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      const MatrixRequest& lane = lanes[4 * (row % 8) + column / 2][at];
      if (lane.floats != nullptr) {
        lane.floats[2 * (row / 8) + column % 2] = static_cast<float>(sum);
        continue;
      }
      std::uint32_t& bits = lane.halves[row / 8]->bits;
      const unsigned shift = 16 * (column % 2);
      bits = (bits & ~(0xffffu << shift)) | kernels::nearest_half(static_cast<float>(sum)) << shift;
    }
  }
}

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

}  // namespace fugu::spectral::test
