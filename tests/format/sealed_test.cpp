// The sealed format compared with itself: every size around the limits, ranges, salvage, bounds.
// sealed_kit_test.cpp and sealed_twin_test.cpp compare it with the second implementation.
#include "fugu/format/sealed/sealed.hpp"

#include "fugu/format/sealed/detail/segments.hpp"
#include "sealed_support.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

using format::ByteRange;
using format::SealedSecret;
using format::SealedSlot;

format::SealedOptions small(unsigned segment_log2) {
  return {.segment_log2 = segment_log2, .cost = {.log2_n = 10}, .bounds = kTestBounds};
}

std::vector<std::size_t> sizes_around(std::size_t segment) {
  return {0, 1, 7, 8, 9, segment - 1, segment, segment + 1, 3 * segment - 1, 3 * segment, 20 * segment + 3};
}

class Sealed : public testing::Test {
 protected:
  SealedBench bench_;
};

TEST_F(Sealed, RoundTripsOnEveryEngineAndChunkSize) {
  for (const EngineCase& each : engines()) {
    SCOPED_TRACE(each.name);
    SealedBench bench(each.make());
    for (const unsigned log2 : {4u, 7u, 10u}) {
      const std::size_t segment = std::size_t{1} << log2;
      for (const std::size_t size : sizes_around(segment)) {
        for (const std::size_t chunk_bytes : {segment, 3 * segment, std::size_t{1} << 16}) {
          const Bytes plain = pattern(size);
          const Bytes file = bench.seal(plain, key(), small(log2), chunk_bytes);
          const Opened opened = bench.open(file, key(), kTestBounds, 2 * segment);
          EXPECT_TRUE(opened.ok()) << size;
          EXPECT_EQ(opened.released, plain) << size;
        }
      }
    }
  }
}

TEST_F(Sealed, SizesAreWhatTheHeaderSays) {
  for (const std::size_t size : sizes_around(64)) {
    const Bytes file = bench_.seal(pattern(size), passphrase(), small(6));
    const format::SealedHeader header = format::parse_sealed_header(file, kTestBounds);
    EXPECT_EQ(header.bytes.size(), 151u);
    EXPECT_EQ(file.size(), 151 + size + 16 * (size / 64 + 1));
    EXPECT_EQ(format::claimed_plain_bytes(header, file.size()), size);
    EXPECT_EQ(format::claimed_plain_bytes(header, 151), std::nullopt);
    EXPECT_EQ(format::claimed_plain_bytes(header, 151 + 15), std::nullopt);
  }
}

TEST_F(Sealed, TwoFilesOfOnePlaintextShareNothing) {
  const Bytes a = bench_.seal(pattern(100), key(), small(6));
  const Bytes b = bench_.seal(pattern(100), key(), small(6));
  for (const std::size_t at : {16u, 52u, 68u, 100u, 148u})
    EXPECT_NE(slice(a, at, at + 16), slice(b, at, at + 16)) << at;
}

TEST_F(Sealed, RequestsOutOfBoundsAreRefused) {
  const auto code = [&](const SealedSecret& secret, const format::SealedOptions& options) {
    return code_of([&] { bench_.seal({}, secret, options); });
  };
  EXPECT_EQ(code(key(), {.segment_log2 = 15}), Errc::usage);
  EXPECT_EQ(code(key(), {.segment_log2 = 25}), Errc::usage);
  EXPECT_EQ(code(passphrase(), {.cost = {.log2_n = 21}}), Errc::usage);
  EXPECT_EQ(code(passphrase(), {.cost = {.log2_n = 10, .r = 16}}), Errc::usage);
  const auth::SecretBytes short_key(15);
  EXPECT_EQ(code({SealedSlot::key, short_key}, {}), Errc::usage);
}

// A tebibyte is too much for a test, so the limit is set to 100 bytes.
TEST_F(Sealed, APlaintextBeyondTheLimitIsRefused) {
  for (const std::size_t limit : {std::size_t{99}, std::size_t{100}}) {
    const Bytes plain = pattern(100);
    for (const Seekable seekable : {Seekable::yes, Seekable::no}) {  // the size is known in advance, or not
      BytesSource source(plain, seekable);
      Bytes stored(7 * 32);
      const auto read = [&] { return format::GapSource(source, 16, limit, true).read(stored); };
      if (limit == 100) {
        EXPECT_EQ(read(), 100 + 7 * 16u);
      } else {
        EXPECT_THROW(read(), Error);
      }
    }
  }
}

// ---- ranges ----

class SealedRange : public Sealed {
 protected:
  Opened open_range(const Bytes& file, std::uint64_t first, std::optional<std::uint64_t> count) {
    const auto read = [&](const auto&... open) { format::decrypt_sealed_range(open..., first, count); };
    return bench_.open_with(file, key(), read, kTestBounds, 64);
  }
};

