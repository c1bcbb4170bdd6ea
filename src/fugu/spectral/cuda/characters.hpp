// Character tables on a GPU, in device memory, with the conventions of spectral/groups/characters.hpp.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/groups/characters.hpp"

namespace fugu::spectral::cuda {

// Writes a tile of the table in one kernel that reads only the roots, which are uploaded first; waits for
// that upload only. T, `out` and errors as in character_table() of characters.hpp. The values equal the CPU's
// to the last bit.
template <class T>
FUGU_EXPORT void character_table(const CharacterGroup& group, const TableTile& tile,
                                 device::DeviceSpan<T> out, RowOrder order, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
