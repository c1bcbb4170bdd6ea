// One tile of the fast Walsh transform, as the phases of one thread between barriers.
//
// A tile is 2^tile_bits values that a thread block takes from memory, transforms in as many stages as fit,
// and puts back where they were. Its values have tile indices 0 .. 2^tile_bits - 1; a thread holds
// 2^register_bits of them, those whose indices differ in the bits [window, window + register_bits), and does
// those stages in registers. Moving the window goes through shared memory: put(), a barrier, get(), and a
// barrier before the next put().
//
// In memory the low `column_bits` bits of a tile index are consecutive values and the others are rows at
// distance 2^first, so that one agent serves the contiguous pass (first == column_bits) and the strided ones.
// A window never starts below column_bits in a strided pass: a thread's values are then at one distance from
// each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "fugu/core/walsh.hpp"

namespace fugu::kernels {

// Where a tile lies.
struct TileGeometry {
  int column_bits;
  int first;
};

// One value of padding in every 32: lanes that step through memory by 32 values would meet in one bank.
FUGU_HD constexpr unsigned padded(unsigned index) {
  return index + (index >> 5);
}

template <class T, int tile_bits, int register_bits>
struct WalshTile {
  static constexpr int kThreads = 1 << (tile_bits - register_bits);
  static constexpr int kValues = 1 << register_bits;
  static constexpr int kTopWindow = tile_bits - register_bits;
  static constexpr unsigned kSharedValues = padded((1u << tile_bits) - 1) + 1;

  T x[std::size_t{1} << register_bits];

  // Tile index of x[0]; x[j] is j << window above it.
  FUGU_HD static unsigned tile_index(unsigned thread, int window) {
    const unsigned low = thread & ((1u << window) - 1);
    return ((thread - low) << register_bits) | low;
  }

  // Offset in the row of tile `tile`'s value `index`.
  FUGU_HD static std::uint64_t offset(const TileGeometry& geometry, std::uint64_t tile, unsigned index) {
    const int across_bits = geometry.first - geometry.column_bits;
    const std::uint64_t across = tile & ((std::uint64_t{1} << across_bits) - 1);
    const std::uint64_t block = (tile >> across_bits) << (geometry.first + tile_bits - geometry.column_bits);
    const std::uint64_t row = index >> geometry.column_bits;
    const std::uint64_t column = index & ((1u << geometry.column_bits) - 1);
    return block + (row << geometry.first) + (across << geometry.column_bits) + column;
  }

  // Distance in memory between x[j] and x[j + 1].
  FUGU_HD static std::uint64_t distance(const TileGeometry& geometry, int window) {
    return std::uint64_t{1} << (window - geometry.column_bits + geometry.first);
  }

  // `source(start, beyond)` yields the value at start + beyond; what lies at `size` or further is not touched
  // and reads as 0. The thread's part of the offset and the common one come apart because packed sources use
  // that `beyond` is a multiple of 2^window.
  template <class Source>
  FUGU_HD void load(const Source& source, const TileGeometry& geometry, std::uint64_t tile, unsigned thread,
                    int window, std::uint64_t size) {
    const std::uint64_t start = offset(geometry, tile, tile_index(thread, window));
    const std::uint64_t step = distance(geometry, window);
    if (start + (kValues - 1) * step < size) {
      FUGU_UNROLL
      for (int j = 0; j < kValues; ++j) x[j] = static_cast<T>(source(start, static_cast<unsigned>(j) * step));
      return;
    }
    FUGU_UNROLL
    for (int j = 0; j < kValues; ++j) {
      const std::uint64_t beyond = static_cast<unsigned>(j) * step;
      x[j] = start + beyond < size ? static_cast<T>(source(start, beyond)) : T{0};
    }
  }

  // `sink(offset, value)` takes every value that load() did not make up.
  template <class Sink>
  FUGU_HD void store(Sink& sink, const TileGeometry& geometry, std::uint64_t tile, unsigned thread,
                     int window, std::uint64_t size) const {
    const std::uint64_t start = offset(geometry, tile, tile_index(thread, window));
    const std::uint64_t step = distance(geometry, window);
    if (start + (kValues - 1) * step < size) {
      FUGU_UNROLL
      for (int j = 0; j < kValues; ++j) sink(start + static_cast<unsigned>(j) * step, x[j]);
      return;
    }
    FUGU_UNROLL
    for (int j = 0; j < kValues; ++j) {
      const std::uint64_t at = start + static_cast<unsigned>(j) * step;
      if (at < size) sink(at, x[j]);
    }
  }

  // The stages of tile index bits [from, to) that the window holds.
  FUGU_HD void transform(int window, int from, int to) {
    core::butterflies<register_bits>(x, from - window, to - window);
  }

  FUGU_HD void put(T* shared, unsigned thread, int window) const {
    T* start = shared + padded(tile_index(thread, window));
    FUGU_UNROLL
    for (int j = 0; j < kValues; ++j) start[padded(static_cast<unsigned>(j) << window)] = x[j];
  }