TEST_F(SealedRange, EveryRangeOfSmallFiles) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{32}, std::size_t{75}}) {
    const Bytes plain = pattern(size);
    const Bytes file = bench_.seal(plain, key(), small(4));
    for (std::size_t first = 0; first <= size; ++first) {
      for (std::size_t count = 0; count <= size - first + 3; ++count) {
        const Opened opened = open_range(file, first, count);
        ASSERT_TRUE(opened.ok()) << size << " " << first << " " << count << " " << opened.error->text();
        ASSERT_EQ(opened.released, slice(plain, first, first + count)) << first << " " << count;
      }
    }
    EXPECT_EQ(open_range(file, 0, std::nullopt).released, plain);
    EXPECT_EQ(open_range(file, size + 1, std::nullopt).error.value().code(), Errc::usage);
    EXPECT_EQ(open_range(file, kNever, kNever).error.value().code(), Errc::usage);
  }
}

TEST_F(SealedRange, DamageOutsideIsNotSeenAndInsideIsNotReleased) {
  const Bytes plain = pattern(16 * 8 + 3);
  const Bytes file = bench_.seal(plain, key(), small(4));
  for (std::size_t broken = 0; broken < 9; ++broken) {
    const Bytes bad = flipped(file, 148 + broken * 32 + 1, 4);
    for (std::size_t asked = 0; asked < 8; ++asked) {
      const Opened opened = open_range(bad, asked * 16 + 2, 10);
      EXPECT_EQ(opened.ok(), asked != broken);
      EXPECT_EQ(opened.released, opened.ok() ? slice(plain, asked * 16 + 2, asked * 16 + 12) : Bytes());
    }
  }
}

// A range that reaches the end of the data must not be answered from a truncated file.
TEST_F(SealedRange, TruncationIsSeenWhenTheEndMatters) {
  const Bytes plain = pattern(16 * 4 + 3);
  const Bytes file = bench_.seal(plain, key(), small(4));
  for (std::size_t size = 148; size < file.size(); ++size) {
    const Bytes cut = slice(file, 0, size);
    for (const std::uint64_t first : {0u, 16u, 20u, 64u, 66u}) {
      const Opened to_end = open_range(cut, first, std::nullopt);
      ASSERT_FALSE(to_end.ok()) << size << " " << first;
      EXPECT_EQ(to_end.error->code(), Errc::damaged);
      EXPECT_TRUE(to_end.released.empty());
    }
    const Opened inside = open_range(cut, 3, 10);
    EXPECT_EQ(inside.ok(), size >= 148 + 32) << size;
  }
}

// An empty last segment holds no byte of the range, but it shows where the data end.
TEST_F(SealedRange, AnEmptyLastSegmentIsVerifiedWhenTheEndMatters) {
  const Bytes plain = pattern(4 * 16);
  const Bytes file = bench_.seal(plain, key(), small(4));
  for (const Bytes& altered : {slice(file, 0, file.size() - 16), flipped(file, file.size() - 1)}) {
    const Opened reaching = open_range(altered, 48, 16);
    ASSERT_FALSE(reaching.ok());
    EXPECT_EQ(reaching.error->code(), Errc::damaged);
    EXPECT_TRUE(reaching.released.empty());
    EXPECT_TRUE(open_range(altered, 48, 15).ok());
  }
  EXPECT_EQ(open_range(file, 48, 16).released, slice(plain, 48));
}

TEST_F(SealedRange, ReadsOnlyWhatItNeeds) {
  const Bytes file = bench_.seal(pattern(1 << 16), key(), small(6));
  BytesSource source(file);
  BytesSink sink;
  const format::SealedHeader header = format::read_sealed_header(source, kTestBounds);
  const format::SealedKeys keys = format::unlock_sealed(header, key());
  format::decrypt_sealed_range({bench_.engine(), source, sink, 0, nullptr, {}}, header, keys, 30000, 100);
  EXPECT_EQ(sink.bytes.size(), 100u);
  EXPECT_LE(source.bytes_read_at, 3 * 80 + 1u);
}

// ---- salvage ----

class SealedSalvage : public Sealed {
 protected:
  struct Salvaged {
    Opened opened;
    format::SalvageReport report;
  };

  Salvaged salvage(const Bytes& file) {
    Salvaged salvaged;
    const auto read = [&](const auto&... open) { salvaged.report = format::salvage_sealed(open...); };
    salvaged.opened = bench_.open_with(file, key(), read, kTestBounds, 64);
    EXPECT_TRUE(salvaged.opened.ok());
    return salvaged;
  }
};

TEST_F(SealedSalvage, DamagedSegmentsBecomeZerosAndAreReportedMerged) {
  Bytes file = bench_.seal(pattern(100), key(), small(4));
  for (const std::size_t segment : {1u, 2u, 4u}) file[148 + segment * 32] ^= std::byte{1};
  const Salvaged some = salvage(file);
  EXPECT_EQ(some.report.lost, (std::vector<ByteRange>{{16, 32}, {64, 16}}));
  EXPECT_FALSE(some.report.end_lost);
  Bytes expected = pattern(100);
  std::fill(expected.begin() + 16, expected.begin() + 48, std::byte{0});
  std::fill(expected.begin() + 64, expected.begin() + 80, std::byte{0});
  EXPECT_EQ(some.opened.released, expected);
}

