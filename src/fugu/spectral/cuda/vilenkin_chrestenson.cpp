// The passes of the Vilenkin-Chrestenson transform: as many neighbouring axes per pass as fit a tile.
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "fugu/spectral/cuda/detail/group_plan.hpp"
#include "fugu/spectral/cuda/on_device.hpp"
#include "fugu/spectral/detail/overflow.hpp"

namespace fugu::spectral::cuda {

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

namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

void require_rows(const CharacterGroup& group, std::size_t values) {
  if (values % group.order() == 0) return;
  throw Error(Errc::usage, std::to_string(values) + " values are not whole rows of " +
                               std::to_string(group.order()) + ", the group's order");
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
      device::launch_on(stream, "group_pass", [&](StreamHandle handle) {
        return kernels::launch_group_pass(of_step, pass, data.data, data.size, handle);
      });
      continue;
    }
    const Buffer<T> copy(stream, data.size, Contents::open);
    device::copy_on_device<T>(copy.span(), data, stream);
    device::launch_on(stream, "group_axis", [&](StreamHandle handle) {
      return kernels::launch_group_axis(of_step, pass.radix[0], pass.stride, copy.data(), data.data,
                                        data.size, handle);
    });
  }
}

template <class T>
void transform_there(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows, bool inverse,
                     const device::Stream& stream) {
  require_rows(group, rows.size);
  if (rows.size == 0) return;
  std::vector<std::complex<T>> roots = roots_of_unity<T>(group.modulus());
  if (!inverse) {
    for (std::complex<T>& root : roots) root = std::conj(root);
  }
  const Buffer<std::complex<T>> roots_there = filled(roots, stream);
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
  require_rows(group, rows.size());
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

}  // namespace fugu::spectral::cuda
