// OpenSSL's Blowfish with several threads and in pieces gives the same bytes as one call on one thread.
#include "measure/openssl_stream.hpp"

#include "fugu/error.hpp"
#include "support/openssl_blowfish.hpp"
#include "support/testing.hpp"

namespace fugu::cli {
namespace {

using core::Direction;
using mode::Mode;
using test::Bytes;

constexpr std::uint64_t kIv = 0xffff'ffff'ffff'fff0u;  // the counter wraps
constexpr std::size_t kBytes = 8 * 1003;

const Bytes kKey = test::pattern(16);

mode::Settings settings_of(Mode mode) {
  mode::Settings settings{mode, mode::Padding::none, {}, {}, {}};
  core::store_u64_big(settings.iv.emplace().data(), kIv);
  return settings;
}

// Processes the data in two calls.
Bytes by_threads(Mode mode, Direction direction, unsigned threads) {
  threads::ThreadPool pool(threads);
  OpensslThreads openssl(settings_of(mode), direction, kKey, pool);
  Bytes data = test::pattern(kBytes);
  openssl.process(std::span(data).first(8 * 502));
  openssl.process(std::span(data).subspan(8 * 502));
  return data;
}

Bytes by_openssl(const char* name, Direction direction) {
  return test::OpenSslBlowfish(name, direction == Direction::encrypt, kKey).apply(test::pattern(kBytes), kIv);
}

Bytes ctr_by_openssl() {
  Bytes keystream(kBytes);
  for (std::size_t i = 0; i < kBytes; i += 8) core::store_u64_big(&keystream[i], kIv + i / 8);
  keystream = test::OpenSslBlowfish("BF-ECB", true, kKey).apply(keystream);
  const Bytes input = test::pattern(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) keystream[i] ^= input[i];
  return keystream;
}

TEST(OpensslThreads, AreOneStream) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      EXPECT_EQ(by_threads(Mode::ecb, direction, threads), by_openssl("BF-ECB", direction));
      EXPECT_EQ(by_threads(Mode::cbc, direction, threads), by_openssl("BF-CBC", direction));
      EXPECT_EQ(by_threads(Mode::cfb64, direction, threads), by_openssl("BF-CFB", direction));
      EXPECT_EQ(by_threads(Mode::ofb, direction, threads), by_openssl("BF-OFB", direction));
      EXPECT_EQ(by_threads(Mode::ctr, direction, threads), ctr_by_openssl());
    }
  }
}

TEST(OpensslThreads, MoreThreadsThanBlocks) {
  threads::ThreadPool pool(7);
  OpensslThreads openssl(settings_of(Mode::cbc), Direction::decrypt, kKey, pool);
  Bytes data = test::pattern(kBytes);
  openssl.process(std::span(data).first(0));
  for (std::size_t at = 0; at < kBytes; at += 24)
    openssl.process(std::span(data).subspan(at, std::min<std::size_t>(24, kBytes - at)));
  EXPECT_EQ(data, by_openssl("BF-CBC", Direction::decrypt));
}

TEST(OpensslStream, EndsInsideABlock) {
  const Bytes input = test::pattern(5003);
  Bytes output(input.size());
  OpensslStream(settings_of(Mode::ctr), Direction::encrypt, kKey).process(input, output);
  const Bytes whole = ctr_by_openssl();
  EXPECT_EQ(output, Bytes(whole.begin(), whole.begin() + 5003));
}

TEST(OpensslStream, RefusesWhatOpensslDoesNotHave) {
  EXPECT_THROW(OpensslStream(settings_of(Mode::cfb8), Direction::encrypt, kKey), Error);
  mode::Settings little = settings_of(Mode::ecb);
  little.words = core::ByteOrder::little;
  EXPECT_THROW(OpensslStream(little, Direction::encrypt, kKey), Error);
}

}  // namespace
}  // namespace fugu::cli
