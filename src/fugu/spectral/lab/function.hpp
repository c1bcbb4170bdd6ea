// A Boolean function under examination: its values, and what was found so far.
#pragma once

#include "fugu/device/buffer.hpp"
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

  // Called before work on the CPU that may be long: what it is, how many steps it has, 0 if they are not
  // counted, and about how many seconds it takes.
  std::function<Progress(std::string what, std::uint64_t steps, double seconds)> begin{};
};

// Everything is computed when it is first requested, once. Not thread-safe.
class FUGU_EXPORT Function {
 public:
  explicit Function(TruthTable values, FunctionOptions options = {});
  // Packed values on a GPU, which the caller keeps, of 5 variables or more: f(x) is bit x % 32 of word
  // x / 32.
  Function(device::DeviceSpan<const std::uint32_t> words, int variables, const device::Stream& stream);

  int variables() const { return variables_; }
  std::size_t size() const { return std::size_t{1} << variables_; }
  bool is_on_host() const { return values_.has_value(); }
  const TruthTable& values();

  bool has(Computation computation) const;

  // About how many seconds a computation takes; 0: not worth mention.
  double seconds(Computation computation);

  // `stop` ends computations that begin after this call.
  void heed(std::stop_token stop) { options_.work.stop = std::move(stop); }

  const SpectrumSummary& spectrum();
  int degree();
  const BooleanProperties& spectra();  // throws Error{usage} above kMaxPropertyVariables variables
  const TruthTable& form();            // the algebraic normal form

  // The lowest degrees of annihilators of f and of f + 1, with the dimensions there. Throws Error{usage}
  // above kMaxImmunityVariables variables.
  const std::pair<Annihilators, Annihilators>& annihilators();

  // Throws Error{usage} above kMaxSecondOrderVariables variables.
  std::uint64_t second_order_nonlinearity();

 private:
  bool has_gpu();
  SBoxOptions work(std::string what, double seconds);

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
