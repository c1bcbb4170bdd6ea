// A Boolean function under examination: its values, and what was found so far.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/lab/property.hpp"
#include "fugu/spectral/properties.hpp"

namespace fugu::spectral::lab {

// Linear algebra beyond this takes minutes: the program leaves annihilators out.
inline constexpr int kMaxQuickAnnihilators = 14;

// The program leaves the second-order nonlinearity of more variables out: it takes 50 ms and more.
inline constexpr int kMaxQuickSecondOrder = 7;

// Where spectrum() and degree() are computed: on the CPU, on a GPU, or from packed values that are there
// already, which the caller keeps.
struct FunctionOptions {
  WalshOptions work{};
  std::function<std::optional<device::Stream>()> gpu{};  // requested when first needed
};

// Everything is computed when it is first requested, once. Not thread-safe.
class FUGU_EXPORT Function {
 public:
  explicit Function(TruthTable values, FunctionOptions options = {});
  // Of packed values on a GPU, which the caller keeps: 5 variables or more, f(x) being bit x % 32 of word x
  // / 32.
  Function(device::DeviceSpan<const std::uint32_t> words, int variables, const device::Stream& stream);

  int variables() const { return variables_; }
  std::size_t size() const { return std::size_t{1} << variables_; }
  bool is_on_host() const { return values_.has_value(); }
  const TruthTable& values();

  bool has(Part part) const;

  // From now on, for work that is stopped.
  void heed(std::stop_token stop) { options_.work.stop = std::move(stop); }

  const SpectrumSummary& spectrum();
  int degree();
  const BooleanProperties& spectra();  // throws Error{usage} above kMaxPropertyVariables variables
  const TruthTable& form();            // the algebraic normal form

  // Of f and f + 1. Throws Error{usage} above kMaxImmunityVariables variables.
  const std::pair<Annihilators, Annihilators>& annihilators();

  // Throws Error{usage} above kMaxSecondOrderVariables variables.
  std::uint64_t second_order_nonlinearity();

 private:
  bool has_gpu();

  FunctionOptions options_;
  int variables_;
  std::optional<device::DeviceSpan<const std::uint32_t>> there_{};
  std::optional<device::Stream> stream_{};
  std::optional<TruthTable> values_{};
  std::optional<SpectrumSummary> spectrum_{};
  std::optional<int> degree_{};
  std::optional<BooleanProperties> spectra_{};
  std::optional<TruthTable> form_{};
  std::optional<std::pair<Annihilators, Annihilators>> annihilators_{};
};

}  // namespace fugu::spectral::lab
