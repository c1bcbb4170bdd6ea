// Finite Abelian groups: transforms, convolutions, and character tables in host memory.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <array>
#include <complex>

#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/groups/group_functions.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "python/extension/arrays.hpp"
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

// Whether balanced, bent and plateaued, and the largest |W|^2.
std::tuple<bool, bool, bool, std::optional<std::uint64_t>> summarize(const Orders& orders,
                                                                     nb::handle f_object) {
  const HostBuffer f(f_object, Access::read);
  const CharacterGroup group(orders);
  const auto found = result_of(f.bytes().size(), [&](const std::stop_token& stop) {
    return spectral::summarize_p_valued(group, f.values<const std::uint32_t>(), {.stop = stop});
  });
  return {found.balanced, found.bent, found.plateaued, found.largest_square};
}

struct Table {
  CharacterGroup group;
  spectral::TableTile tile;
  spectral::RowOrder order;
  std::optional<int> device;
};

// The number of values written between checks of the stop token.
constexpr std::uint64_t kPieceValues = std::uint64_t{1} << 22;

template <class T>
void write_rows(const Table& table, std::span<T> out, const std::stop_token& stop) {
  const spectral::TableTile& whole = table.tile;
  const std::uint64_t most =
      std::max<std::uint64_t>(1, kPieceValues / std::max<std::uint64_t>(1, whole.columns));
  for (std::uint64_t row = 0; row < whole.rows; row += most) {
    throw_if_stopped(stop);
    const std::uint64_t rows = std::min(most, whole.rows - row);
    spectral::character_table(table.group, {whole.first_row + row, rows, whole.first_column, whole.columns},
                              out.subspan(row * whole.columns, rows * whole.columns), table.order);
  }
}

template <class T>
void write_table(const Table& table, std::span<T> out, const std::stop_token& stop) {
  if (!table.device) return write_rows(table, out, stop);
  const device::Stream stream(context_of(*table.device));
  const device::Buffer<T> there(stream, out.size(), device::Contents::open);
  spectral::cuda::character_table(table.group, table.tile, there.span(), table.order, stream);
  device::copy_to_host(out, there.span(), stream);
  stream.synchronize();
}

void write_elements(const Table& table, const HostBuffer& out, const std::stop_token& stop) {
  switch (out.element()) {
    case ItemType::complex64:
      return write_table(table, out.values<std::complex<float>>(), stop);
    case ItemType::complex128:
      return write_table(table, out.values<std::complex<double>>(), stop);
    case ItemType::packed:
      return write_table(table, out.values<std::uint8_t>(), stop);
    default:
      return write_table(table, out.values<std::uint16_t>(), stop);
  }
}

using Range = std::array<std::uint64_t, 2>;  // first, count

void character_table(const Orders& orders, const Range& rows, const Range& columns, bool equation1,
                     nb::handle out_object, std::optional<int> device) {
  const HostBuffer out(out_object, Access::write);
  const Table table{CharacterGroup(orders),
                    {rows[0], rows[1], columns[0], columns[1]},
                    equation1 ? spectral::RowOrder::equation1 : spectral::RowOrder::kronecker,
                    device};
  const std::uint64_t values = spectral::tile_values(table.group, table.tile);
  run(values, [&](const std::stop_token& stop) { write_elements(table, out, stop); });
}

// The orders of the factors of "2^3x5".
Orders group_orders(const std::string& text) {
  const CharacterGroup group = CharacterGroup::parse(text);
  const auto& digits = group.digits();
  return {digits.radix, digits.radix + digits.factors};
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
  module.def("summarize_p_valued", summarize, "orders"_a, "f"_a);
  module.def("character_table", character_table, "orders"_a, "rows"_a, "columns"_a, "equation1"_a, "out"_a,
             "device"_a.none());
  module.def("group_orders", group_orders, "text"_a);
}

}  // namespace fugu::python
