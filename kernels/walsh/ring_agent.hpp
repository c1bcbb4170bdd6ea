// Tiles as large as half of an SM's registers, with one block per SM: while a tile is transformed in
// registers, the next one is copied to shared memory. Rows that need three passes with smaller tiles need two
// with these.
//
// Shared memory is a ring of three slots of half a tile, and the halves of a block's tiles use them in turn.
// A tile occupies two slots and moves its windows (kernels/walsh/walsh_agent.hpp) through them; meanwhile the
// first half of the next tile is copied to the third slot. The second half is copied to the slot of the
// tile's first half once every thread has taken its last values from there, while the last stages are
// computed and stored.
#pragma once

#include "kernels/spectral_launch.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// Values are copied in pieces of kPieceBytes. One piece in 2^padding_bits values is padding.
template <class T, int tile_bits, int register_bits, int padding_bits>
struct RingTile : WalshTile<T, tile_bits, register_bits> {
  using Base = WalshTile<T, tile_bits, register_bits>;
  using Base::kValues, Base::x;
  static constexpr int kRegisterBits = register_bits;
  static constexpr unsigned kPiece = kPieceBytes / sizeof(T);
  static constexpr unsigned kHalf = 1u << (tile_bits - 1);

  FUGU_HD static constexpr unsigned padded(unsigned index) {
    return index + (index >> padding_bits) * kPiece;
  }
  static constexpr unsigned kSlotValues = kHalf + (kHalf >> padding_bits) * kPiece;
  static constexpr std::size_t kRingBytes = 3 * sizeof(T) * kSlotValues;

  FUGU_HD static T* slot(T* ring, unsigned half) { return ring + half % 3 * kSlotValues; }

  // copy(to, from) copies a piece from global memory. Half 2k + h is half h of the block's k-th tile `tile`.
  template <class Copy>
  FUGU_HD static void fetch(const Copy& copy, T* ring, unsigned half, const T* data,
                            const TileGeometry& geometry, std::uint64_t tile, unsigned thread) {
    constexpr unsigned kStep = kPiece * Base::kThreads;
    const unsigned first = kPiece * thread;
    T* to = slot(ring, half) + padded(first);
    const T* from = data + Base::offset(geometry, tile, first + (half % 2 == 0 ? 0 : kHalf));
    const std::uint64_t step = Base::offset(geometry, 0, kStep);
    FUGU_UNROLL
    for (unsigned i = 0; i < kHalf / kStep; ++i) copy(to + padded(i * kStep), from + i * step);
  }

  // The places of a thread's values in shared memory: those of the upper half of the registers start at
  // `high`.
  struct Places {
    T* low;
    T* high;
  };
  FUGU_HD static Places places(T* ring, unsigned turn, unsigned thread, int window) {
    const unsigned index = Base::tile_index(thread, window);
    T* low = slot(ring, 2 * turn);
    T* high = slot(ring, 2 * turn + 1);
    if (window == Base::kTopWindow) return {low + padded(index), high + padded(index)};
    T* start = (index < kHalf ? low : high) + padded(index % kHalf);
    return {start, start + padded(unsigned{kValues / 2} << window)};
  }

  template <int window>
  FUGU_HD void put(T* ring, unsigned turn, unsigned thread) const {
    const Places at = places(ring, turn, thread, window);
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues / 2; j += run<window>()) {
      move<run<window>()>(at.low + padded(j << window), x + j);
      move<run<window>()>(at.high + padded(j << window), x + kValues / 2 + j);
    }
  }

  template <int window>
  FUGU_HD void get(T* ring, unsigned turn, unsigned thread) {
    const Places at = places(ring, turn, thread, window);
    FUGU_UNROLL
    for (unsigned j = 0; j < kValues / 2; j += run<window>()) {
      move<run<window>()>(x + j, at.low + padded(j << window));
      move<run<window>()>(x + kValues / 2 + j, at.high + padded(j << window));
    }
  }

 private:
  // Neighbouring values move as pieces: lanes at the distance of a row of padding then use different banks.
  template <int window>
  FUGU_HD static constexpr unsigned run() {
    return window == 0 ? kPiece : 1;
  }
  template <unsigned count>
  FUGU_HD static void move(T* to, const T* from) {
    if constexpr (count == 1) {
      *to = *from;
    } else {
      struct alignas(kPieceBytes) Piece {
        T values[count];
      };
      __builtin_memcpy(reinterpret_cast<Piece*>(to), reinterpret_cast<const Piece*>(from), sizeof(Piece));
    }
  }
};

// The following classes define the windows of a pass and the stages of each, starting with its lowest bit.

// Every bit of the tile.
template <class T, int tile_bits, int register_bits>
struct RingContiguous {
  static_assert(2 * register_bits < tile_bits && tile_bits <= 3 * register_bits);
  using Tile = RingTile<T, tile_bits, register_bits, register_bits>;
  static constexpr bool kContiguous = true;
  static constexpr int kPhases = 3;
  FUGU_HD static constexpr int window(int phase) {
    return phase == 0 ? Tile::kTopWindow : phase == 1 ? 0 : register_bits;
  }
  FUGU_HD static constexpr int stages(int phase) {
    return phase == 2 ? Tile::kTopWindow - register_bits : register_bits;
  }
};

// The row bits [column_bits, tile_bits) of the tile.
template <class T, int tile_bits, int register_bits, int column_bits>
struct RingStrided {
  static_assert(register_bits < tile_bits - column_bits && tile_bits - column_bits <= 2 * register_bits);
  using Tile = RingTile<T, tile_bits, register_bits, register_bits + 2>;
  static constexpr bool kContiguous = false;
  static constexpr int kColumnBits = column_bits;
  static constexpr int kPhases = 2;
  FUGU_HD static constexpr int window(int phase) { return phase == 0 ? Tile::kTopWindow : column_bits; }
  FUGU_HD static constexpr int stages(int phase) {
    return phase == 0 ? register_bits : Tile::kTopWindow - column_bits;
  }
};

// The phases of one thread: ring_step<Pass, 0> .. <Pass, kPhases - 1>, a barrier before each and after the
// last, which frees the slot of the tile's first half; then ring_finish and storing from the last window.
template <class Pass, int phase, class T>
FUGU_HD void ring_step(typename Pass::Tile& tile, T* ring, unsigned turn, unsigned thread) {
  constexpr int window = Pass::window(phase);
  tile.template get<window>(ring, turn, thread);
  if constexpr (phase + 1 < Pass::kPhases) {
    core::butterflies<Pass::Tile::kRegisterBits>(tile.x, 0, Pass::stages(phase));
    tile.template put<window>(ring, turn, thread);
  }
}

template <class Pass>
FUGU_HD void ring_finish(typename Pass::Tile& tile) {
  core::butterflies<Pass::Tile::kRegisterBits>(tile.x, 0, Pass::stages(Pass::kPhases - 1));
}

}  // namespace fugu::kernels
