// Transforms and convolutions over finite Abelian groups.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/groups/group_functions.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/host_buffer.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using spectral::CharacterGroup;
using Orders = std::vector<std::uint32_t>;

template <class T>
void transform_over_group(const CharacterGroup& group, std::span<T> values, bool inverse,
                          std::optional<int> device, const std::stop_token& stop) {
  if (device) {
    const device::Stream stream(context_of(*device));
    return inverse ? spectral::cuda::inverse_vilenkin_chrestenson(group, values, stream)
                   : spectral::cuda::vilenkin_chrestenson(group, values, stream);
  }
  const spectral::GroupOptions options{.stop = stop};
  inverse ? spectral::inverse_vilenkin_chrestenson(group, values, options)
          : spectral::vilenkin_chrestenson(group, values, options);
}

// In place.
void vilenkin_chrestenson(const Orders& orders, nb::handle out_object, bool inverse,
                          std::optional<int> device) {
  const HostBuffer out(out_object, Access::write);
  const CharacterGroup group(orders);
  const bool narrow = out.element() == ItemType::complex64;
  run(out.bytes().size() / 8, [&](const std::stop_token& stop) {
    narrow ? transform_over_group(group, out.values<std::complex<float>>(), inverse, device, stop)
           : transform_over_group(group, out.values<std::complex<double>>(), inverse, device, stop);
  });
}

template <class T>
void convolve_over_group(const CharacterGroup& group, std::span<T> f, std::span<T> g,
                         const std::stop_token& stop) {
  const spectral::GroupOptions options{.stop = stop};
  for (std::size_t at = 0; at < f.size(); at += group.order()) {
    const std::span row = f.subspan(at, group.order());
    g.empty() ? spectral::group_autocorrelate(group, row, options)
              : spectral::group_convolve(group, row, g.subspan(at, group.order()), options);
  }
}

// The result replaces `out`, and `g` is overwritten; without g, the autocorrelation of `out`.
void group_convolve(const Orders& orders, nb::handle out_object, std::optional<nb::object> g_object) {
  const HostBuffer out(out_object, Access::write);
  const std::optional<HostBuffer> g =
      g_object ? std::optional<HostBuffer>(std::in_place, *g_object, Access::write) : std::nullopt;
  const CharacterGroup group(orders);
  const auto work = [&](auto type, const std::stop_token& stop) {
    using T = decltype(type);
    convolve_over_group(group, out.values<T>(), g ? g->values<T>() : std::span<T>(), stop);
  };
  run(out.bytes().size() / 8, [&](const std::stop_token& stop) {
    if (out.element() == ItemType::int64) return work(std::int64_t{}, stop);
    if (out.element() == ItemType::complex64) return work(std::complex<float>{}, stop);
    work(std::complex<double>{}, stop);
  });
}

// Transforms integers f, or zeta^f, as L counts per value, or reduced to L - 1.
void transform_counts(const Orders& orders, nb::handle f_object, nb::handle out_object, bool are_exponents,
                      bool reduced) {
  const HostBuffer f(f_object, Access::read);
  const HostBuffer out(out_object, Access::write);
  const CharacterGroup group(orders);
  run(out.bytes().size() / 8, [&](const std::stop_token& stop) {
    std::vector<std::int64_t> counts =
        are_exponents ? spectral::counts_of_exponents(group, f.values<const std::uint32_t>())
                      : spectral::counts_of_integers(group, f.values<const std::int64_t>());
    spectral::vilenkin_chrestenson_counts(group, counts, {.stop = stop});
    if (reduced) counts = spectral::reduced_counts(group, counts);
    std::ranges::copy(counts, out.values<std::int64_t>().begin());
  });
}

// The prime of residues: `modulus` if given, otherwise the largest.
spectral::ResidueField field_of(const CharacterGroup& group, std::optional<std::uint32_t> modulus) {
  return modulus ? spectral::ResidueField(group, *modulus) : spectral::ResidueField::largest(group);
}

std::uint32_t residue_prime(const Orders& orders, std::optional<std::uint32_t> modulus) {
  return field_of(CharacterGroup(orders), modulus).prime();
}

// In place.
void transform_residues(const Orders& orders, nb::handle out_object, bool inverse, std::uint32_t prime) {
  const HostBuffer out(out_object, Access::write);
  const CharacterGroup group(orders);
  const spectral::ResidueField field(group, prime);
  const std::span rows = out.values<std::uint32_t>();
  run(rows.size(), [&](const std::stop_token& stop) {
    inverse ? spectral::inverse_vilenkin_chrestenson(group, field, rows, {.stop = stop})
            : spectral::vilenkin_chrestenson(group, field, rows, {.stop = stop});
  });
}

spectral::PValuedSummary summarize(const Orders& orders, nb::handle f_object) {
  const HostBuffer f(f_object, Access::read);
  const CharacterGroup group(orders);
  return result_of(f.bytes().size(), [&](const std::stop_token& stop) {
    return spectral::summarize_p_valued(group, f.values<const std::uint32_t>(), {.stop = stop});
  });
}

}  // namespace

void bind_groups(nb::module_& module) {
  using namespace nb::literals;
  module.def("vilenkin_chrestenson", vilenkin_chrestenson, "orders"_a, "out"_a, "inverse"_a,
             "device"_a.none());
  module.def("group_convolve", group_convolve, "orders"_a, "out"_a, "g"_a.none());
  module.def("vilenkin_chrestenson_counts", transform_counts, "orders"_a, "f"_a, "out"_a, "are_exponents"_a,
             "reduced"_a);
  module.def("residue_prime", residue_prime, "orders"_a, "modulus"_a.none());
  module.def("vilenkin_chrestenson_residues", transform_residues, "orders"_a, "out"_a, "inverse"_a,
             "prime"_a);
  using spectral::PValuedSummary;
  nb::class_<PValuedSummary>(module, "PValuedSummary")
      .def_ro("balanced", &PValuedSummary::balanced)
      .def_ro("bent", &PValuedSummary::bent)
      .def_ro("plateaued", &PValuedSummary::plateaued)
      .def_ro("largest_square", &PValuedSummary::largest_square);
  module.def("summarize_p_valued", summarize, "orders"_a, "f"_a);
}

}  // namespace fugu::python
