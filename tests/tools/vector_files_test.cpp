// Every file of vectors/ has the number of vectors that SOURCES.md states, and its fields are read.
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::test {
namespace {

TEST(VectorFiles, AreReadFieldByField) {
  const Vector vector = read_vectors("ctr_little_counter.vec").front();
  EXPECT_EQ(vector.where, "ctr_little_counter.vec:4");
  EXPECT_EQ(vector.mode, mode::Mode::ctr);
  EXPECT_EQ(vector.words, core::ByteOrder::big);
  EXPECT_EQ(vector.counter, core::ByteOrder::little);
  EXPECT_EQ(vector.key.size(), 16u);
  EXPECT_EQ(vector.key[1], std::byte{0x71});
  EXPECT_EQ(vector.iv[1], std::byte{0xdc});
  EXPECT_EQ(vector.plaintext.size(), vector.ciphertext.size());
  EXPECT_THROW(read_vectors("none.vec"), std::runtime_error);
}

// The counts are those of the publications, so that no vector can get lost.
TEST(VectorFiles, HoldThePublishedNumberOfVectors) {
  EXPECT_EQ(read_vectors("ecb.vec").size(), 34u);
  EXPECT_EQ(read_vectors("variable_key.vec").size(), 24u);
  EXPECT_EQ(read_vectors("chains.vec").size(), 3u);
  EXPECT_EQ(read_vectors("evpciph.vec").size(), 8u);
  EXPECT_EQ(read_vectors("text_keys.vec").size(), 2u);
  EXPECT_EQ(read_vectors("key_lengths.vec").size(), 72u);
  EXPECT_EQ(read_vectors("vim.vec").size(), 2u);
}

TEST(VectorFiles, CoverEveryModeInBothWordOrders) {
  std::vector<std::pair<mode::Mode, core::ByteOrder>> seen;
  for (const Vector& v : read_all_vectors()) seen.emplace_back(v.mode, v.words);
  for (const auto mode : {mode::Mode::ecb, mode::Mode::cbc, mode::Mode::cfb64, mode::Mode::cfb8,
                          mode::Mode::ofb, mode::Mode::ctr}) {
    EXPECT_THAT(seen, testing::Contains(std::pair(mode, core::ByteOrder::big)));
    EXPECT_THAT(seen, testing::Contains(std::pair(mode, core::ByteOrder::little)));
  }
}

}  // namespace
}  // namespace fugu::test
