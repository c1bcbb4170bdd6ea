// Boolean functions: truth tables, algebraic normal form, Walsh spectrum, nonlinearity, autocorrelation. All
// exact.
//
// f has n variables; bit i of an index x is the variable x_i (x_0 least significant). Its Walsh spectrum is
// that of (-1)^f(x), the polarity truth table:
//   W(a) = sum over x of (-1)^{f(x) + a.x},  |W(a)| <= 2^n,  nonlinearity = 2^(n-1) - max |W| / 2
//   r(s) = sum over x of (-1)^{f(x) + f(x ^ s)}, the autocorrelation, r(0) = 2^n
// Texts of truth tables list f(0), f(1), ...; a hexadecimal digit stands for four of them, the first the
// digit's most significant bit, so "0001 1011" is "1b".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/walsh.hpp"

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
  std::vector<std::uint64_t>& words() noexcept { return words_; }  // keep their number

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

// What the bits of a truth table become as numbers: (-1)^f, or f.
enum class TableMeans : bool { polarity, bits };

// Value i of `out` is that of bit i % 8 of byte i / 8. T: std::int32_t, std::int64_t, float, double, and
// std::uint8_t for bits.
template <class T>
FUGU_EXPORT void expand(std::span<const std::byte> packed, TableMeans means, std::span<T> out);

// The reverse of up to 64 bytes: byte i becomes bit i of `word`, whose other bits are 0. Returns false, with
// `word` unspecified, if a byte is neither 0 nor 1.
FUGU_EXPORT bool pack(std::span<const std::uint8_t> bytes, std::uint64_t& word) noexcept;

// The Moebius transform between truth table and algebraic normal form, its own inverse. Bit m of the form is
// the coefficient of the product of the variables x_i with bit i of m set.
FUGU_EXPORT TruthTable moebius(TruthTable table, const WalshOptions& options = {});

// The degree of the algebraic normal form: -1 for the zero function, 0 for the constant 1. Works in
// `function`: move it here if it is no longer needed.
FUGU_EXPORT int algebraic_degree(TruthTable function, const WalshOptions& options = {});

// W(a) for every a, in options.ordering. `out` holds as many values as the function. Throws Error{usage}
// otherwise.
FUGU_EXPORT std::vector<std::int32_t> walsh_spectrum(const TruthTable& function,
                                                     const WalshOptions& options = {});
FUGU_EXPORT void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out,
                                const WalshOptions& options = {});

struct SpectrumSummary {
  std::uint64_t max_abs = 0;                        // max |W|
  std::uint64_t nonlinearity = 0;                   // 0 variables: 0
  std::map<std::int64_t, std::uint64_t> histogram;  // value of W -> how often
};

// Nonlinearity and histogram; the last pass of the transform counts its results instead of writing them.
FUGU_EXPORT SpectrumSummary summarize_spectrum(const TruthTable& function, const WalshOptions& options = {});

// r(s) for every s. Ignores options.ordering: s is an index of the function.
FUGU_EXPORT std::vector<std::int64_t> autocorrelation(const TruthTable& function,
                                                      const WalshOptions& options = {});

}  // namespace fugu::spectral
