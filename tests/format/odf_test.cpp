// Documents under a password, opened in memory: the shared samples, and broken archives.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreign_samples.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing

TEST(Odf, IsRecognisedByTheFirstFilesInIt) {
  ASSERT_FALSE(documents().empty());
  for (const Sample& document : documents()) {
    const auto head = std::span(document.bytes).first(std::min(document.bytes.size(), kRecogniseBytes));
    const auto found = recognise(head, document.bytes.size());
    ASSERT_EQ(found.size(), 1U) << document.file;
    EXPECT_EQ(found.front()->name, "odf");
  }
}

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

// The directory is at the end, so a truncated archive has none.
TEST(Odf, EveryTruncationIsSurvived) {
  const Sample& document = documents().front();
  for (std::size_t bytes = 0; bytes < document.bytes.size(); ++bytes) {
    const auto failure =
        error_of([&] { open_with("odf", std::span(document.bytes).first(bytes), document.passphrase); });
    ASSERT_TRUE(failure) << bytes;
    EXPECT_NE(failure->code(), Errc::wrong_key) << bytes;
  }
}

// The directory at the end serves as an archive's header.
TEST(Odf, EveryByteOfTheDirectoryCanBeChanged) {
  constexpr std::size_t kEndBytes = 1100;  // the directory of 14 files
  const Codec& codec = *find_codec("odf");
  const OptionValues none(codec.options);
  Bytes file = documents().front().bytes;
  for (std::size_t i = 0; i < std::min(kEndBytes, file.size()); ++i) {
    std::byte& byte = file[file.size() - 1 - i];
    byte ^= static_cast<std::byte>(1U << i % 8);
    BytesSource source(file);
    static_cast<void>(error_of([&] { codec.describe(source, none); }));
    byte ^= static_cast<std::byte>(1U << i % 8);
  }
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
