// Looking ahead in an input that cannot seek, and ending it early.
#include "fugu/format/detail/lookahead.hpp"

#include "memory.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

const Bytes kInput = test::pattern(1000);

std::span<const std::byte> input(std::size_t first, std::size_t count) {
  return std::span(kInput).subspan(first, count);
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

class OfAPipe : public ::testing::Test {
 protected:
  BytesSource source_{kInput, Seekable::no};
  Lookahead ahead_{source_};
};

TEST_F(OfAPipe, WhatWasPeekedIsReadFirst) {
  EXPECT_TRUE(equal(ahead_.peek(10), input(0, 10)));
  ahead_.skip(4);
  EXPECT_TRUE(equal(ahead_.take(3, "it"), input(4, 3)));
  Bytes rest(2000);
  EXPECT_EQ(ahead_.read(rest), 993U);
  EXPECT_TRUE(equal(std::span(rest).first(993), input(7, 993)));
  EXPECT_EQ(ahead_.position(), 1000U);
  EXPECT_EQ(ahead_.read(rest), 0U);
}

TEST_F(OfAPipe, ReadingEndsAtALimit) {
  ahead_.take(100, "it");
  ahead_.peek(50);
  ahead_.limit(300);
  EXPECT_EQ(ahead_.bytes_left(), 300U);
  Bytes into(2000);
  EXPECT_EQ(ahead_.read(std::span(into).first(20)), 20U);
  EXPECT_EQ(ahead_.bytes_left(), 280U);
  EXPECT_EQ(ahead_.read(into), 280U);
  EXPECT_TRUE(equal(std::span(into).first(280), input(120, 280)));
  EXPECT_EQ(ahead_.read(into), 0U);
  EXPECT_TRUE(ahead_.peek(1).empty());
  ahead_.limit(5);
  EXPECT_TRUE(equal(ahead_.peek(9), input(400, 5)));
}

TEST_F(OfAPipe, TheEndIsSeenOnceAllWasPeeked) {
  Bytes end(8);
  EXPECT_FALSE(ahead_.peek_end(end));
  EXPECT_FALSE(ahead_.bytes_left());
  EXPECT_EQ(ahead_.peek(2000).size(), 1000U);
  EXPECT_EQ(ahead_.bytes_left(), 1000U);
  EXPECT_TRUE(ahead_.peek_end(end));
  EXPECT_TRUE(equal(end, input(992, 8)));
  ahead_.skip(992);
  EXPECT_TRUE(ahead_.peek_end(end));
  ahead_.skip(1);
  EXPECT_FALSE(ahead_.peek_end(end));
  EXPECT_EQ(ahead_.read(end), 7U);
  EXPECT_EQ(ahead_.read(end), 0U);
}

TEST(LookaheadOfAFile, TheEndIsSeenBeforeItIsReached) {
  BytesSource source(kInput, Seekable::yes);
  Lookahead ahead(source);
  Bytes end(8);
  ahead.take(100, "it");
  EXPECT_TRUE(ahead.peek_end(end));
  EXPECT_TRUE(equal(end, input(992, 8)));
  EXPECT_TRUE(equal(ahead.peek(10), input(100, 10)));
}

TEST_F(OfAPipe, WhatIsNotThereIsDamage) {
  const auto failure = error_of([&] { ahead_.take(1001, "a header"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code(), Errc::damaged);
  EXPECT_EQ(failure->text(), "the file ends inside a header");
  EXPECT_EQ(ahead_.take(1000, "a header").size(), 1000U);
  EXPECT_TRUE(error_of([&] { ahead_.skip(1); }));
}

// Reads all in portions of `bytes`. Whether that ended in the error about a second header.
bool sees_a_second(std::span<const std::byte> whole, std::size_t bytes) {
  BytesSource source(whole);
  Lookahead ahead(source);
  ahead.take(8, "it");
  ahead.expect_no_more("Salted__");
  Bytes into(bytes);
  const auto failure = error_of([&] {
    while (ahead.read(into) != 0) {
    }
  });
  return failure && failure->code() == Errc::damaged;
}

TEST(JoinedFiles, AreSeenInAnyPortions) {
  const Bytes header = bytes_of("Salted__");
  for (const std::size_t at : {8U, 16U, 21U, 40U, 92U}) {
    Bytes whole = test::pattern(100);
    std::ranges::copy(header, whole.begin());
    for (std::size_t bytes = 1; bytes <= 101; ++bytes) EXPECT_FALSE(sees_a_second(whole, bytes)) << bytes;
    std::ranges::copy(header, whole.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t bytes = 1; bytes <= 101; ++bytes)
      EXPECT_TRUE(sees_a_second(whole, bytes)) << at << " " << bytes;
    whole[at + 7] = std::byte{'-'};
    for (std::size_t bytes = 1; bytes <= 101; ++bytes) EXPECT_FALSE(sees_a_second(whole, bytes)) << bytes;
  }
}

TEST(JoinedFiles, AreSeenBeforeTheyAreRead) {
  Bytes whole(std::size_t{3} << 20);
  const Bytes header = bytes_of("Salted__");
  for (const std::size_t at : {std::size_t{20}, (std::size_t{1} << 20) + 5, whole.size() - 8}) {
    Bytes second = whole;
    std::ranges::copy(header, second.begin() + static_cast<std::ptrdiff_t>(at));
    for (const auto& [file, joined] : {std::pair(&whole, false), std::pair(&second, true)}) {
      BytesSource source(*file);
      Lookahead ahead(source);
      ahead.peek(100);
      ahead.skip(10);
      ahead.expect_no_more("Salted__");
      EXPECT_EQ(error_of([&] { ahead.require_no_more(); }).has_value(), joined) << at;
      EXPECT_EQ(ahead.position(), 10U);
    }
  }
}

}  // namespace
}  // namespace fugu::format
