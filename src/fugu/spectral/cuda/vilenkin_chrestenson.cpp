// The passes of the Vilenkin-Chrestenson transform: as many neighbouring axes per pass as fit a tile.
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"

#include <bit>
#include <numeric>

#include "fugu/spectral/cuda/detail/group_plan.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/overflow.hpp"

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

// Queues the steps. `ring` has the scale of the whole transform.
template <class T>
void transform(const CharacterGroup& group, const kernels::GroupRing& ring, device::DeviceSpan<T> data,
               const device::Stream& stream) {
  const std::vector<GroupStep> steps = plan_group(group, sizeof(T));
  kernels::GroupRing unscaled = ring;
  unscaled.scale = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const kernels::GroupRing& of_step = i + 1 == steps.size() ? ring : unscaled;
    const kernels::GroupPass& pass = steps[i].pass;
    if (steps[i].in_tiles) {
      device::launch_on(stream, "group_pass", [&](device::StreamHandle handle) {
        return kernels::launch_group_pass(of_step, pass, data.data, data.size, handle);
      });
      continue;
    }
    const device::Buffer<T> copy(stream, data.size, device::Contents::open);
    device::copy_on_device<T>(copy.span(), data, stream);
    device::launch_on(stream, "group_axis", [&](device::StreamHandle handle) {
      return kernels::launch_group_axis(of_step, pass.radix[0], pass.stride, copy.data(), data.data,
                                        data.size, handle);
    });
  }
}

template <class T>
void transform_there(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows, bool inverse,
                     const device::Stream& stream) {
  spectral::detail::require_rows_of(group.order(), rows.size);
  if (rows.size == 0) return;
  std::vector<std::complex<T>> roots = roots_of_unity<T>(group.modulus());
  if (!inverse) {
    for (std::complex<T>& root : roots) root = std::conj(root);
  }
  const device::Buffer<std::complex<T>> roots_there = filled(roots, stream);
  transform(
      group,
      kernels::GroupRing{
          sizeof(T) == 4 ? kernels::GroupElement::complex64 : kernels::GroupElement::complex128,
          roots_there.data(), group.modulus(), inverse ? 1.0 / static_cast<double>(group.order()) : 1.0},
      rows, stream);
}

template <class T>
void transform_complex(const CharacterGroup& group, std::span<std::complex<T>> rows, bool inverse,
                       const device::Stream& stream) {
  spectral::detail::require_rows_of(group.order(), rows.size());
  if (rows.empty()) return;
  // A part of a product with a root of unity is less than twice the larger part.
  const std::span<const T> scalars = spectral::detail::scalars_of<T>(rows);
  const bool may_exceed =
      float_range(scalars).template may_exceed<T>(static_cast<int>(std::bit_width(group.order())) + 1);
  on_device(rows, stream, [&](device::DeviceSpan<std::complex<T>> on_gpu) {
    transform_there(group, on_gpu, inverse, stream);
  });
  if (may_exceed) require_finite(scalars);
}

}  // namespace

std::vector<GroupStep> plan_group(const CharacterGroup& group, std::size_t value_bytes) {
  const core::DigitSystem& digits = group.digits();
  const std::uint64_t tile = kernels::kGroupTileBytes / value_bytes;
  std::vector<GroupStep> steps;
  std::uint64_t stride = 1;
  for (int end = digits.factors; end > 0;) {
    GroupStep step{.in_tiles = true, .pass = {}};
    kernels::GroupPass& pass = step.pass;
    pass.stride = stride;
    pass.rows = 1;
    const auto least = std::min<std::uint64_t>(kernels::kGroupColumns, stride);
    int first = end;
    while (first > 0 && digits.radix[first - 1] <= kernels::kMaxTileRadix &&
           pass.rows * digits.radix[first - 1] * least <= tile) {
      pass.rows *= digits.radix[--first];
    }
    if (first == end) {
      step.in_tiles = false;
      pass.rows = digits.radix[--first];
    }
    for (int axis = first; axis < end; ++axis) {
      if (digits.radix[axis] != 1) pass.radix[pass.axes++] = digits.radix[axis];
    }
    pass.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(stride, tile / pass.rows));
    pass.repeats = stride == 1 ? static_cast<std::uint32_t>(tile / pass.rows) : 1;
    stride *= pass.rows;
    end = first;
    if (pass.axes != 0) steps.push_back(step);
  }
  return steps;
}

template <class T>
void vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                          const device::Stream& stream) {
  transform_complex(group, rows, false, stream);
}

template <class T>
void inverse_vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                  const device::Stream& stream) {
  transform_complex(group, rows, true, stream);
}

template <class T>
void vilenkin_chrestenson(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows,
                          const device::Stream& stream) {
  transform_there(group, rows, false, stream);
}

template <class T>
void inverse_vilenkin_chrestenson(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows,
                                  const device::Stream& stream) {
  transform_there(group, rows, true, stream);
}

#define FUGU_INSTANTIATE(T)                                                                              \
  template void vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>,                  \
                                     const device::Stream&);                                             \
  template void inverse_vilenkin_chrestenson(const CharacterGroup&, std::span<std::complex<T>>,          \
                                             const device::Stream&);                                     \
  template void vilenkin_chrestenson(const CharacterGroup&, device::DeviceSpan<std::complex<T>>,         \
                                     const device::Stream&);                                             \
  template void inverse_vilenkin_chrestenson(const CharacterGroup&, device::DeviceSpan<std::complex<T>>, \
                                             const device::Stream&);
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

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
