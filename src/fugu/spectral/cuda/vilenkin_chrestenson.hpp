// The Vilenkin-Chrestenson transform on a GPU, on host memory, with the conventions of
// fugu/spectral/groups/vilenkin_chrestenson.hpp, for complex values.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

namespace fugu::spectral::cuda {

// In place, on whole rows. T: float, double. They block until done.
template <class T>
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                      const device::Stream& stream);
template <class T>
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group, std::span<std::complex<T>> rows,
                                              const device::Stream& stream);

// The same on device memory, without copies. T is float or double. Asynchronous: work is queued on `stream`.
template <class T>
FUGU_EXPORT void vilenkin_chrestenson(const CharacterGroup& group, device::DeviceSpan<std::complex<T>> rows,
                                      const device::Stream& stream);
template <class T>
FUGU_EXPORT void inverse_vilenkin_chrestenson(const CharacterGroup& group,
                                              device::DeviceSpan<std::complex<T>> rows,
                                              const device::Stream& stream);

// Writes a tile of the table in one kernel that reads only the roots, which are uploaded first; waits for
// that upload only. T, `out` and errors as in character_table() of characters.hpp. The values equal the CPU's
// to the last bit.
template <class T>
FUGU_EXPORT void character_table(const CharacterGroup& group, const TableTile& tile,
                                 device::DeviceSpan<T> out, RowOrder order, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
