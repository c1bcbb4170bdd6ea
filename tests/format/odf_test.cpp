// Documents under a password, opened in memory: the shared samples, and broken archives.
#include <gtest/gtest.h>

#include "foreign_samples.hpp"

namespace fugu::format {
namespace {

TEST(Odf, OpensTheSameInAnyChunks) {
  const Sample& document = documents().front();
  const Bytes whole = open_with("odf", document.bytes, document.passphrase).plaintext;
  EXPECT_EQ(open_with("odf", document.bytes, document.passphrase, {.chunk_bytes = 64}).plaintext, whole);
}

TEST(Odf, APipeIsRefusedBeforeThePassphraseIsAskedFor) {
  const Sample& document = documents().front();
  const auto failure =
      error_of([&] { open_with("odf", document.bytes, document.passphrase, {.seekable = Seekable::no}); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code(), Errc::usage);
}

TEST(Odf, EverySharedDocumentOpens) {
  const std::filesystem::path shared = shared_samples();
  if (!std::filesystem::is_directory(shared))
    GTEST_SKIP() << "the samples that are not committed are not beside the project";
  int opened = 0;
  for (const Sample& sample : read_samples(shared)) {
    if (sample.codec() != "odf") continue;
    EXPECT_TRUE(open_with("odf", sample.bytes, sample.passphrase).opened.evidence.certain) << sample.file;
    const auto failure = error_of([&] { open_with("odf", sample.bytes, bytes_of("another one")); });
    ASSERT_TRUE(failure) << sample.file;
    EXPECT_EQ(failure->code(), Errc::wrong_key) << sample.file;
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace fugu::format