  FUGU_HD void get(const T* shared, unsigned thread, int window) {
    const T* start = shared + padded(tile_index(thread, window));
    FUGU_UNROLL
    for (int j = 0; j < kValues; ++j) x[j] = start[padded(static_cast<unsigned>(j) << window)];
  }
};

// The stages of tile index bits [from, to) that a pass does; batches of short rows stop below tile_bits, and
// a pass with few rows to do starts above its lowest row bit.
struct StageRange {
  int from;
  int to;
};

FUGU_HD constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}
FUGU_HD constexpr int larger(int a, int b) {
  return a > b ? a : b;
}

// Every bit of the tile, in three windows: top, lowest, middle. A warp loads through the top window and
// stores through the middle one: in both its lanes are consecutive values.
template <class T, int tile_bits, int register_bits>
struct ContiguousPass {
  static_assert(2 * register_bits < tile_bits && tile_bits <= 3 * register_bits);
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr int kTop = Tile::kTopWindow;
  static constexpr int kMiddle = register_bits;
  static constexpr int kPhases = 4;  // forward; backward has as many
  FUGU_HD static constexpr TileGeometry geometry() { return {tile_bits, tile_bits}; }

  FUGU_HD static void top_stages(Tile& tile, StageRange stages) { tile.transform(kTop, kTop, stages.to); }
  FUGU_HD static void low_stages(Tile& tile, StageRange stages) {
    tile.transform(0, 0, smaller(register_bits, stages.to));
  }
  FUGU_HD static void middle_stages(Tile& tile, StageRange stages) {
    tile.transform(kMiddle, kMiddle, smaller(kTop, stages.to));
  }

  // From values just loaded through the top window to all stages done in the middle one; a barrier after each
  // phase.
  template <int phase>
  FUGU_HD static void forward(Tile& tile, T* shared, unsigned thread, StageRange stages) {
    if constexpr (phase == 0) {
      top_stages(tile, stages);
      tile.put(shared, thread, kTop);
    } else if constexpr (phase == 1) {
      tile.get(shared, thread, 0);
      low_stages(tile, stages);
    } else if constexpr (phase == 2) {
      tile.put(shared, thread, 0);
    } else {
      tile.get(shared, thread, kMiddle);
      middle_stages(tile, stages);
    }
  }

  // The same stages from the middle window back to the top one: for the inverse that follows a product.
  template <int phase>
  FUGU_HD static void backward(Tile& tile, T* shared, unsigned thread, StageRange stages) {
    if constexpr (phase == 0) {
      middle_stages(tile, stages);
      tile.put(shared, thread, kMiddle);
    } else if constexpr (phase == 1) {
      tile.get(shared, thread, 0);
      low_stages(tile, stages);
    } else if constexpr (phase == 2) {
      tile.put(shared, thread, 0);
    } else {
      tile.get(shared, thread, kTop);
      top_stages(tile, stages);
    }
  }

  FUGU_HD static constexpr int first_window() { return kTop; }
  FUGU_HD static constexpr int last_window() { return kMiddle; }
};

// The row bits [column_bits, tile_bits) of the tile, at most two windows of them.
template <class T, int tile_bits, int register_bits>
struct StridedPass {
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr int kTop = Tile::kTopWindow;
  static constexpr int kPhases = 2;

  FUGU_HD static void top_stages(Tile& tile, StageRange stages) {
    tile.transform(kTop, larger(kTop, stages.from), stages.to);
  }
  FUGU_HD static void low_stages(Tile& tile, const TileGeometry& geometry, StageRange stages) {
    tile.transform(geometry.column_bits, stages.from, kTop);
  }

  template <int phase>
  FUGU_HD static void forward(Tile& tile, T* shared, unsigned thread, const TileGeometry& geometry,
                              StageRange stages) {
    if constexpr (phase == 0) {
      top_stages(tile, stages);
      if (stages.from < kTop) tile.put(shared, thread, kTop);
    } else if (stages.from < kTop) {
      tile.get(shared, thread, geometry.column_bits);
      low_stages(tile, geometry, stages);
    }
  }

  template <int phase>
  FUGU_HD static void backward(Tile& tile, T* shared, unsigned thread, const TileGeometry& geometry,
                               StageRange stages) {
    if constexpr (phase == 0) {
      if (stages.from < kTop) {
        low_stages(tile, geometry, stages);
        tile.put(shared, thread, geometry.column_bits);
      }
    } else {
      if (stages.from < kTop) tile.get(shared, thread, kTop);
      top_stages(tile, stages);
    }
  }

  FUGU_HD static constexpr int first_window() { return kTop; }
  FUGU_HD static int last_window(const TileGeometry& geometry, StageRange stages) {
    return stages.from < kTop ? geometry.column_bits : kTop;
  }
};

// Four blocks that see each other's shared memory do two more stages: those of the two index bits in which
// their tiles differ. Each block takes a quarter of the tile indices, reads its values of all four tiles, and
// stores them for all four. Tile numbers are dealt out so that block `rank` of a group has the tile that
// peer_tile() says.
inline constexpr int kClusterBits = 2;
inline constexpr unsigned kClusterBlocks = 1u << kClusterBits;

