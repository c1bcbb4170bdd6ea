// The reader of vectors/*.vec refuses what it does not understand, and every file has the number of vectors
// that SOURCES.md states.
#include "support/vector_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace fugu::test {
namespace {

const std::string kGood =
    "mode = ecb\nkey = 00\nplaintext = 0011223344556677\nciphertext = 8899aabbccddeeff\n";

std::string error_of(const std::string& text) {
  try {
    parse_vectors(text, "x.vec");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = kGood;
  return text.replace(text.find(what), what.size(), by);
}

TEST(VectorReader, ReadsEveryField) {
  const auto vectors = parse_vectors(
      "# a comment\n\n"
      "mode = ctr\nwords = little\ncounter = little\nkey = 0aff\niv = 0001020304050607\n"
      "plaintext = 10\nciphertext = 20\n\n\n" +
          kGood,
      "x.vec");
  ASSERT_EQ(vectors.size(), 2u);
  const Vector& v = vectors[0];
  EXPECT_EQ(v.where, "x.vec:3");
  EXPECT_EQ(v.mode, mode::Mode::ctr);
  EXPECT_EQ(v.words, core::ByteOrder::little);
  EXPECT_EQ(v.counter, core::ByteOrder::little);
  EXPECT_EQ(v.key, (std::vector<std::byte>{std::byte{0x0a}, std::byte{0xff}}));
  EXPECT_EQ(v.iv.size(), 8u);
  EXPECT_EQ(v.iv[7], std::byte{7});
  EXPECT_EQ(v.plaintext, std::vector<std::byte>{std::byte{0x10}});
  EXPECT_EQ(v.ciphertext, std::vector<std::byte>{std::byte{0x20}});
  EXPECT_EQ(vectors[1].words, core::ByteOrder::big);
}

TEST(VectorReader, RefusesNoVectors) {
  EXPECT_EQ(error_of(""), "x.vec:0: holds no vectors");
  EXPECT_EQ(error_of("# only a comment\n\n"), "x.vec:2: holds no vectors");
}

TEST(VectorReader, RefusesMalformedLines) {
  EXPECT_EQ(error_of(kGood + "nonsense\n"), "x.vec:5: not 'field = value'");
  EXPECT_EQ(error_of(kGood + "key = 01\n"), "x.vec:5: field given twice");
  EXPECT_EQ(error_of(kGood + "pad = 01\n"), "x.vec:5: unknown field 'pad'");
  EXPECT_EQ(error_of(replaced("key = 00\n", "")), "x.vec:3: record has no 'key'");
  EXPECT_EQ(error_of(replaced("ecb", "ECB")), "x.vec:4: unknown mode 'ECB'");
  EXPECT_EQ(error_of(replaced("key = 00", "key = 0")), "x.vec:4: odd number of hex digits");
  EXPECT_EQ(error_of(replaced("key = 00", "key = 0 ")), "x.vec:4: not a lower-case hex digit");
  EXPECT_EQ(error_of(replaced("key = 00", "key = ")), "x.vec:4: key is not 1 to 72 bytes");
  EXPECT_EQ(error_of(kGood + "words = middle\n"), "x.vec:5: byte order is 'big' or 'little'");
}

TEST(VectorReader, RefusesRecordsThatCannotBe) {
  EXPECT_EQ(error_of(replaced("ecb", "cbc")), "x.vec:4: iv has the wrong size for this mode");
  EXPECT_EQ(error_of(replaced("77\n", "\n")), "x.vec:4: plaintext and ciphertext differ in size");
  EXPECT_EQ(error_of("mode = ecb\nkey = 00\nplaintext = 00\nciphertext = 00"), "x.vec:4: not whole blocks");
  EXPECT_EQ(error_of("mode = ecb\nkey = 00\nplaintext = \nciphertext = "), "x.vec:4: plaintext is empty");
  EXPECT_EQ(error_of(kGood + "counter = little\n"), "x.vec:5: counter is for ctr");
}

TEST(VectorReader, RefusesAMissingFile) {
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
