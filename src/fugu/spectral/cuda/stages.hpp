// Parts of the Walsh transform on a GPU: walsh_stages() in device memory.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"

namespace fugu::spectral::cuda {

// The index bits below this one are left to walsh().
inline constexpr int kMinStridedStage = 14;

// Only the stages of the index bits [first, first + stages), queued on the stream and in place. T as there.
// Throws Error{usage} when data is not whole rows of 2^(first + stages), or first is below
// kMinStridedStage.
template <class T>
FUGU_EXPORT void walsh_stages(device::DeviceSpan<T> data, int first, int stages,
                              const device::Stream& stream);

// A row in parts of 2^column_bits values. Parts other than number `own` are not in place but lie at
// `values`, part after part.
template <class T>
struct Received {
  const T* values;
  int column_bits;
  unsigned own;
};

// Transforms the row; the result is all in place. Throws Error{usage} when column_bits is below
// kMinStridedStage or the number of parts of `row` is not a power of two.
template <class T>
FUGU_EXPORT void walsh_received(device::DeviceSpan<T> row, const Received<T>& received,
                                const device::Stream& stream);

}  // namespace fugu::spectral::cuda