// Tile of block `rank` of group `group`: the tiles of a group differ in the bits just above a tile's own
// rows.
FUGU_HD std::uint64_t peer_tile(const TileGeometry& geometry, std::uint64_t group, unsigned rank) {
  const int across_bits = geometry.first - geometry.column_bits;
  const std::uint64_t across = group & ((std::uint64_t{1} << across_bits) - 1);
  return ((group >> across_bits) << (across_bits + kClusterBits)) | (std::uint64_t{rank} << across_bits) |
         across;
}

template <class T, int tile_bits, int register_bits>
struct ClusterRound {
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr unsigned kQuarter = (1u << tile_bits) / kClusterBlocks;
  static constexpr int kColumns = Tile::kValues / static_cast<int>(kClusterBlocks);

  FUGU_HD static unsigned index(unsigned thread, unsigned rank, int column) {
    return rank * kQuarter + static_cast<unsigned>(column) * Tile::kThreads + thread;
  }

  // `shared_of(block)` is that block's shared memory, in which every tile lies as put() left it.
  template <class SharedOf>
  FUGU_HD static void gather(Tile& tile, const SharedOf& shared_of, unsigned thread, unsigned rank) {
    FUGU_UNROLL
    for (unsigned block = 0; block < kClusterBlocks; ++block) {
      const T* shared = shared_of(block);
      FUGU_UNROLL
      for (int column = 0; column < kColumns; ++column) {
        tile.x[static_cast<unsigned>(column) * kClusterBlocks + block] =
            shared[padded(index(thread, rank, column))];
      }
    }
    core::butterflies<register_bits>(tile.x, 0, kClusterBits);
  }

  template <class Sink>
  FUGU_HD static void store(const Tile& tile, Sink& sink, const TileGeometry& geometry, std::uint64_t group,
                            unsigned thread, unsigned rank) {
    FUGU_UNROLL
    for (unsigned block = 0; block < kClusterBlocks; ++block) {
      const std::uint64_t number = peer_tile(geometry, group, block);
      FUGU_UNROLL
      for (int column = 0; column < kColumns; ++column) {
        sink(Tile::offset(geometry, number, index(thread, rank, column)),
             tile.x[static_cast<unsigned>(column) * kClusterBlocks + block]);
      }
    }
  }
};

// Sources and sinks of a pass.

template <class In>
struct ValueSource {
  const In* data;
  FUGU_HD In operator()(std::uint64_t start, std::uint64_t beyond) const { return data[start + beyond]; }
};

// (-1)^f(x) of a truth table, f(x) being bit x % 32 of word x / 32. For windows of 5 and up.
struct PolaritySource {
  const std::uint32_t* words;
  FUGU_HD int operator()(std::uint64_t start, std::uint64_t beyond) const {
    return 1 - 2 * static_cast<int>(words[(start >> 5) + (beyond >> 5)] >> (start & 31) & 1);
  }
};

// Two neighbouring values as one integer, low + 65536 high: additions and subtractions of such integers do
// both at once, and nothing is lost while either stays within 16 bits, because the sum of the whole is exact.
// This source yields the pair x = 2 at, 2 at + 1 of a truth table with the stage of bit 0 already done. For
// windows of 4 and up.
struct PolarityPairSource {
  const std::uint32_t* words;
  FUGU_HD int operator()(std::uint64_t start, std::uint64_t beyond) const {
    const std::uint32_t bits = words[(start >> 4) + (beyond >> 4)] >> (2 * (start & 15));
    const int first = static_cast<int>(bits & 1);
    const int second = static_cast<int>(bits >> 1 & 1);
    return 2 - 2 * (first + second) + (second - first) * (2 << 16);
  }
};

// Such a pair as two 16-bit integers in memory order.
struct PairSink {
  std::uint32_t* data;
  FUGU_HD void operator()(std::uint64_t at, std::int32_t pair) const {
    const std::uint32_t bits = static_cast<std::uint32_t>(pair);
    data[at] = bits + ((bits & 0x8000u) << 1);  // what a negative low half borrowed from the high one
  }
};

template <class Out>
struct ValueSink {
  Out* data;
  template <class T>
  FUGU_HD void operator()(std::uint64_t at, T value) const {
    data[at] = static_cast<Out>(value);
  }
};

// Division by 2^shift on the way out. An integer that does not divide sets *inexact.
template <class T>
struct ScaledSink {
  T* data;
  int shift;
  T factor;
  std::uint32_t* inexact;

  FUGU_HD void operator()(std::uint64_t at, T value) const {
    if constexpr (static_cast<T>(0.5) != T{0}) {
      data[at] = value * factor;
    } else {
      if ((value & ((T{1} << shift) - 1)) != 0) *inexact = 1;
      data[at] = static_cast<T>(value >> shift);
    }
  }
};

}  // namespace fugu::kernels
