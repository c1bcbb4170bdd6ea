#include "fugu/spectral/lab/function.hpp"

#include <algorithm>
#include <array>

#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/sbox/second_order.hpp"

namespace fugu::spectral::lab {
namespace {

// The one table of properties of Boolean functions.

template <class Get>
constexpr FunctionProperty function_row(std::string_view column, std::string_view attribute,
                                        Computation computation, std::string_view formula,
                                        std::string_view source, Get get) {
  return property<Function>(column, attribute, Group::basic, computation, formula, source, get);
}

using F = Function;
using P = Computation;

constexpr std::array kFunctionRows{
    function_row("n", "", P::values, "Variables", "", [](F& f) { return f.variables(); }),
    function_row("weight", "weight", P::spectra, "How many values are 1; n <= 20", "",
                 [](F& f) { return f.spectra().weight; }),
    function_row("balanced", "balanced", P::spectra, "Whether half of the values are 1", "",
                 [](F& f) { return f.spectra().balanced; }),
    function_row("linearity", "linearity", P::spectrum, "max |W|", "",
                 [](F& f) { return f.spectrum().max_abs; }),
    function_row("nonlinearity", "nonlinearity", P::spectrum, "2^(n-1) - max |W| / 2",
                 "Meier and Staffelbach 1989", [](F& f) { return f.spectrum().nonlinearity; }),
    function_row("degree", "degree", P::spectrum,
                 "Degree of the algebraic normal form; -1 for the zero function, 0 for 1", "",
                 [](F& f) { return f.degree(); }),
    function_row("terms", "terms", P::spectra, "Monomials of the algebraic normal form", "",
                 [](F& f) { return f.spectra().terms; }),
    function_row("ci", "correlation_immunity", P::spectra,
                 "The largest t with W(a) = 0 for 1 <= wt(a) <= t; n for constants",
                 "Siegenthaler 1984; Xiao and Massey 1988",
                 [](F& f) { return f.spectra().correlation_immunity; }),
    function_row("resiliency", "resiliency", P::spectra, "Correlation immunity if balanced, otherwise -1", "",
                 [](F& f) { return f.spectra().resiliency; }),
    function_row("absind", "absolute_indicator", P::spectra, "max |r(a)|, a != 0", "Zhang and Zheng 1995",
                 [](F& f) { return f.spectra().absolute_indicator; }),
    function_row("ssi", "sum_of_squares", P::spectra, "Sum of r(a)^2, all a", "Zhang and Zheng 1995",
                 [](F& f) { return f.spectra().sum_of_squares; }),
    function_row("pc", "propagation", P::spectra, "The largest l with r(a) = 0 for 1 <= wt(a) <= l",
                 "Preneel et al. 1990", [](F& f) { return f.spectra().propagation; }),
    function_row("ls", "linear_structures", P::spectra, "How many a have |r(a)| = 2^n, 0 among them",
                 "Evertse 1987; Lai 1994", [](F& f) { return f.spectra().linear_structures; }),
    function_row("ls_neg", "negative_structures", P::spectra, "How many a have r(a) = -2^n", "",
                 [](F& f) { return f.spectra().negative_structures; }),
    function_row("zeros", "zeros", P::spectra, "How many a have W(a) = 0", "",
                 [](F& f) { return f.spectra().zeros; }),
    function_row("plateaued", "plateaued", P::spectra, "Whether |W| takes one value besides 0", "",
                 [](F& f) { return f.spectra().plateaued; }),
    function_row("bent", "bent", P::spectra, "Whether |W| = 2^(n/2) everywhere", "Rothaus 1976",
                 [](F& f) { return f.spectra().bent; }),
    function_row(
        "ai", "algebraic_immunity", P::annihilators,
        "The lesser degree of the annihilators of f and f + 1; n <= 16", "Meier, Pasalic and Carlet 2004",
        [](F& f) { return std::min(f.annihilators().first.degree, f.annihilators().second.degree); }),
    function_row("ann_f", "annihilators", P::annihilators,
                 "Least degree of g != 0 with g f = 0, and the dimension of the space of them; n <= 16",
                 "Courtois and Meier 2003", [](F& f) { return f.annihilators().first; }),
    function_row("ann_f1", "annihilators_of_complement", P::annihilators, "The same for f + 1", "",
                 [](F& f) { return f.annihilators().second; }),
    function_row("walsh", "walsh_histogram", P::spectrum, "Histogram of W", "",
                 [](F& f) { return f.spectrum().histogram; }),
    function_row("ac", "autocorrelation_histogram", P::spectra, "Histogram of r", "",
                 [](F& f) { return f.spectra().autocorrelation; }),
    function_row("nl2", "second_order_nonlinearity", P::second_order,
                 "Distance to the functions of degree 2 or less; n <= 9", "Carlet 2008",
                 [](F& f) { return f.second_order_nonlinearity(); }),
};

}  // namespace

using detail::once;

Function::Function(TruthTable values, FunctionOptions options)
    : options_(std::move(options)), variables_(values.variables()), values_(std::move(values)) {}

Function::Function(device::DeviceSpan<const std::uint32_t> words, int variables, const device::Stream& stream)
    : variables_(variables), there_(words), stream_(stream) {}

// Which has no kernel for constants.
bool Function::has_gpu() {
  if (!stream_ && variables_ != 0 && options_.gpu) stream_ = options_.gpu();
  return stream_.has_value();
}

const TruthTable& Function::values() {
  return once(values_, [&] {
    std::vector<std::uint64_t> words(TruthTable(variables_).words().size());
    device::copy_to_host(std::span(reinterpret_cast<std::uint32_t*>(words.data()), there_->size), *there_,
                         *stream_);
    stream_->synchronize();
    return TruthTable(variables_, std::move(words));
  });
}

bool Function::has(Computation computation) const {
  if (computation == Computation::second_order) return variables_ <= kMaxQuickSecondOrder;
  return computation != Computation::annihilators || variables_ <= kMaxQuickAnnihilators;
}

double Function::seconds(Computation computation) {
  const unsigned threads = spectral::detail::threads_of(options_.work.threads);
  switch (computation) {
    case Computation::spectrum:
      if (has_gpu()) return 0;
      return 2.5e-10 * variables_ * static_cast<double>(size()) / threads;
    case Computation::spectra:
      return 1e-7 * static_cast<double>(size());
    case Computation::annihilators:
      return 2 * annihilator_seconds(variables_);
    case Computation::second_order:
      return second_order_seconds(variables_) / threads;
    default:
      return 0;
  }
}

SBoxOptions Function::work(std::string what, double seconds) {
  SBoxOptions work{.threads = options_.work.threads, .stop = options_.work.stop};
  if (options_.begin)
    work.begin = [this, what = std::move(what), seconds](std::uint64_t steps) {
      return options_.begin(what, steps, seconds);
    };
  return work;
}

const SpectrumSummary& Function::spectrum() {
  return once(spectrum_, [&]() -> SpectrumSummary {
    if (spectra_) return {spectra_->linearity, spectra_->nonlinearity, spectra_->walsh};
    if (there_) return cuda::summarize_spectrum(*there_, variables_, cuda::Counting::yes, *stream_);
    if (has_gpu()) return cuda::summarize_spectrum(*values_, cuda::Counting::yes, *stream_);
    if (options_.begin) options_.begin("the Walsh spectrum", 0, seconds(Computation::spectrum));
    return summarize_spectrum(*values_, options_.work);
  });
}

int Function::degree() {
  return once(degree_, [&] {
    if (spectra_) return spectra_->degree;
    if (there_) return cuda::algebraic_degree(*there_, variables_, *stream_);
    if (!has_gpu()) return algebraic_degree(*values_, options_.work);
    return cuda::algebraic_degree(cuda::upload(*values_, *stream_).span(), variables_, *stream_);
  });
}

const BooleanProperties& Function::spectra() {
  return once(spectra_, [&] { return properties(values(), options_.work); });
}

const TruthTable& Function::form() {
  return once(form_, [&] { return moebius(values(), options_.work); });
}

const std::pair<Annihilators, Annihilators>& Function::annihilators() {
  return once(annihilators_, [&] {
    const double each = seconds(Computation::annihilators) / 2;
    const Annihilators of_f = spectral::annihilators(values(), work("the annihilators of f", each));
    return std::pair(of_f,
                     spectral::annihilators(complement(values()), work("the annihilators of f + 1", each)));
  });
}

std::uint64_t Function::second_order_nonlinearity() {
  return spectral::second_order_nonlinearity(values(),
                                             work("the quadratic forms", seconds(Computation::second_order)));
}

std::span<const FunctionProperty> function_properties() {
  return kFunctionRows;
}

}  // namespace fugu::spectral::lab
