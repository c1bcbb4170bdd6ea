// The library's memory source and sink.
#include "fugu/stream/memory.hpp"

#include "support/pattern.hpp"
#include "support/testing.hpp"

namespace fugu::stream {
namespace {

using test::Bytes;
using test::pattern;

TEST(Memory, SourceHandsOutEveryByteOnce) {
  const Bytes bytes = pattern(100);
  MemorySource source(bytes);
  EXPECT_EQ(source.size_bytes(), 100u);
  Bytes first(60);
  Bytes rest(60);
  EXPECT_EQ(source.read(first), 60u);
  EXPECT_EQ(source.read(rest), 40u);
  EXPECT_EQ(source.read(rest), 0u);
  rest.resize(40);
  first.insert(first.end(), rest.begin(), rest.end());
  EXPECT_EQ(first, bytes);
}

TEST(Memory, SourceLooksWithoutMoving) {
  const Bytes bytes = pattern(20);
  MemorySource source(bytes);
  std::array<std::byte, 8> part{};
  ASSERT_TRUE(source.read_at(part, 12));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + 12));
  EXPECT_FALSE(source.read_at(part, 13));
  EXPECT_FALSE(source.read_at(part, ~std::uint64_t{0}));
  Bytes all(21);
  EXPECT_EQ(source.read(all), 20u);
}

TEST(Memory, SinkKeepsWhatIsWritten) {
  const Bytes bytes = pattern(1000);
  MemorySink sink;
  sink.reserve(10);
  for (std::size_t at = 0; at < bytes.size(); at += 100) sink.write(std::span(bytes).subspan(at, 100));
  EXPECT_TRUE(std::ranges::equal(sink.bytes(), bytes));
  EXPECT_EQ(sink.take(), bytes);
  EXPECT_TRUE(sink.bytes().empty());
}

}  // namespace
}  // namespace fugu::stream
