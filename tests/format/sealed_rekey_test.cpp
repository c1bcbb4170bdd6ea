// Another secret for a sealed file, of both versions: by a new header, and sealed anew.
#include "sealed_support.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

constexpr std::size_t kKeyHeader = 148;
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
  const Opened opened = bench.open_with(
      file, key(), kTestBounds, chunk_bytes, seekable,
      [&](const format::Job& job, const format::SealedHeader& header, const format::SealedKeys& keys) {
        if (how == How::anew) return format::seal_anew(job, header, keys, passphrase(), kSmall);
        result.damage = format::rekey_sealed(job, header, keys, passphrase(), kSmall);
      });
  result.file = opened.released;
  result.error = opened.error;
  return result;
}

Bytes body_of(const Bytes& file, std::size_t header_bytes) {
  return {file.begin() + static_cast<std::ptrdiff_t>(header_bytes), file.end()};
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
  EXPECT_EQ(body_of(result.file, kPassphraseHeader), body_of(file, kKeyHeader));
  expect_opens_with_the_new_secret_only(result.file, 300);
}

TEST_P(SealedRekey, DamageAtTheEndIsReportedAndCopied) {
  const Bytes file = seal(100);
  for (std::size_t size = kKeyHeader; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    const Rekeyed result = rekeyed(bench_, cut, How::header);
    EXPECT_FALSE(result.error) << size;
    ASSERT_TRUE(result.damage) << size;
    EXPECT_EQ(result.damage->code(), Errc::damaged);
    EXPECT_EQ(body_of(result.file, kPassphraseHeader), body_of(cut, kKeyHeader));
    EXPECT_FALSE(rekeyed(bench_, cut, How::header, Seekable::no).damage);
  }
}

TEST_P(SealedRekey, AnewEverythingIsNew) {
  for (const std::size_t size : {0u, 1u, 31u, 32u, 33u, 300u, 640u}) {
    const Bytes file = seal(size);
    for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{96}, std::size_t{1} << 20}) {
      const Rekeyed result = rekeyed(bench_, file, How::anew, Seekable::no, chunk_bytes);
      ASSERT_FALSE(result.error) << result.error->text();
      ASSERT_EQ(result.file.size(), file.size() + kPassphraseHeader - kKeyHeader);
      expect_opens_with_the_new_secret_only(result.file, size);
      for (std::size_t at = kKeyHeader; at + 16 <= file.size(); at += 16)
        EXPECT_FALSE(std::equal(file.begin() + static_cast<std::ptrdiff_t>(at),
                                file.begin() + static_cast<std::ptrdiff_t>(at) + 16,
                                result.file.begin() + static_cast<std::ptrdiff_t>(at) + 3));
      // The old file's segments do not verify behind the new header, nor the old file key's.
      Bytes forged(result.file.begin(), result.file.begin() + kPassphraseHeader);
      forged.insert(forged.end(), file.begin() + kKeyHeader, file.end());
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
  for (std::size_t at = kKeyHeader; at < file.size(); ++at) {
    Bytes bad = file;
    bad[at] ^= std::byte{1};
    const Rekeyed result = rekeyed(bench_, bad, How::anew, Seekable::yes, 32);
    ASSERT_TRUE(result.error) << at;
    EXPECT_EQ(result.error->code(), Errc::damaged);
    EXPECT_LE(result.file.size(), kPassphraseHeader + (at - kKeyHeader) / 48 * 48);
  }
  for (std::size_t size = kKeyHeader; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(rekeyed(bench_, cut, How::anew).error) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, SealedRekey, testing::Values(1u, 2u));

}  // namespace
}  // namespace fugu::test
