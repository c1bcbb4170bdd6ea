// The partial spectrum of a Boolean function in 16-bit values, shared by spectra and their summaries.
// Internal.
//
// The stages of the transform commute. Those over the highest variables come first, from bits to 16-bit
// values in tiles that fit the L2 cache; the remaining stages work on rows that fit it too. So memory is
// written once and read once, at half the width of the spectrum.
#pragma once

#include "fugu/spectral/detail/large_array.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/truth_table.hpp"

namespace fugu::spectral::detail {

// Throws Error{usage} when `room` is not the number of the spectrum's values.
void require_room(const TruthTable& function, std::size_t room);

class NarrowSpectrum {
 public:
  NarrowSpectrum(const TruthTable& function, const WalshOptions& options, const Workers& workers);

  // A short function is one row of (-1)^f, with no stage done.
  int row_bits() const { return row_bits_; }
  std::size_t rows() const { return std::size_t{1} << (function_.variables() - row_bits_); }

  // Reads one row, for which the stages [0, row_bits()) remain.
  void read_row(std::size_t row, std::span<std::int32_t> out) const;

 private:
  void transform_columns(const WalshOptions& options, const Workers& workers);

  const TruthTable& function_;
  int row_bits_;
  LargeArray<std::int16_t> values_;  // empty for one row
};

}  // namespace fugu::spectral::detail
