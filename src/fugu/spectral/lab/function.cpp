#include "fugu/spectral/lab/function.hpp"

#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/sbox/second_order.hpp"

namespace fugu::spectral::lab {

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

}  // namespace fugu::spectral::lab
