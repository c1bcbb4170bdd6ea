// Truth tables as text: digits 0 and 1, or hexadecimal digits of four values each, the first value being the
// most significant bit. Packed, value i is bit i % 64 of word i / 64.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

enum class Digits : std::uint8_t { bits = 1, hexadecimal = 4 };  // values per digit

// Reads a text of digits; white space and '_' between them are skipped.
class FUGU_EXPORT DigitReader {
 public:
  // Counts the digits. `text` outlives the reader; of `options` only threads and pool are used.
  DigitReader(std::string_view text, Digits digits, const WalshOptions& options = {});

  std::uint64_t values() const noexcept { return values_; }

  // All values; the unused bits of the last word are 0. Throws Error{usage} with the first invalid character.
  std::vector<std::uint64_t> read() const;

 private:
  std::string_view text_;
  Digits digits_;
  WalshOptions options_;
  std::vector<std::uint64_t> first_value_;  // of each piece of the text
  std::uint64_t values_ = 0;
};

// Fills `text` with the digits of the values of `words` from `first` on, a multiple of the values per digit.
FUGU_EXPORT void write_digits(std::span<const std::uint64_t> words, std::uint64_t first, Digits digits,
                              std::span<char> text);

}  // namespace fugu::spectral
