// Compares character tables that a GPU computed with those of the CPU.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "support/testing.hpp"

namespace fugu::spectral::test {

template <class T>
void expect_table(const CharacterGroup& group, const TableTile& tile, RowOrder order,
                  const device::Stream& stream) {
  std::vector<T> expected(static_cast<std::size_t>(tile.rows * tile.columns)), result(expected.size());
  character_table(group, tile, std::span(expected), order);
  const device::Buffer<T> out(stream, expected.size(), device::Contents::open);
  cuda::character_table(group, tile, out.span(), order, stream);
  device::copy_to_host(std::span<T>(result), out.span(), stream);
  stream.synchronize();
  EXPECT_TRUE(result == expected);
}

}  // namespace fugu::spectral::test
