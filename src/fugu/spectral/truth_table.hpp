// Truth tables of Boolean functions, a bit per value, from and to text.
//
// Texts list f(0), f(1), ...; a hexadecimal digit stands for four of them, the first the digit's most
// significant bit, so "0001 1011" is "1b".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

// |W(a)| <= 2^n must fit 32 bits.
inline constexpr int kMaxVariables = 30;

class FUGU_EXPORT TruthTable {
 public:
  // The zero function. Throws Error{usage} unless 0 <= variables <= kMaxVariables.
  explicit TruthTable(int variables);

  // Takes over words() of another table and clears unused bits. Throws Error{usage} for a wrong number of
  // words.
  TruthTable(int variables, std::vector<std::uint64_t> words);

  // White space and '_' are skipped. Throws Error{usage} for an invalid character (with its position) and for
  // a length that is not a power of two.
  static TruthTable from_bits(std::string_view text, const WalshOptions& options = {});
  static TruthTable from_hex(std::string_view text, const WalshOptions& options = {});

  // A sum of products: "1 + x0 x2 + x3*x1", terms joined by + or ^, factors by * or space. A repeated term
  // cancels. Throws Error{usage} for a variable that is not below `variables` and for a syntax error.
  static TruthTable from_polynomial(std::string_view text, int variables, const WalshOptions& options = {});

  int variables() const noexcept { return variables_; }
  std::size_t size() const noexcept { return std::size_t{1} << variables_; }

  // f(x). Both throw Error{usage} unless x < size().
  bool operator[](std::size_t x) const {
    check_index(x);
    return (words_[x / 64] >> (x % 64) & 1) != 0;
  }
  void set(std::size_t x, bool value);

  // f(x) is bit x % 64 of word x / 64; below six variables the unused bits of the one word are 0.
  const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  std::vector<std::uint64_t>& words() noexcept { return words_; }  // their number must stay

  std::string to_bits() const;
  std::string to_hex() const;  // needs at least two variables

  friend bool operator==(const TruthTable&, const TruthTable&) = default;

 private:
  void check_index(std::size_t x) const {
    if (x >= size()) refuse_index(x);
  }
  [[noreturn]] void refuse_index(std::size_t x) const;

  int variables_;
  std::vector<std::uint64_t> words_;
};

}  // namespace fugu::spectral
