// An S-box under examination: its values, one copy of them on a GPU, and what was found so far.
#pragma once

#include "fugu/spectral/cuda/device_box.hpp"
#include "fugu/spectral/lab/property.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/second_order.hpp"
#include "fugu/spectral/sbox/sidechannel.hpp"
#include "fugu/spectral/sbox/structure.hpp"

namespace fugu::spectral::lab {

// Above this the program leaves the immunities of the components out.
inline constexpr int kMaxImmunityBits = 10;

// Above this, of inputs and outputs together, the revised transparency order takes seconds to minutes.
inline constexpr int kMaxQuickRevisedBits = 26;

// A computation that may take long.
struct LongComputation {
  std::string what;       // its steps, "the rows of a rank"
  std::string_view unit;  // one word for them
  double seconds;         // about, on the threads that it may use, or on the GPU
};

struct BoxOptions {
  SBoxOptions work{};
  std::uint32_t polynomial = 0;  // of the field of c_differential(); 0: usual_polynomial()
  bool exhaustive =
      false;  // all_nonlinearities() and all_linearity() may take minutes above kMaxOutputsOfAll outputs

  // The GPU to measure on, requested when first needed. Empty, or returns nothing: the CPU.
  std::function<std::optional<device::Stream>()> gpu{};

  // Called when a computation begins and a GPU is in use: not all run there.
  std::function<void(std::string_view what, bool on_gpu)> says{};

  // Called before work on the CPU that may be long, as SBoxOptions::begin, and on a GPU before exhaustive().
  std::function<Progress(Box& box, Computation computation, std::uint64_t steps)> begin{};
};

// Everything is computed when it is first requested, once, on the GPU if one is in use and has kernels for
// the shape, and throws as the functions of fugu/spectral/sbox/ do. Not thread-safe.
class FUGU_EXPORT Box {
 public:
  explicit Box(SBox values, BoxOptions options = {});
  // Measured on its GPU. Its values are copied to the host when they are first needed there.
  explicit Box(cuda::DeviceBox values, BoxOptions options = {});

  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  std::size_t size() const { return std::size_t{1} << inputs_; }
  std::uint64_t last_mask() const { return (std::uint64_t{1} << outputs_) - 1; }
  bool has_components() const { return outputs_ <= kMaxOutputsOfAll; }
  bool is_on_host() const { return values_.has_value(); }
  const SBox& values();

  // Whether a GPU computes linear(), differential(), autocorrelation() and component_degrees().
  bool on_gpu();

  // Whether the box has a computation, and about how many seconds it takes on one core or on the GPU in use;
  // 0: not worth mention.
  bool has(Computation computation) const;
  double seconds(Computation computation);

  // Empty for a computation that is never long.
  std::optional<LongComputation> long_computation(Computation computation);

  // Options for calling the library where Box has no member for a result.
  SBoxOptions work(Computation computation);

  // `stop` ends computations that begin after this call.
  void heed(std::stop_token stop) { options_.work.stop = std::move(stop); }

  const Basic& basic();
  const Differential& differential();
  const Linear& linear();
  const Autocorrelation& autocorrelation();  // on a GPU, finds differential() at the same time
  const std::vector<std::int8_t>& component_degrees();
  const Boomerang& boomerang();
  const std::optional<BoomerangFamily>& family();  // of permutations only
  const ConfusionCoefficients& confusion();
  const Avalanche& avalanche();
  const LinearStructures& structures();
  const ExhaustiveProfile& exhaustive();
  const Numbers& coordinates();          // the nonlinearities of y_0, y_1, ...
  const Numbers& pair_nonlinearities();  // of y_j + y_k, j < k
  Box* ortho_derivative();               // null if the box has none

  // Of all components: by linear(), or by exhaustive() for more than kMaxOutputsOfAll outputs, if options
  // ask for it.
  std::uint64_t all_linearity();
  std::uint64_t all_nonlinearity();
  Histogram all_nonlinearities();

  int degree();
  double transparency_order();
  std::uint64_t second_order_nonlinearity();
  Numbers c_differential();
  std::uint64_t gamma_rank();
  std::uint64_t delta_rank();
  bool has_anomalies();  // a permutation of 2 to kMaxAnomalyBits bits

 private:
  bool has_gpu();
  const cuda::DeviceBox& there();
  bool uses_exhaustive() const;
  template <class There, class Here>
  auto measured(std::string_view what, bool suits, There there, Here here);
  Numbers nonlinearities_of(const std::vector<std::uint32_t>& masks);
  double boomerang_seconds();

  BoxOptions options_;
  int inputs_;
  int outputs_;
  std::optional<SBox> values_;
  std::optional<device::Stream> stream_;
  bool knows_gpu_ = false;
  std::optional<cuda::DeviceBox> there_;

  std::optional<double> sum_of_squares_;  // of the DDT, about
  std::optional<Basic> basic_;
  std::optional<Differential> differential_;
  std::optional<Linear> linear_;
  std::optional<Autocorrelation> autocorrelation_;
  std::optional<std::vector<std::int8_t>> component_degrees_;
  std::optional<Boomerang> boomerang_;
  std::optional<std::optional<BoomerangFamily>> family_;
  std::optional<ConfusionCoefficients> confusion_;
  std::optional<Avalanche> avalanche_;
  std::optional<LinearStructures> structures_;
  std::optional<ExhaustiveProfile> exhaustive_;
  std::optional<Numbers> coordinates_;
  std::optional<Numbers> pair_nonlinearities_;
  std::optional<std::vector<Box>> ortho_;  // one box or none
};

// About how many seconds groups of a box take on one CPU core; 0 for shapes without kernels on a GPU.
FUGU_EXPORT double core_seconds(int inputs, int outputs, std::span<const Group> groups);

}  // namespace fugu::spectral::lab
