#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"

#include <numeric>
#include <string>

#include "fugu/error.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

// The value of an exponent: itself, or a root of unity.
template <class T>
struct Values {
  static std::vector<T> of(std::uint32_t modulus) {
    std::vector<T> values(modulus);
    std::iota(values.begin(), values.end(), T{0});
    return values;
  }
};
template <class T>
struct Values<std::complex<T>> {
  static std::vector<std::complex<T>> of(std::uint32_t modulus) { return roots_of_unity<T>(modulus); }
};

std::uint32_t reciprocal(std::uint32_t x) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << 32) / x + 1);
}

// Trivial factors have one digit, 0, and are left out.
void set_factors(kernels::CharacterTable& table, const core::DigitSystem& digits) {
  for (int s = 0; s < digits.factors; ++s) {
    if (digits.radix[s] == 1) continue;
    table.radix[table.factors] = digits.radix[s];
    table.weight[table.factors] = digits.weight[s];
    table.reciprocal[table.factors] = reciprocal(digits.radix[s]);
    ++table.factors;
  }
}

void choose_run(kernels::CharacterTable& table) {
  table.run_factor = table.factors;
  table.run_columns = 1;
  while (table.run_factor > 0) {
    const std::uint64_t longer = std::uint64_t{table.run_columns} * table.radix[table.run_factor - 1];
    const bool lone_factor = table.run_columns == 1 && longer <= kernels::kMaxRunColumns;
    if (longer > kernels::run_columns_of(table.value_bytes) && !lone_factor) break;
    table.run_columns = static_cast<std::uint32_t>(longer);
    --table.run_factor;
  }
  table.run_reciprocal = table.run_columns == 1 ? 0 : reciprocal(table.run_columns);
}

}  // namespace

template <class T>
void character_table(const CharacterGroup& group, const TableTile& tile, device::DeviceSpan<T> out,
                     RowOrder order, const device::Stream& stream) {
  const std::uint64_t count = tile_values(group, tile);
  if (out.size != count) {
    throw Error(Errc::usage, "the part has " + std::to_string(count) + " values, the output room for " +
                                 std::to_string(out.size));
  }
  if (sizeof(T) == 1 && group.modulus() > 256)
    throw Error(Errc::usage, "exponents modulo more than 256 need 16 bits");
  if (count == 0) return;
  const std::vector<T> values = Values<T>::of(group.modulus());
  device::Buffer<T> on_gpu(stream, values.size(), device::Contents::open);
  device::copy_to_device(on_gpu.span(), values, stream);
  kernels::CharacterTable table{};
  table.out = out.data;
  table.values = on_gpu.data();
  table.value_bytes = sizeof(T);
  table.modulus = group.modulus();
  table.reversed = order == RowOrder::equation1;
  table.first_row = tile.first_row;
  table.rows = tile.rows;
  table.first_column = tile.first_column;
  table.columns = tile.columns;
  set_factors(table, group.digits());
  choose_run(table);
  device::launch_on(stream, "character_table", [&](device::StreamHandle handle) {
    return kernels::launch_character_table(table, handle);
  });
}

#define FUGU_INSTANTIATE(T)                                                                               \
  template void character_table(const CharacterGroup&, const TableTile&, device::DeviceSpan<T>, RowOrder, \
                                const device::Stream&);
FUGU_INSTANTIATE(std::uint8_t)
FUGU_INSTANTIATE(std::uint16_t)
FUGU_INSTANTIATE(std::complex<float>)
FUGU_INSTANTIATE(std::complex<double>)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
