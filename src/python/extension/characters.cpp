// Character tables in arrays of host memory.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/host_buffer.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using spectral::CharacterGroup;

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

void character_table(const std::vector<std::uint32_t>& orders, const Range& rows, const Range& columns,
                     bool equation1, nb::handle out_object, std::optional<int> device) {
  const HostBuffer out(out_object, Access::write);
  const Table table{CharacterGroup(orders),
                    {rows[0], rows[1], columns[0], columns[1]},
                    equation1 ? spectral::RowOrder::equation1 : spectral::RowOrder::kronecker,
                    device};
  const std::uint64_t values = spectral::tile_values(table.group, table.tile);
  run(values, [&](const std::stop_token& stop) { write_elements(table, out, stop); });
}

// The orders of the factors of "2^3x5".
std::vector<std::uint32_t> group_orders(const std::string& text) {
  const CharacterGroup group = CharacterGroup::parse(text);
  const auto& digits = group.digits();
  return {digits.radix, digits.radix + digits.factors};
}

}  // namespace

void bind_characters(nb::module_& module) {
  using namespace nb::literals;
  module.def("character_table", character_table, "orders"_a, "rows"_a, "columns"_a, "equation1"_a, "out"_a,
             "device"_a.none());
  module.def("group_orders", group_orders, "text"_a);
}

}  // namespace fugu::python
