// One tile of the fast Walsh transform, as the phases of one thread between barriers.
//
// A tile is 2^tile_bits values that a thread block loads, transforms in as many stages as fit, and stores in
// place. Its values have tile indices 0 .. 2^tile_bits - 1. A thread holds 2^register_bits of them, those
// whose indices differ in the bits [window, window + register_bits), and computes these stages in registers.
// Moving the window goes through shared memory: put(), a barrier, get(), and a barrier before the next put().
//
// In memory the low `column_bits` bits of a tile index are consecutive values and the others are rows at
// distance 2^first, so one agent serves the contiguous pass (first == column_bits) and the strided ones. A
// window never starts below column_bits in a strided pass, so a thread's values are equidistant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fugu/core/butterfly.hpp"
#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

// The position of a tile. Computed on the host and passed to kernels: if the compiler knew row_distance to be
// a power of two, it would use two shifts per value instead of one multiply-add.
struct TileGeometry {
  FUGU_HD constexpr TileGeometry(int columns, int first_bit)
      : column_bits(columns), first(first_bit), row_distance(std::uint32_t{1} << first_bit) {}

  int column_bits;
  int first;
  std::uint32_t row_distance;
};

// The number of values where all tiles are whole: no position is compared with it.
struct NoEnd {
  FUGU_HD friend constexpr bool operator<(std::uint64_t, NoEnd) { return true; }
};

template <class T, int tile_bits, int register_bits>
struct WalshTile {
  static constexpr int kThreads = 1 << (tile_bits - register_bits);
  static constexpr int kValues = 1 << register_bits;
  static constexpr int kTopWindow = tile_bits - register_bits;

  // One value of padding in every 32, or in every 2^register_bits if that is more: otherwise lanes that
  // access memory at that distance would conflict in one bank.
  FUGU_HD static constexpr unsigned padded(unsigned index) {
    return index + (index >> (register_bits > 5 ? register_bits : 5));
  }
  static constexpr unsigned kSharedValues = (1u << tile_bits) + (1u << (tile_bits - 5));

  T x[std::size_t{1} << register_bits];

  // Returns the tile index of x[0]; x[j] is j << window above it.
  FUGU_HD static unsigned tile_index(unsigned thread, int window) {
    const unsigned low = thread & ((1u << window) - 1);
    return ((thread - low) << register_bits) | low;
  }

  // Returns the offset in the row of value `index` of tile `tile`.
  FUGU_HD static std::uint64_t offset(const TileGeometry& geometry, std::uint64_t tile, unsigned index) {
    const int across_bits = geometry.first - geometry.column_bits;
    const std::uint64_t across = tile & ((std::uint64_t{1} << across_bits) - 1);
    const std::uint64_t block = (tile >> across_bits) << (geometry.first + tile_bits - geometry.column_bits);
    const std::uint64_t row = index >> geometry.column_bits;
    const std::uint64_t column = index & ((1u << geometry.column_bits) - 1);
    return block + (row << geometry.first) + (across << geometry.column_bits) + column;
  }

  // Returns the distance in memory between x[j] and x[j + 1]. It has 32 bits, so that multiples of it take
  // one instruction.
  FUGU_HD static std::uint32_t distance(const TileGeometry& geometry, int window) {
    return window >= geometry.column_bits ? geometry.row_distance << (window - geometry.column_bits)
                                          : 1u << window;
  }

  FUGU_HD static std::uint64_t beyond(unsigned j, std::uint32_t step) { return std::uint64_t{j} * step; }

