// Makes every small change to a sealed file: none of the files may open, and no byte may be released that is
// not the plaintext's.
//
// Only tests can ask for segments of 16 bytes, so that a file of several segments has 265 bytes and all
// changes can be tried. A seekable reader and a pipe must agree, too.
#include <cstdio>

#include "sealed_support.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

using format::SealedSecret;

constexpr std::size_t kHeader = 148;
constexpr std::size_t kStored = 32;

// The parameter is the version.
class Tampering : public testing::TestWithParam<unsigned> {
 protected:
  Bytes seal(const Bytes& plain, const SealedSecret& secret = key()) {
    const Bytes file =
        bench_.seal(plain, secret, {.segment_log2 = 4, .cost = {.log2_n = 10}, .bounds = kTestBounds});
    return GetParam() == 1 ? as_version_1(file, secret) : file;
  }

  // Chunks have two segments. What an earlier chunk verified may have been released.
  void expect_refused(const Bytes& file, const Bytes& plain, const SealedSecret& secret = key()) {
    ++cases_;
    const Opened opened =
        bench_.open(file, secret, kTestBounds, 32, cases_ % 2 == 0 ? Seekable::yes : Seekable::no);
    ASSERT_FALSE(opened.ok()) << "case " << cases_;
    const Errc code = opened.error->code();
    ASSERT_TRUE(code == Errc::damaged || code == Errc::wrong_key || code == Errc::unknown_format)
        << opened.error->text();
    ASSERT_LE(opened.released.size(), plain.size());
    ASSERT_TRUE(std::equal(opened.released.begin(), opened.released.end(), plain.begin()))
        << "case " << cases_;
  }

  static std::vector<Bytes> plaintexts() { return {pattern(0), pattern(3 * 16 + 5), pattern(4 * 16)}; }

  ~Tampering() override {
    RecordProperty("cases", static_cast<int>(cases_));
    std::printf("             %zu cases\n", cases_);
  }

  SealedBench bench_;
  std::size_t cases_ = 0;
};

TEST_P(Tampering, TheFilesThemselvesOpen) {
  for (const Bytes& plain : plaintexts()) {
    EXPECT_EQ(bench_.open(seal(plain), key()).released, plain);
    EXPECT_EQ(bench_.open(seal(plain, passphrase()), passphrase()).released, plain);
  }
}

TEST_P(Tampering, EveryBit) {
  for (const Bytes& plain : plaintexts()) {
    const Bytes file = seal(plain);
    for (std::size_t bit = 0; bit < 8 * file.size(); bit += step(7))
      expect_refused(flipped(file, bit / 8, 1u << bit % 8), plain);
  }
}

TEST_P(Tampering, EveryBitOfAPassphraseHeader) {
  const Bytes file = seal(pattern(20), passphrase());
  for (std::size_t bit = 0; bit < 8 * 151; bit += step(7))
    expect_refused(flipped(file, bit / 8, 1u << bit % 8), pattern(20), passphrase());
}

TEST_P(Tampering, PairsOfBits) {
  Random random(4);
  const Bytes plain = plaintexts()[1];
  const Bytes file = seal(plain);
  for (int i = 0; i < cases(4000); ++i) {
    const auto a = static_cast<std::size_t>(random() % (8 * file.size()));
    const auto b = static_cast<std::size_t>((a + 1 + random() % (8 * file.size() - 1)) % (8 * file.size()));
    expect_refused(flipped(flipped(file, a / 8, 1u << a % 8), b / 8, 1u << b % 8), plain);
  }
}

TEST_P(Tampering, EveryLengthAndUpTo64BytesMore) {
  for (const Bytes& plain : plaintexts()) {
    const Bytes file = seal(plain);
    for (std::size_t size = 0; size < file.size(); ++size) expect_refused(slice(file, 0, size), plain);
    for (std::size_t more = 1; more <= 64; more += step(3)) {
      for (const unsigned value : {0x00u, 0xffu, 0x0au})
        expect_refused(file + Bytes(more, static_cast<std::byte>(value)), plain);
      expect_refused(file + slice(file, file.size() - more), plain);
      expect_refused(file + slice(file, kHeader, kHeader + more), plain);
    }
    expect_refused(file + file, plain);
  }
}

