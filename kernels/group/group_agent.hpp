// Fourier transforms over finite Abelian groups: the axes of a pass on one tile in shared memory, as the
// phases of one thread between barriers.
#pragma once

#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

template <class T>
struct ComplexValue {
  T re, im;
};

template <class T>
struct ComplexRing {
  using Value = ComplexValue<T>;
  const Value* roots;
  T factor;

  FUGU_HD Value zero() const { return {0, 0}; }
  FUGU_HD Value root(std::uint32_t e) const { return roots[e]; }
  FUGU_HD void add(Value& y, Value x) const {
    y.re += x.re;
    y.im += x.im;
  }
  // y += root x
  FUGU_HD void add_product(Value& y, Value x, Value root) const {
    y.re += root.re * x.re - root.im * x.im;
    y.im += root.re * x.im + root.im * x.re;
  }
  FUGU_HD Value scaled(Value x) const { return {x.re * factor, x.im * factor}; }
};

FUGU_HD constexpr int group_power(int q, int count) {
  return count == 0 ? 1 : q * group_power(q, count - 1);
}

template <class Ring>
class GroupTile {
 public:
  using Value = typename Ring::Value;

  // Thread `thread` of `threads`, of tile number `tile`; `last`: results are scaled.
  FUGU_HD GroupTile(const Ring& ring, std::uint32_t modulus, const GroupPass& pass, std::uint64_t tile,
                    std::uint64_t values, unsigned thread, unsigned threads)
      : ring_(ring), modulus_(modulus), pass_(pass), thread_(thread), threads_(threads) {
    const std::uint64_t groups = (pass.stride + pass.columns - 1) / pass.columns;
    const std::uint64_t column = tile % groups * pass.columns;
    columns_ =
        static_cast<std::uint32_t>(pass.stride - column < pass.columns ? pass.stride - column : pass.columns);
    start_ = tile / groups * pass.rows * pass.repeats * pass.stride + column;
    rows_ = pass.rows * pass.repeats;
    const std::uint64_t left = (values - start_ + pass.stride - 1) / pass.stride;
    if (left < rows_) rows_ = static_cast<std::uint32_t>(left);
  }

  FUGU_HD void load(const Value* data, Value* shared) const {
    for (std::uint32_t i = thread_; i < rows_ * columns_; i += threads_) shared[i] = data[place(i)];
  }

  FUGU_HD void store(Value* data, const Value* shared) const {
    for (std::uint32_t i = thread_; i < rows_ * columns_; i += threads_)
      data[place(i)] = ring_.scaled(shared[i]);
  }

  // Transforms axes end - count .. end - 1 of the pass, all of one radix; stage_axes() returns the count.
  FUGU_HD void stage(Value* shared, int end, int count) const {
    std::uint32_t distance = columns_;
    for (int axis = pass_.axes - 1; axis >= end; --axis) distance *= pass_.radix[axis];
    const std::uint32_t q = pass_.radix[end - 1];
    if (q == 2 && count == 4) return lines<2, 4>(shared, distance);
    if (q == 2 && count == 1) return lines<2, 1>(shared, distance);
    if (q == 3 && count == 3) return lines<3, 3>(shared, distance);
    if (q == 3 && count == 1) return lines<3, 1>(shared, distance);
    if (q == 5) return lines<5, 1>(shared, distance);
    if (q == 7) return lines<7, 1>(shared, distance);
    for (std::uint32_t line = thread_; line < rows_ * columns_ / q; line += threads_)
      any_line(shared + line / distance * distance * q + line % distance, distance, q);
  }

  // The number of axes that the stage ending with axis end - 1 transforms in registers.
  FUGU_HD static int stage_axes(const GroupPass& pass, int end) {
    const std::uint32_t q = pass.radix[end - 1];
    const int most = q == 2 ? 4 : q == 3 ? 3 : 1;
    if (end < most) return 1;
    for (int axis = end - most; axis < end; ++axis) {
      if (pass.radix[axis] != q) return 1;
    }
    return most;
  }

 private:
  FUGU_HD std::uint64_t place(std::uint32_t i) const {
    return start_ + i / columns_ * pass_.stride + i % columns_;
  }

  // Transforms q^count values, `distance` apart, in registers.
  template <int q, int count>
  FUGU_HD void lines(Value* shared, std::uint32_t distance) const {
    constexpr int kValues = group_power(q, count);
    Value roots[static_cast<std::size_t>(q)];
    FUGU_UNROLL
    for (int e = 0; e < q; ++e) roots[e] = ring_.root(static_cast<std::uint32_t>(e) * (modulus_ / q));
    for (std::uint32_t line = thread_; line < rows_ * columns_ / kValues; line += threads_) {
      Value* const from = shared + line / distance * distance * kValues + line % distance;
      Value x[static_cast<std::size_t>(kValues)];
      FUGU_UNROLL
      for (int k = 0; k < kValues; ++k) x[k] = from[static_cast<std::uint32_t>(k) * distance];
      FUGU_UNROLL
      for (int step = 1; step < kValues; step *= q) {
        FUGU_UNROLL
        for (int i = 0; i < kValues / q; ++i) transform<q>(x, i / step * step * q + i % step, step, roots);
      }
      FUGU_UNROLL
      for (int k = 0; k < kValues; ++k) from[static_cast<std::uint32_t>(k) * distance] = x[k];
    }
  }

  // x[k + z step], z < q.
  template <int q>
  FUGU_HD void transform(Value* x, int k, int step, const Value* roots) const {
    Value y[static_cast<std::size_t>(q)];
    FUGU_UNROLL
    for (int w = 0; w < q; ++w) {
      y[w] = x[k];
      FUGU_UNROLL
      for (int z = 1; z < q; ++z) {
        if (w * z % q == 0) {
          ring_.add(y[w], x[k + z * step]);
        } else {
          ring_.add_product(y[w], x[k + z * step], roots[w * z % q]);
        }
      }
    }
    FUGU_UNROLL
    for (int w = 0; w < q; ++w) x[k + w * step] = y[w];
  }

  FUGU_HD void any_line(Value* from, std::uint32_t distance, std::uint32_t q) const {
    Value y[kMaxTileRadix];
    for (std::uint32_t w = 0; w < q; ++w) {
      y[w] = ring_.zero();
      for (std::uint32_t z = 0; z < q; ++z)
        ring_.add_product(y[w], from[z * distance], ring_.root(w * z % q * (modulus_ / q)));
    }
    for (std::uint32_t w = 0; w < q; ++w) from[w * distance] = y[w];
  }

  const Ring& ring_;
  std::uint32_t modulus_;
  const GroupPass& pass_;
  unsigned thread_, threads_;
  std::uint64_t start_;
  std::uint32_t rows_, columns_;
};

// One result of an axis of any length: value i.
template <class Ring>
FUGU_HD typename Ring::Value axis_result(const Ring& ring, std::uint32_t modulus, std::uint32_t radix,
                                         std::uint64_t stride, const typename Ring::Value* in,
                                         std::uint64_t i) {
  const auto w = static_cast<std::uint32_t>(i / stride % radix);
  const typename Ring::Value* const from = in + (i - w * stride);
  typename Ring::Value y = ring.zero();
  std::uint32_t e = 0;  // w z modulo radix
  for (std::uint32_t z = 0; z < radix; ++z) {
    ring.add_product(y, from[z * stride], ring.root(e * (modulus / radix)));
    e = e + w < radix ? e + w : e + w - radix;
  }
  return ring.scaled(y);
}

}  // namespace fugu::kernels
