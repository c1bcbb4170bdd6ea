// Passes whose blocks work on one tile while the next one is copied, run on the host.
#include "kernels/walsh/ring_agent.hpp"

#include <cstring>

#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

using kernels::TileGeometry;

// When copies complete: as early as possible, so that they destroy values still in use if there are any, or
// as late as possible.
enum class Landing { early, late };

template <class T, class Pass>
class FakeRing {
 public:
  using Tile = typename Pass::Tile;

  FakeRing(Landing landing, ThreadOrder order) : landing_(landing), order_(order) {}

  // Runs block `block` of `blocks`, in place.
  void run(std::vector<T>& data, const TileGeometry& geometry, std::uint64_t block, std::uint64_t blocks) {
    const std::uint64_t tiles = data.size() / (Tile::kValues * Tile::kThreads);
    fetch(0, data, geometry, block);
    fetch(1, data, geometry, block);
    std::uint64_t tile = block;
    for (unsigned turn = 0; tile < tiles; ++turn, tile += blocks) {
      land();
      const bool more = tile + blocks < tiles;
      if (more) fetch(2 * turn + 2, data, geometry, tile + blocks);
      steps<0>(turn);
      if (more) fetch(2 * turn + 3, data, geometry, tile + blocks);
      run_phase(threads_, order_, [&](Tile& t, unsigned thread) {
        kernels::ring_finish<Pass>(t);
        kernels::ValueSink<T> sink{data.data()};
        t.store(sink, geometry, tile, thread, Pass::window(Pass::kPhases - 1), data.size());
      });
    }
  }

 private:
  void fetch(unsigned half, const std::vector<T>& data, const TileGeometry& geometry, std::uint64_t tile) {
    const auto copy = [&](T* to, const T* from) {
      flying_.push_back([=] { std::memcpy(to, from, kernels::kPieceBytes); });
    };
    run_phase(threads_, order_, [&](Tile&, unsigned thread) {
      Tile::fetch(copy, ring_.data(), half, data.data(), geometry, tile, thread);
    });
    if (landing_ == Landing::early) land();
  }

  void land() {
    for (const auto& copy : flying_) copy();
    flying_.clear();
  }

  template <int phase>
  void steps(unsigned turn) {
    run_phase(threads_, order_, [&](Tile& t, unsigned thread) {
      kernels::ring_step<Pass, phase>(t, ring_.data(), turn, thread);
    });
    if constexpr (phase + 1 < Pass::kPhases) steps<phase + 1>(turn);
  }

  Landing landing_;
  ThreadOrder order_;
  std::vector<std::function<void()>> flying_;
  std::vector<T> ring_ = std::vector<T>(kernels::kRingBytes / sizeof(T));
  std::vector<Tile> threads_ = std::vector<Tile>(Tile::kThreads);
};

// One block takes all eight tiles, so that the ring turns more than five times.
template <class T, class Pass>
void expect_stages(const TileGeometry& geometry, int tile_bits, int first, int count) {
  static_assert(Pass::Tile::kRingBytes <= kernels::kRingBytes);
  const auto data = test::random_values<T>(std::size_t{8} << tile_bits, 9, 7);
  const auto expected = test::stages(data, first, count);
  for (const Landing landing : {Landing::early, Landing::late}) {
    for (const ThreadOrder order : {ThreadOrder::upwards, ThreadOrder::downwards}) {
      if (::fugu::test::kSanitized && (landing == Landing::early) != (order == ThreadOrder::upwards))
        continue;
      auto done = data;
      FakeRing<T, Pass>(landing, order).run(done, geometry, 0, 1);
      EXPECT_EQ(done, expected);
    }
  }
}

template <class T>
class RingOf : public testing::Test {};
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(RingOf, Types);

TYPED_TEST(RingOf, ContiguousPassDoesEveryStageOfItsTiles) {
  constexpr int tile = kernels::ring_tile_bits(sizeof(TypeParam));
  using Pass = kernels::RingContiguous<TypeParam, tile, 5>;
  expect_stages<TypeParam, Pass>({tile, tile}, tile, 0, tile);
}

template <class T, int rows>
void expect_rows() {
  constexpr int tile = kernels::ring_tile_bits(sizeof(T));
  using Pass = kernels::RingStrided<T, tile, kernels::register_bits_of(tile), tile - rows>;
  for (const int first : {tile - rows, tile + 2 - rows, tile + 3 - rows}) {
    expect_stages<T, Pass>({tile - rows, first}, tile, first, rows);
  }
}

TYPED_TEST(RingOf, StridedPassesDoTheStagesOfTheirRows) {
  expect_rows<TypeParam, 10>();
  if constexpr (sizeof(TypeParam) == 4) expect_rows<TypeParam, 11>();
}

}  // namespace
}  // namespace fugu::spectral
