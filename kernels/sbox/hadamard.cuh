// Products with Hadamard matrices by matrix instructions.
#pragma once

#include "kernels/sbox/hadamard.hpp"

namespace fugu::kernels {

// The Hadamard matrix in the registers of a warp. Needs compute capability 8.0.
class Hadamard {
 public:
  // `one` is the half that represents 1.
  __device__ explicit Hadamard(std::uint32_t one) {
    FUGU_UNROLL
    for (unsigned w = 0; w < 4; ++w) words_[w] = hadamard_word(threadIdx.x % 32, w, one);
  }

  // Multiplies in place. Halves must hold the partial sums, too.
  __device__ void from_left(std::uint32_t (&x)[4]) const {
    FUGU_UNROLL
    for (unsigned n = 0; n < 2; ++n) {
      std::uint32_t d[2] = {};
      multiply(d, words_, x[2 * n], x[2 * n + 1]);
      x[2 * n] = d[0], x[2 * n + 1] = d[1];
    }
  }
  // Multiplies in place, and adds `first` to word 0 and `others` to the other words.
  __device__ void from_right(std::uint32_t (&x)[4], std::uint32_t first, std::uint32_t others) const {
    std::uint32_t low[2] = {first, others}, high[2] = {others, others};
    multiply(low, x, words_[0], words_[2]);
    multiply(high, x, words_[1], words_[3]);
    x[0] = low[0], x[1] = low[1], x[2] = high[0], x[3] = high[1];
  }

  // Computes the words 2 n and 2 n + 1 of the product, low and high halves, as 32-bit numbers.
  __device__ void from_left(const std::uint32_t (&x)[4], unsigned n, float (&d)[4]) const {
    multiply(d, words_, x[2 * n], x[2 * n + 1]);
  }
  __device__ void from_right(const std::uint32_t (&x)[4], unsigned n, float (&d)[4]) const {
    multiply(d, x, words_[n], words_[n + 2]);
  }

 private:
  __device__ static void multiply(std::uint32_t (&d)[2], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
  }
  __device__ static void multiply(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0F));
#endif
  }

  std::uint32_t words_[4];
};

}  // namespace fugu::kernels
