// A contiguous pass by clusters of 2^cluster_bits blocks with neighbouring tiles: the stages of the tile's
// bits and of those above it, which are the block's rank in the cluster.
//
// A block first computes the stages of the tile's highest bits. The lowest cluster_bits of these then change
// places with the rank: every block writes to the shared memory of all. So no more values move than between
// other windows, and the last window has the rank's bits.
//
// Phases of one thread: load from the first window, first, exchange, middle, last, store. The cluster has a
// barrier before and after exchange(), the block one after middle().
#pragma once

#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

template <class T, int tile_bits, int register_bits, int cluster_bits>
struct ClusterPass {
  static_assert(2 * register_bits < tile_bits && tile_bits + cluster_bits <= 3 * register_bits);
  using Tile = WalshTile<T, tile_bits, register_bits>;
  static constexpr unsigned kBlocks = 1u << cluster_bits;
  static constexpr int kFirstWindow = Tile::kTopWindow, kLastWindow = register_bits;
  FUGU_HD static constexpr TileGeometry geometry() { return {tile_bits, tile_bits}; }

  FUGU_HD static void first(Tile& tile) { core::butterflies<register_bits>(tile.x, 0, register_bits); }

  // cluster.of(rank, place) is the same place in that block's memory, and has put(distance, value).
  template <class Cluster>
  FUGU_HD static void exchange(const Tile& tile, const Cluster& cluster, T* shared, unsigned thread) {
    T* own = shared + Tile::padded(Tile::tile_index(thread, kFirstWindow)) +
             Tile::padded(cluster.rank() << kFirstWindow);
    FUGU_UNROLL
    for (unsigned rank = 0; rank < kBlocks; ++rank) {
      const auto to = cluster.of(rank, own);
      FUGU_UNROLL
      for (unsigned j = 0; j < Tile::kValues; j += kBlocks)
        to.put(Tile::padded(j << kFirstWindow), tile.x[j + rank]);
    }
  }

  FUGU_HD static void middle(Tile& tile, T* shared, unsigned thread) {
    tile.get(shared, thread, 0);
    core::butterflies<register_bits>(tile.x, 0, register_bits);
    tile.put(shared, thread, 0);
  }

  FUGU_HD static void last(Tile& tile, const T* shared, unsigned thread) {
    tile.get(shared, thread, kLastWindow);
    core::butterflies<register_bits>(tile.x, 0, kFirstWindow - kLastWindow + cluster_bits);
  }

  template <class Sink>
  FUGU_HD static void store(const Tile& tile, Sink& sink, std::uint64_t number, unsigned thread) {
    constexpr int kExchanged = kFirstWindow - kLastWindow;
    constexpr unsigned kRanks = (kBlocks - 1) << kExchanged;
    const auto rank = static_cast<unsigned>(number % kBlocks);
    const std::uint64_t start =
        ((number - rank) << tile_bits) + Tile::tile_index(thread, kLastWindow) + (rank << kFirstWindow);
    FUGU_UNROLL
    for (unsigned j = 0; j < Tile::kValues; ++j) {
      sink(start + ((j & ~kRanks) << kLastWindow) + ((j & kRanks) >> kExchanged << tile_bits), tile.x[j]);
    }
  }
};

}  // namespace fugu::kernels
