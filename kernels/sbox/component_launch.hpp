// Launchers of the components: their Walsh spectra, summaries and degrees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

struct ComponentFindings {
  std::uint32_t largest;   // max |W(., b)|
  std::uint32_t first;     // 2 a + (W(a,b) < 0) of the first a with |W| = largest; valid if no b has more
  std::uint32_t nonzero;   // the number of a with W(a,b) != 0
  std::uint32_t lightest;  // min wt(a) of these a, without a = 0, or kNoWeight
  std::uint32_t balanced;  // 1 if W(0,b) = 0, otherwise 0
};

// Computes the Walsh spectra of the components b = gray(i), first <= i < last.
//   bits         a result of block_bits()
//   coordinates  truth tables of 2^bits points, as BoxCoordinates writes them
//   findings     one per component, indexed by b
//   counts       2^bits + 1 counters, indexed by W / 2 + 2^(bits - 1)
struct ComponentSpectra {
  int bits;
  const std::uint32_t* coordinates;
  std::uint32_t first;
  std::uint32_t last;
  ComponentFindings* findings;
  std::uint64_t* counts;
};
int launch_component_spectra(const ComponentSpectra& spectra, CUstream_st* stream);

struct WideFindings {
  std::uint64_t peak;      // (max |W(., b)| / 2) 2^32 + 2^32 - 1 - ComponentFindings::first
  std::uint32_t nonzero;   // the number of a with W(a,b) != 0
  std::uint32_t lightest;  // min wt(a) of these a, without a = 0
  std::uint32_t balanced;  // 1 if W(0,b) = 0, otherwise 0
};

// Computes the spectra of `count` components of a box of 17 to 20 inputs, most of whose W are small.
//   tables    the components' truth tables, as launch_wide_components() writes them
//   findings  one per component, in the order of `tables`; the low half of `peak` is valid if no other
//             component has a larger |W|
//   counts    2^inputs + 1 counters, indexed by W / 2 + 2^(inputs - 1)
//   inexact   set to 1 when a W is so large that the results may be wrong. They are right if it is not set
//             and the sum of W^2 / 4 over the counters is Parseval's 2^(2 inputs - 2) per component.
inline constexpr std::size_t kComponentRowsBytes = 168000;  // at most, of shared memory per block
struct ComponentRows {
  int inputs;
  const std::uint32_t* tables;
  std::uint32_t count;
  WideFindings* findings;
  std::uint64_t* counts;
  std::uint32_t* inexact;
};
int launch_component_rows(const ComponentRows& rows, CUstream_st* stream);

struct ComponentSummary {
  std::uint32_t largest;  // max |W(., b)|
  std::int8_t correlation_immunity;
  std::uint8_t balanced;
  std::uint8_t plateaued;
};

// Returns a number that orders peaks by larger `largest`, then smaller a, then smaller b. `largest` is
// max |W(., b)|, at most 2^20; `first` is that of ComponentFindings.
FUGU_HD std::uint64_t peak_of(std::uint32_t largest, std::uint32_t first, std::uint32_t b) {
  return std::uint64_t{largest} << 41 | std::uint64_t{0xfffff - (first / 2 & 0xfffff)} << 21 |
         std::uint64_t{0xfffff - b} << 1 | (first & 1);
}

struct Peak {
  std::uint32_t largest;
  std::uint32_t a;
  std::uint32_t b;
  bool negative;
};
FUGU_HD Peak peak_at(std::uint64_t peak) {
  return {static_cast<std::uint32_t>(peak >> 41), 0xfffffu - static_cast<std::uint32_t>(peak >> 21 & 0xfffff),
          0xfffffu - static_cast<std::uint32_t>(peak >> 1 & 0xfffff), (peak & 1) != 0};
}

// Summarises the components b != 0 of a box of at most 20 inputs and outputs.
//   scale      the factor by which W in `findings` is too large because the box was treated as a larger one
//   findings   one per component, indexed by b
//   summaries  one per component b != 0, indexed by b
//   branch     min wt(a) + wt(b) over W(a,b) != 0, b != 0
//   peak       max peak_of()
template <class Findings>
struct ComponentSummaries {
  int inputs;
  std::uint32_t scale;
  std::uint32_t count;  // 2^outputs
  const Findings* findings;
  ComponentSummary* summaries;
  std::uint32_t* branch;
  std::uint64_t* peak;
};
int launch_component_summaries(const ComponentSummaries<ComponentFindings>& all, CUstream_st* stream);
int launch_component_summaries(const ComponentSummaries<WideFindings>& all, CUstream_st* stream);

// Writes the algebraic degree of every component b < 2^outputs to degrees[b]; -1 for b = 0.
//   forms  the coordinates' algebraic normal forms, coordinate j at forms + j words: the coefficient of the
//          monomial k is bit k % 32 of word k / 32
//   order  the indices of the words, in descending order of weight
struct ComponentDegrees {
  int outputs;
  std::uint32_t words;
  const std::uint32_t* forms;
  const std::uint32_t* order;
  std::int8_t* degrees;
};
int launch_component_degrees(const ComponentDegrees& degrees, CUstream_st* stream);

}  // namespace fugu::kernels
