// Character tables on a GPU: the conventions of fugu/spectral/characters.hpp, written into memory of a
// device.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/characters.hpp"

namespace fugu::spectral::cuda {

// Writes a tile of the table in one kernel that reads nothing but the roots, which are uploaded first; waits
// for that upload only. T, `out` and errors as character_table() in characters.hpp. The values are the CPU's
// to the last bit.
template <class T>
FUGU_EXPORT void character_table(const CharacterGroup& group, const TableTile& tile,
                                 device::DeviceSpan<T> out, RowOrder order, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