TEST_F(SealedSalvage, ACutFileGivesItsWholeSegments) {
  const Bytes file = bench_.seal(pattern(100), key(), small(4));
  for (std::size_t size = 148; size < file.size(); ++size) {
    const Salvaged some = salvage(slice(file, 0, size));
    EXPECT_TRUE(some.report.end_lost) << size;
    EXPECT_FALSE(some.report.whole());
    EXPECT_EQ(some.opened.released, pattern((size - 148) / 32 * 16)) << size;
  }
}

// Bytes of all values, after a last segment of any size. What is as long as a segment is looked at as one.
TEST_F(SealedSalvage, BytesAfterTheEndAreLeftOut) {
  for (const std::size_t size : {0u, 1u, 15u, 16u, 31u, 32u, 100u}) {
    const Bytes file = bench_.seal(pattern(size), key(), small(5));
    for (std::size_t more = 1; more < 200; ++more) {
      Bytes longer = file;
      for (std::size_t i = 0; i < more; ++i) longer.push_back(static_cast<std::byte>(i * 7 + more));
      const Salvaged all = salvage(longer);
      EXPECT_EQ(all.opened.released, pattern(size));
      EXPECT_EQ(all.report.bytes_after_end, more) << size;
      EXPECT_TRUE(all.report.lost.empty() && !all.report.end_lost);
      EXPECT_FALSE(all.report.whole());
    }
  }
}

TEST_F(SealedSalvage, TheEndOfALongLastSegmentIsFound) {
  for (const std::size_t size : {30u, 47u, 48u, 200u, 255u}) {
    const Salvaged all = salvage(bench_.seal(pattern(size), key(), small(8)) + Bytes(40));
    EXPECT_EQ(all.opened.released, pattern(size));
    EXPECT_EQ(all.report.bytes_after_end, 40u) << size;
  }
}

TEST_F(SealedSalvage, TheEndIsFoundBehindDamage) {
  const Bytes file = flipped(bench_.seal(pattern(100), key(), small(5)), 148) + Bytes(50);
  const Salvaged some = salvage(file);
  EXPECT_EQ(some.report.lost, (std::vector<ByteRange>{{0, 32}}));
  EXPECT_EQ(some.report.bytes_after_end, 50u);
  EXPECT_FALSE(some.report.end_lost);
}

TEST_F(SealedSalvage, AShortLastSegmentIsFoundBehindDamagedOnes) {
  const Bytes plain = pattern(32 * 5 + 7);
  Bytes file = bench_.seal(plain, key(), small(5));
  const std::size_t begin = file.size() - (5 * 48 + 16 + 7);
  for (const std::size_t index : {3U, 4U}) file[begin + index * 48] ^= std::byte{1};
  file.resize(file.size() + 10);
  const Salvaged some = salvage(file);
  EXPECT_EQ(some.report.lost, (std::vector<ByteRange>{{96, 64}}));
  EXPECT_EQ(some.report.bytes_after_end, 10u);
  EXPECT_FALSE(some.report.end_lost);
  ASSERT_EQ(some.opened.released.size(), plain.size());
  EXPECT_TRUE(std::equal(plain.end() - 7, plain.end(), some.opened.released.end() - 7));
}

// Chunks have two segments, and two are processed at a time. The first damage of the file is reported,
// whichever is found first, and nothing after it is released.
TEST_F(Sealed, ChunksAtATimeFailInTheOrderOfTheFile) {
  SealedBench bench(engine::make("cpu/scalar", {.threads = 4}));
  BytesSource none({});
  BytesSink nowhere;
  ASSERT_EQ(format::parallel_workers({bench.engine(), none, nowhere}), 2u);
  constexpr std::size_t kSegment = 1024;
  const Bytes plain = pattern(40 * kSegment + 5);
  const Bytes file = bench.seal(plain, key(), small(10));
  for (std::size_t first = 0; first < 39; ++first) {
    Bytes bad = file;
    for (const std::size_t segment : {first, first + 1, std::size_t{40}})
      bad[148 + segment * (kSegment + 16)] ^= std::byte{1};
    const Opened opened = bench.open(bad, key(), kTestBounds, 2 * kSegment);
    ASSERT_FALSE(opened.ok());
    EXPECT_TRUE(opened.error->text().starts_with("segment " + std::to_string(first) + " (")) << first;
    EXPECT_LE(opened.released.size(), first * kSegment);
    EXPECT_TRUE(std::equal(opened.released.begin(), opened.released.end(), plain.begin()));
  }
}

}  // namespace
}  // namespace fugu::test
