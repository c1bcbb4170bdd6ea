// The Vilenkin-Chrestenson transform on a GPU, on host memory, with the conventions of
// fugu/spectral/vilenkin_chrestenson.hpp. Residues equal the CPU's exactly.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

namespace fugu::spectral::cuda {

// In place, on whole rows. T: float, double. They block until done.
template <class T>
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                      const device::Stream& stream);
template <class T>
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                              const device::Stream& stream);

// Values below field.prime().
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                                      std::span<std::uint32_t> rows, const device::Stream& stream);
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group, const ResidueField& field,
                                              std::span<std::uint32_t> rows, const device::Stream& stream);

// One row; the result replaces f, and g is overwritten. T: std::complex<float>, std::complex<double>,
// std::int64_t, whose results equal the CPU's exactly. They block until done.
template <class T>
FUGU_EXPORT void group_convolve(const CharacterGroup& group, std::span<T> f, std::span<T> g,
                                const device::Stream& stream);
template <class T>
FUGU_EXPORT void group_autocorrelate(const CharacterGroup& group, std::span<T> f,
                                     const device::Stream& stream);

// The same on device memory, without copies. T is float or double. Asynchronous: work is queued on `stream`.
template <class T>
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows,
                                      const device::Stream& stream);
template <class T>
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group,
                                              device::DeviceSpan<std::complex<T>> rows,
                                              const device::Stream& stream);

}  // namespace fugu::spectral::cuda
