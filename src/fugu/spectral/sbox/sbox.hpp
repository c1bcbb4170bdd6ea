// An S-box: a vectorial Boolean function S from n to m bits, given by its values.
//
// Bit i of an input x is the variable x_i, bit j of S(x) the coordinate y_j; bit 0 is the least significant.
// The component b is b.S(x), the parity of b & S(x). N = 2^n, M = 2^m.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/boolean.hpp"

namespace fugu::spectral {

inline constexpr int kMaxInputs = 20;
inline constexpr int kMaxOutputs = 32;

// The most outputs for properties that need a value for each of the 2^m components.
inline constexpr int kMaxOutputsOfAll = 20;

// value -> how often
using Histogram = std::map<std::int64_t, std::uint64_t>;

class FUGU_EXPORT SBox {
 public:
  // values[x] = S(x). Throws Error{usage} for inputs outside 1 to kMaxInputs, outputs outside 1 to
  // kMaxOutputs, a number of values other than 2^inputs, and a value that does not fit the outputs.
  SBox(int inputs, int outputs, std::vector<std::uint32_t> values);

  int inputs() const noexcept { return inputs_; }
  int outputs() const noexcept { return outputs_; }
  std::size_t size() const noexcept { return values_.size(); }
  std::uint32_t operator[](std::size_t x) const noexcept { return values_[x]; }
  std::span<const std::uint32_t> values() const noexcept { return values_; }

  // 2^m - 1, the mask of all output bits.
  std::uint32_t last_mask() const noexcept;

  friend bool operator==(const SBox&, const SBox&) = default;

 private:
  int inputs_;
  int outputs_;
  std::vector<std::uint32_t> values_;
};

// log2 of a box's number of entries. Throws Error{usage} if that is not one of 2, 4, ..., 2^kMaxInputs.
FUGU_EXPORT int inputs_of(std::uint64_t entries);

// The number of outputs of a box, if it is not given: `expected`, usually the inputs, if the largest value
// has that many bits; the bits of the largest value, if at least a quarter of the values have more. Otherwise
// throws Error{usage}: a value may be wrong, and the message names the first that is too large.
FUGU_EXPORT int usual_outputs(int expected, std::span<const std::uint32_t> values);

// Called with the number of steps just finished, from any thread. An exception from it stops the work and is
// rethrown.
using Progress = std::function<void(std::uint64_t steps)>;

struct SBoxOptions {
  unsigned threads = 0;       // 0: all this process may run on
  std::stop_token stop = {};  // on a stop request the work ends early with Error{interrupted}

  // Called with the number of steps, such as rows of a table, before the steps of work that may be long.
  std::function<Progress(std::uint64_t steps)> begin = {};
};

// b.S(x) as a function of x.
FUGU_EXPORT TruthTable component(const SBox& box, std::uint32_t mask);

// S(x) + S(x + a).
FUGU_EXPORT SBox derivative(const SBox& box, std::uint32_t a);

// Throws Error{usage}, with the first two inputs of equal value, if the box is not a permutation.
FUGU_EXPORT SBox inverse(const SBox& box);

}  // namespace fugu::spectral
