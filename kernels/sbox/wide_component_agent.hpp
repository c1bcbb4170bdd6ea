// The last stages of W(., b) for boxes whose spectra do not fit a block's shared memory. The kernel for
// Boolean functions has computed the first kBooleanFirstStages, with 16-bit results. A thread computes W for
// the input masks a that have its place as their low bits and its value of the highest bit. With both values
// of that bit, 20 inputs would leave registers for few threads.
#pragma once

#include "kernels/sbox/packed.hpp"

namespace fugu::kernels {

// A thread's findings about its part of a component's spectrum.
struct ThreadFindings {
  std::uint32_t largest = 0;  // max |W| / 2
  std::uint32_t nonzero = 0;  // the number of W that differ from 0
};

template <int inputs>
class WideThread {
 public:
  static constexpr int kStages = inputs - kBooleanFirstStages - 1;
  static constexpr unsigned kValues = 1u << kStages;
  static constexpr std::uint32_t kPlaces = std::uint32_t{1} << kBooleanFirstStages;

  // `spectrum` has 2 kValues blocks of kPlaces values of the component. `top` is the masks' highest bit.
  FUGU_HD WideThread(const std::int16_t* spectrum, std::uint32_t place, std::uint32_t top)
      : first_(place + top * kValues * kPlaces) {
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) {
      const std::int32_t low = spectrum[place + j * kPlaces];
      const std::int32_t high = spectrum[place + (j + kValues) * kPlaces];
      x_[j] = top == 0 ? low + high : low - high;
    }
    core::butterflies<kStages>(x_, 0, kStages);
  }

  // Calls visit(W / 2) for each value.
  template <class Visit>
  FUGU_HD ThreadFindings find(Visit visit) const {
    ThreadFindings found;
    for_each([&](std::int32_t half) {
      if (magnitude(half) > found.largest) found.largest = magnitude(half);
      found.nonzero += half != 0 ? 1u : 0u;
      visit(half);
    });
    return found;
  }

  template <class Visit>
  FUGU_HD void for_each(Visit visit) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) visit(x_[j] >> 1);
  }

  // Returns the least weight of a mask of this thread.
  FUGU_HD std::uint32_t least_weight() const { return static_cast<std::uint32_t>(ones(first_)); }

  // Returns the least weight of an a != 0 with W(a,b) != 0, or kNoWeight.
  FUGU_HD std::uint32_t lightest() const {
    std::uint32_t lightest = kNoWeight;
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) {
      const std::uint32_t weight = least_weight() + static_cast<std::uint32_t>(ones(j));
      if (x_[j] != 0 && weight != 0 && weight < lightest) lightest = weight;
    }
    return lightest;
  }

  // Returns the same as SpectrumThread::first_place().
  FUGU_HD std::uint32_t first_place(std::uint32_t largest) const {
    std::uint32_t place = kNoInput;
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) {
      const std::uint32_t here = 2 * (first_ + j * kPlaces) + (x_[j] < 0 ? 1u : 0u);
      if (magnitude(x_[j] >> 1) == largest && here < place) place = here;
    }
    return place;
  }

  // Returns whether W(0,b) = 0. Call for place 0 and top 0.
  FUGU_HD bool balanced() const { return x_[0] == 0; }

 private:
  std::uint32_t first_;  // the mask of x_[0]
  std::int32_t x_[kValues];
};

}  // namespace fugu::kernels