TEST_P(Tampering, EveryByteRemovedOrInserted) {
  for (const Bytes& plain : plaintexts()) {
    const Bytes file = seal(plain);
    for (std::size_t at = 0; at < file.size(); at += step(3)) {
      expect_refused(slice(file, 0, at) + slice(file, at + 1), plain);
      expect_refused(slice(file, 0, at) + Bytes(1, std::byte{0}) + slice(file, at), plain);
      expect_refused(slice(file, 0, at) + slice(file, at + kStored), plain);
    }
  }
}

// Takes every sequence of up to five of the stored segments, under sanitizers four: all orders, repetitions
// and omissions.
TEST_P(Tampering, EverySequenceOfSegments) {
  constexpr std::size_t kLongest = kSanitized ? 4 : 5;
  for (const Bytes& plain : plaintexts()) {
    const Bytes file = seal(plain);
    std::vector<Bytes> segments;
    for (std::size_t at = kHeader; at < file.size(); at += kStored)
      segments.push_back(slice(file, at, at + kStored));
    for (std::size_t length = 0; length <= kLongest; ++length) {
      std::size_t sequences = 1;
      for (std::size_t i = 0; i < length; ++i) sequences *= segments.size();
      for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        Bytes altered = slice(file, 0, kHeader);
        for (std::size_t i = 0, rest = sequence; i < length; ++i, rest /= segments.size())
          altered = altered + segments[rest % segments.size()];
        if (altered != file) expect_refused(altered, plain);
      }
    }
  }
}

// Joins the beginning of one file and the end of another under the same key, cut anywhere.
TEST_P(Tampering, SplicesOfTwoFiles) {
  const Bytes plain = plaintexts()[1];
  const Bytes a = seal(plain);
  const Bytes b = seal(plain);
  // All files have the same first 16 bytes, so a cut there gives b itself, and any few bytes of two files may
  // be equal by chance: both parts have eight of their own.
  for (std::size_t at = 16 + 8; at + 8 <= a.size(); ++at)
    expect_refused(slice(a, 0, at) + slice(b, at), plain);
  for (std::size_t i = 8; i <= a.size(); i += 8 * step(3)) {
    for (std::size_t j = 0; j < b.size(); j += 8) {
      if (i != j) expect_refused(slice(a, 0, i) + slice(b, j), plain);
      if (i != j) expect_refused(slice(a, 0, i) + slice(a, j), plain);
    }
  }
  for (std::size_t at = kHeader; at < a.size(); at += kStored)
    expect_refused(slice(a, 0, at) + slice(b, at, at + kStored) + slice(a, at + kStored), plain);
}

INSTANTIATE_TEST_SUITE_P(Versions, Tampering, testing::Values(1u, 2u));

// Another secret for a sealed file, of both versions: by a new header, and sealed anew.

constexpr std::size_t kPassphraseHeader = 151;
const format::SealedOptions kSmall{.segment_log2 = 5, .cost = {.log2_n = 10}, .bounds = kTestBounds};

struct Rekeyed {
  Bytes file;
  std::optional<Error> damage;  // rekey_sealed()
  std::optional<Error> error;
};

enum class How : std::uint8_t { header, anew };

// From key() to passphrase().
Rekeyed rekeyed(SealedBench& bench, const Bytes& file, How how, Seekable seekable = Seekable::yes,
                std::size_t chunk_bytes = 0) {
  Rekeyed result;
  const auto read = [&](const auto&... open) {
    if (how == How::anew) return format::seal_anew(open..., passphrase(), kSmall);
    result.damage = format::rekey_sealed(open..., passphrase(), kSmall);
  };
  const Opened opened = bench.open_with(file, key(), read, kTestBounds, chunk_bytes, seekable);
  result.file = opened.released;
  result.error = opened.error;
  return result;
}

class SealedRekey : public testing::TestWithParam<unsigned> {
 protected:
  Bytes seal(std::size_t size) {
    const Bytes file = bench_.seal(pattern(size), key(), kSmall);
    return GetParam() == 1 ? as_version_1(file, key()) : file;
  }