  // `source(start, beyond)` returns the value at start + beyond; values at `size` or further are not read and
  // count as 0. The offset is split into the thread's part and the common one because packed sources rely on
  // `beyond` being a multiple of 2^window.
  template <class Source, class Size>
  FUGU_HD void load(const Source& source, const TileGeometry& geometry, std::uint64_t tile, unsigned thread,
                    int window, Size size) {
    const std::uint64_t start = offset(geometry, tile, tile_index(thread, window));
    const std::uint32_t step = distance(geometry, window);
    if (start + beyond(kValues - 1, step) < size) {
      FUGU_UNROLL
      for (unsigned j = 0; j < kValues; ++j) x[j] = static_cast<T>(source(start, beyond(j, step)));
      return;
    }
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) {
      x[j] = start + beyond(j, step) < size ? static_cast<T>(source(start, beyond(j, step))) : T{0};
    }
  }

  // Calls `sink(offset, value)` for every value that load() read.
  template <class Sink, class Size>
  FUGU_HD void store(Sink& sink, const TileGeometry& geometry, std::uint64_t tile, unsigned thread,
                     int window, Size size) const {
    const std::uint64_t start = offset(geometry, tile, tile_index(thread, window));
    const std::uint32_t step = distance(geometry, window);
    if (start + beyond(kValues - 1, step) < size) {
      FUGU_UNROLL
      for (unsigned j = 0; j < kValues; ++j) sink(start + beyond(j, step), x[j]);
      return;
    }
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues; ++j) {
      const std::uint64_t at = start + beyond(j, step);
      if (at < size) sink(at, x[j]);
    }
  }

  // Computes the stages of the tile index bits [from, to) in the window. A branch selects all stages that
  // begin with the window at once, not stage by stage: values from a branch have to be moved back to their
  // registers.
  FUGU_HD void transform(int window, int from, int to) {
    if (from > window) return core::butterflies<register_bits>(x, from - window, to - window);
    first_stages<register_bits>(to - window);
  }

  template <int count>
  FUGU_HD void first_stages(int wanted) {
    if constexpr (count > 0) {
      if (wanted < count) return first_stages<count - 1>(wanted);
      core::butterflies<register_bits>(x, 0, count);
    }
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

// The stages of tile index bits [from, to) of a pass; batches of short rows stop below tile_bits, and a pass
// with few row stages starts above its lowest row bit.
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

// The order in which a pass goes through its windows.
//   forward      a warp's lanes are consecutive values where the pass loads and where it stores
//   backward     from forward's last window to its first: for the inverse that follows a product
//   from_lowest  for sources that yield 2^register_bits neighbours at a time
//   to_lowest    for sinks that need them in this order
enum class Walk : std::uint8_t { forward, backward, from_lowest, to_lowest };

// Every bit of the tile, in three windows. One phase per window, with a barrier between two phases.
template <class T, int tile_bits, int register_bits>
struct ContiguousPass {
  static_assert(2 * register_bits < tile_bits && tile_bits <= 3 * register_bits);
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr int kTop = Tile::kTopWindow;
  static constexpr int kMiddle = register_bits;
  static constexpr int kPhases = 3;
  FUGU_HD static constexpr TileGeometry geometry() { return {tile_bits, tile_bits}; }

  FUGU_HD static constexpr int window(Walk walk, int phase) {
    constexpr int kWindows[][kPhases] = {
        {kTop, 0, kMiddle}, {kMiddle, 0, kTop}, {0, kMiddle, kTop}, {kTop, kMiddle, 0}};
    return kWindows[static_cast<int>(walk)][phase];
  }
  FUGU_HD static constexpr int first_window(Walk walk) { return window(walk, 0); }
  FUGU_HD static constexpr int last_window(Walk walk) { return window(walk, kPhases - 1); }

  // Windows overlap: each computes the stages up to the start of the next one.
  FUGU_HD static void transform(Tile& tile, int at, StageRange stages) {
    const int end = at == 0 ? kMiddle : at == kMiddle ? kTop : tile_bits;
    tile.transform(at, larger(at, stages.from), smaller(end, stages.to));
  }

  template <Walk walk, int phase>
  FUGU_HD static void step(Tile& tile, T* shared, unsigned thread, StageRange stages) {
    constexpr int at = window(walk, phase);
    if constexpr (phase > 0) tile.get(shared, thread, at);
    transform(tile, at, stages);
    if constexpr (phase + 1 < kPhases) tile.put(shared, thread, at);
  }
};

// The row bits [column_bits, tile_bits) of the tile, in two windows, or in one if the stages fit the top
// window.
template <class T, int tile_bits, int register_bits>
struct StridedPass {
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr int kTop = Tile::kTopWindow;
  static constexpr int kPhases = 2;

  FUGU_HD static int window(Walk walk, int phase, const TileGeometry& geometry, StageRange stages) {
    const bool top = (walk == Walk::forward) == (phase == 0);
    return top || stages.from >= kTop ? kTop : geometry.column_bits;
  }
  FUGU_HD static int first_window(Walk walk, const TileGeometry& geometry, StageRange stages) {
    return window(walk, 0, geometry, stages);
  }
  FUGU_HD static int last_window(Walk walk, const TileGeometry& geometry, StageRange stages) {
    return window(walk, kPhases - 1, geometry, stages);
  }

  template <Walk walk, int phase>
  FUGU_HD static void step(Tile& tile, T* shared, unsigned thread, const TileGeometry& geometry,
                           StageRange stages) {
    constexpr bool top = (walk == Walk::forward) == (phase == 0);
    const bool both = stages.from < kTop;
    if (!top && !both) return;
    const int at = top ? kTop : geometry.column_bits;
    if (phase > 0 && both) tile.get(shared, thread, at);
    tile.transform(at, larger(at, stages.from), top ? stages.to : kTop);
    if (phase == 0 && both) tile.put(shared, thread, at);
  }
};

// Sources and sinks of a pass.

template <class In>
struct ValueSource {
  const In* data;
  FUGU_HD In operator()(std::uint64_t start, std::uint64_t beyond) const { return data[start + beyond]; }
};

template <class Out>
struct ValueSink {
  Out* data;
  template <class T>
  FUGU_HD void operator()(std::uint64_t at, T value) const {
    data[at] = static_cast<Out>(value);
  }
};

// Scales before storing. Every value is divisible, so that `inexact` may be null, for a shift of 0, and after
// a convolution, where H H = 2^n modulo 2^64 makes even overflowed values multiples of 2^n.
//
// The host computes everything that depends on the shift alone: on the device this would spill 404 bytes of
// registers in the kernels of 32-bit values, which would take 2.5 times as long.
template <class T>
struct ScaledSink {
  T* data;
  std::uint32_t* inexact;
  int shift;              // for integers, less than their bits
  core::Wrap<T> dropped;  // for integers, the bits that must be 0
  T factor;               // for floats

  FUGU_HD T scaled(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return value * factor;
    } else {
      if ((static_cast<core::Wrap<T>>(value) & dropped) != 0) *inexact = 1;
      return static_cast<T>(value >> shift);
    }
  }

  FUGU_HD void operator()(std::uint64_t at, T value) const { data[at] = scaled(value); }
};

template <class T>
ScaledSink<T> scaled_sink(T* data, const Scaling& scaling) {
  if constexpr (std::is_floating_point_v<T>) {
    return {data, nullptr, 0, {}, static_cast<T>(scaling.factor)};
  } else {
    return {data, scaling.inexact, core::usable_shift<T>(scaling.shift),
            core::fraction_mask<T>(scaling.shift), 0};
  }
}

}  // namespace fugu::kernels
