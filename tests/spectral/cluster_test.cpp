// Passes of clusters of blocks, run on the host.
#include "kernels/walsh/cluster_agent.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/walsh/walsh_policy.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"

namespace fugu::spectral {
namespace {

using test::run_phase;
using test::ThreadOrder;

template <class T>
class FakeCluster {
 public:
  static constexpr int kTileBits = kernels::cluster_tile_bits(sizeof(T));
  using Pass = kernels::ClusterPass<T, kTileBits, kernels::cluster_register_bits(sizeof(T)),
                                    kernels::cluster_bits(sizeof(T))>;
  using Tile = typename Pass::Tile;

  explicit FakeCluster(ThreadOrder order) : order_(order) {}

  // Runs the cluster whose first tile is `first`, in place.
  void run(std::vector<T>& data, std::uint64_t first) {
    phase([&](Block& block, Tile& tile, unsigned thread) {
      tile.load(kernels::ValueSource<T>{data.data()}, Pass::geometry(), first + block.rank, thread,
                Pass::kFirstWindow, kernels::NoEnd{});
      Pass::first(tile);
    });
    phase([&](Block& block, Tile& tile, unsigned thread) {
      Pass::exchange(tile, Peers{*this, block.rank}, block.shared.data(), thread);
    });
    phase([](Block& block, Tile& tile, unsigned thread) { Pass::middle(tile, block.shared.data(), thread); });
    phase([&](Block& block, Tile& tile, unsigned thread) {
      Pass::last(tile, block.shared.data(), thread);
      kernels::ValueSink<T> sink{data.data()};
      Pass::store(tile, sink, first + block.rank, thread);
    });
  }

 private:
  struct Block {
    unsigned rank = 0;
    std::vector<T> shared = std::vector<T>(Tile::kSharedValues);
    std::vector<Tile> threads = std::vector<Tile>(Tile::kThreads);
  };
  struct Place {
    T* place;
    void put(unsigned distance, T value) const { place[distance] = value; }
  };
  struct Peers {
    FakeCluster& cluster;
    unsigned own;
    unsigned rank() const { return own; }
    Place of(unsigned rank, T* place) const {
      return {cluster.blocks_[rank].shared.data() + (place - cluster.blocks_[own].shared.data())};
    }
  };

  template <class Work>
  void phase(Work work) {
    for (unsigned i = 0; i < Pass::kBlocks; ++i) {
      Block& block = blocks_[order_ == ThreadOrder::upwards ? i : Pass::kBlocks - 1 - i];
      block.rank = static_cast<unsigned>(&block - blocks_.data());
      run_phase(block.threads, order_, [&](Tile& tile, unsigned thread) { work(block, tile, thread); });
    }
  }

  ThreadOrder order_;
  std::vector<Block> blocks_ = std::vector<Block>(Pass::kBlocks);
};

template <class T>
class ClusterOf : public testing::Test {};
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(ClusterOf, Types);

TYPED_TEST(ClusterOf, DoesTheStagesOfItsTilesAndRanks) {
  constexpr int stages = kernels::cluster_stages(sizeof(TypeParam));
  const auto data = test::random_values<TypeParam>(std::size_t{2} << stages, 9, 8);
  const auto expected = test::stages(data, 0, stages);
  for (const ThreadOrder order : {ThreadOrder::upwards, ThreadOrder::downwards}) {
    FakeCluster<TypeParam> cluster(order);
    auto done = data;
    for (unsigned row = 0; row < 2; ++row) cluster.run(done, row << kernels::cluster_bits(sizeof(TypeParam)));
    EXPECT_EQ(done, expected);
  }
}

}  // namespace
}  // namespace fugu::spectral
