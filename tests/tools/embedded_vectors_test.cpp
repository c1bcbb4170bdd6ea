// The vectors in `fugu selftest` are those of vectors/, as the other reader reads them.
#include "cli/check/embedded_vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/vector_reader.hpp"

namespace fugu {
namespace {

void expect_same(std::span<const std::byte> embedded, const std::vector<std::byte>& read) {
  EXPECT_TRUE(std::ranges::equal(embedded, read));
}

TEST(EmbeddedVectors, AreTheFiles) {
  const auto embedded = cli::embedded_vectors();
  const auto read = test::read_all_vectors();
  ASSERT_EQ(embedded.size(), read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    SCOPED_TRACE(read[i].where);
    EXPECT_EQ(embedded[i].where, read[i].where);
    EXPECT_EQ(embedded[i].mode, read[i].mode);
    EXPECT_EQ(embedded[i].words, read[i].words);
    EXPECT_EQ(embedded[i].counter, read[i].counter);
    expect_same(embedded[i].key, read[i].key);
    expect_same(embedded[i].iv, read[i].iv);
    expect_same(embedded[i].plaintext, read[i].plaintext);
    expect_same(embedded[i].ciphertext, read[i].ciphertext);
  }
}

}  // namespace
}  // namespace fugu