  void expect_opens_with_the_new_secret_only(const Bytes& file, std::size_t size) {
    const Opened with_new = bench_.open(file, passphrase());
    EXPECT_TRUE(with_new.ok());
    EXPECT_EQ(with_new.released, pattern(size));
    const Opened with_old = bench_.open(file, key());
    ASSERT_FALSE(with_old.ok());
    EXPECT_EQ(with_old.error->code(), Errc::wrong_key);
    EXPECT_EQ(format::parse_sealed_header(file, kTestBounds).version, 2u);
  }

  SealedBench bench_;
};

TEST_P(SealedRekey, ANewHeaderKeepsTheSegments) {
  const Bytes file = seal(300);
  const Rekeyed result = rekeyed(bench_, file, How::header);
  EXPECT_FALSE(result.error || result.damage);
  EXPECT_EQ(slice(result.file, kPassphraseHeader), slice(file, kHeader));
  expect_opens_with_the_new_secret_only(result.file, 300);
}

TEST_P(SealedRekey, DamageAtTheEndIsReportedAndCopied) {
  const Bytes file = seal(100);
  for (std::size_t size = kHeader; size < file.size(); ++size) {
    const Bytes cut = slice(file, 0, size);
    const Rekeyed result = rekeyed(bench_, cut, How::header);
    EXPECT_FALSE(result.error) << size;
    ASSERT_TRUE(result.damage) << size;
    EXPECT_EQ(result.damage->code(), Errc::damaged);
    EXPECT_EQ(slice(result.file, kPassphraseHeader), slice(cut, kHeader));
    EXPECT_FALSE(rekeyed(bench_, cut, How::header, Seekable::no).damage);
  }
}

TEST_P(SealedRekey, AnewEverythingIsNew) {
  for (const std::size_t size : {0u, 1u, 31u, 32u, 33u, 300u, 640u}) {
    const Bytes file = seal(size);
    for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{96}, std::size_t{1} << 20}) {
      const Rekeyed result = rekeyed(bench_, file, How::anew, Seekable::no, chunk_bytes);
      ASSERT_FALSE(result.error) << result.error->text();
      ASSERT_EQ(result.file.size(), file.size() + kPassphraseHeader - kHeader);
      expect_opens_with_the_new_secret_only(result.file, size);
      for (std::size_t at = kHeader; at + 16 <= file.size(); at += 16)
        EXPECT_NE(slice(file, at, at + 16), slice(result.file, at + 3, at + 19));
      // The old file's segments do not verify behind the new header, nor the old file key's.
      const Bytes forged = slice(result.file, 0, kPassphraseHeader) + slice(file, kHeader);
      EXPECT_FALSE(bench_.open(forged, passphrase()).ok());
    }
  }
}

TEST_P(SealedRekey, AnewOnEveryEngine) {
  const Bytes file = seal(3000);
  for (const EngineCase& each : engines()) {
    SCOPED_TRACE(each.name);
    SealedBench bench(each.make());
    const Rekeyed result = rekeyed(bench, file, How::anew, Seekable::yes, 256);
    ASSERT_FALSE(result.error) << result.error->text();
    expect_opens_with_the_new_secret_only(result.file, 3000);
  }
}

// Nothing but the header is written before a segment has verified, and damage anywhere is an error.
TEST_P(SealedRekey, AnewRefusesDamage) {
  const Bytes file = seal(100);
  for (std::size_t at = kHeader; at < file.size(); ++at) {
    const Rekeyed result = rekeyed(bench_, flipped(file, at), How::anew, Seekable::yes, 32);
    ASSERT_TRUE(result.error) << at;
    EXPECT_EQ(result.error->code(), Errc::damaged);
    EXPECT_LE(result.file.size(), kPassphraseHeader + (at - kHeader) / 48 * 48);
  }
  for (std::size_t size = kHeader; size < file.size(); ++size)
    EXPECT_TRUE(rekeyed(bench_, slice(file, 0, size), How::anew).error) << size;
}

INSTANTIATE_TEST_SUITE_P(Versions, SealedRekey, testing::Values(1u, 2u));

}  // namespace
}  // namespace fugu::test
