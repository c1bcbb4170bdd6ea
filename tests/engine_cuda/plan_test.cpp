// Calls are cut into slices: every byte is covered once, chains are read where they are cut, limits are kept.
#include "fugu/engine/cuda/plan.hpp"

#include "support/testing.hpp"

namespace fugu::engine::cuda {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i / 8 * 3 + i % 8);
  return data;
}

struct Call {
  std::vector<std::vector<std::byte>> memory;
  std::vector<Segment> segments;

  explicit Call(const std::vector<std::size_t>& sizes) {
    for (const std::size_t bytes : sizes) memory.push_back(counting(bytes));
    for (std::vector<std::byte>& data : memory) {
      Segment segment;
      segment.iv = 1000;
      segment.first_block = 5;
      segment.in = data;
      segment.out = data;
      segments.push_back(segment);
    }
  }
};

TEST(Plan, covers_every_byte_once_and_in_order) {
  const Call call({8, 160, 0, 1000, 64, 16, 4096});
  for (const std::size_t slice_bytes : {16u, 32u, 64u, 4096u, 1u << 20}) {
    for (const std::size_t max_pieces : {1u, 2u, 64u}) {
      const auto slices = plan_slices(Op::ecb_encrypt, call.segments, slice_bytes, max_pieces);
      std::size_t segment = 0;
      std::size_t offset = 0;
      for (const Slice& slice : slices) {
        ASSERT_FALSE(slice.pieces.empty());
        ASSERT_LE(slice.pieces.size(), max_pieces);
        ASSERT_LE(slice.bytes, slice_bytes);
        std::size_t end = 0;
        for (const SegmentRun& piece : slice.pieces) {
          while (offset == call.memory[segment].size()) ++segment, offset = 0;
          ASSERT_EQ(piece.segment, &call.segments[segment]);
          ASSERT_EQ(piece.in, call.memory[segment].data() + offset);
          ASSERT_GT(piece.bytes, 0u);
          ASSERT_EQ(piece.slice_offset % 16, 0u);
          ASSERT_GE(piece.slice_offset, end);
          end = piece.slice_offset + piece.bytes;
          offset += piece.bytes;
        }
        ASSERT_EQ(end, slice.bytes);
      }
      EXPECT_EQ(segment, call.memory.size() - 1);
      EXPECT_EQ(offset, call.memory.back().size());
    }
  }
}

TEST(Plan, chains_to_the_ciphertext_before_the_cut) {
  const Call call({96});
  const auto slices = plan_slices(Op::cbc_decrypt, call.segments, 32, 64);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].pieces[0].chain, 1000u);
  EXPECT_EQ(slices[1].pieces[0].chain, core::load_u64_big(call.memory[0].data() + 24));
  EXPECT_EQ(slices[2].pieces[0].chain, core::load_u64_big(call.memory[0].data() + 56));
}

TEST(Plan, counts_from_the_segments_position) {
  const Call call({96});
  const auto slices = plan_slices(Op::ctr, call.segments, 32, 64);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].pieces[0].chain, 1005u);
  EXPECT_EQ(slices[1].pieces[0].chain, 1009u);
  EXPECT_EQ(slices[2].pieces[0].chain, 1013u);
}

TEST(Plan, keeps_byte_orders_apart) {
  Call call({64, 64, 64});
  call.segments[1].words = core::ByteOrder::little;
  EXPECT_EQ(plan_slices(Op::ecb_encrypt, call.segments, 4096, 64).size(), 3u);
  call.segments[1].words = core::ByteOrder::big;
  EXPECT_EQ(plan_slices(Op::ecb_encrypt, call.segments, 4096, 64).size(), 1u);
  call.segments[2].counter = core::ByteOrder::little;
  EXPECT_EQ(plan_slices(Op::ctr, call.segments, 4096, 64).size(), 2u);
}

TEST(Plan, of_nothing_is_empty) {
  EXPECT_TRUE(plan_slices(Op::ctr, {}, 4096, 64).empty());
  const Call call({0, 0});
  EXPECT_TRUE(plan_slices(Op::ctr, call.segments, 4096, 64).empty());
}

}  // namespace
}  // namespace fugu::engine::cuda
