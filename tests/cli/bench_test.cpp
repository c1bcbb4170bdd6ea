// The guards of `fugu bench` must be able to fail. These tests give them work that was not done, or only in
// part.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli/bench/plan.hpp"
#include "fugu/engine/registry.hpp"
#include "measure/case.hpp"
#include "measure/gpu.hpp"
#include "measure/openssl_stream.hpp"
#include "support/made_engine.hpp"
#include "support/openssl_blowfish.hpp"
#include "support/testing.hpp"

namespace fugu::cli::bench {
namespace {

using core::Direction;
using engine::Op;
using engine::Segment;
using mode::Mode;
using test::MadeEngine;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t kBytes = (std::size_t{3} << 20) + 8 * 251;  // several pieces, the last one short
constexpr Operation kCtr{mode::Mode::ctr, core::Direction::encrypt};

std::string error_of(Errc code, const std::function<void()>& action) {
  const std::optional<Error> error = test::error_of(action);
  EXPECT_EQ(error ? std::optional(error->code()) : std::nullopt, code);
  return error ? error->text() : "no error";
}

// Works for the first `good_runs` calls, then leaves out what `leave_out` says.
MadeEngine lazy(int good_runs, std::size_t (*leave_out)(std::size_t)) {
  return MadeEngine([=](engine::Engine& good, Op op, std::span<const Segment> segments) mutable {
    std::vector<Segment> trimmed(segments.begin(), segments.end());
    if (good_runs-- <= 0) {
      for (Segment& segment : trimmed) {
        segment.in = segment.in.first(leave_out(segment.in.size()));
        segment.out = segment.out.first(segment.in.size());
      }
    }
    good.run(op, trimmed);
  });
}

class Guards : public testing::Test {
 protected:
  std::vector<Sample> measure(engine::Engine& engine, double floor_seconds = 0) {
    return take_samples(engine_trial(case_, buffer_.span(), pool_, engine, floor_seconds), "lazy ctr", 3);
  }

  ThreadPool pool_{2};
  CaseMaker maker_{pool_};
  Case case_ = maker_.make(kCtr, kBytes);
  Bytes buffer_{kBytes};
};

TEST_F(Guards, HonestWorkPasses) {
  const auto engine = engine::make("cpu/scalar", {.threads = 2});
  const std::vector<Sample> samples = measure(*engine);
  ASSERT_THAT(samples, SizeIs(3));
  for (const Sample& sample : samples) EXPECT_GT(sample.seconds, 0);
}

TEST_F(Guards, AnEngineThatStoresNothingIsFoundOut) {
  MadeEngine engine = lazy(0, [](std::size_t) { return std::size_t{0}; });
  EXPECT_THAT(error_of(Errc::mismatch, [&] { measure(engine); }),
              HasSubstr("lazy ctr: the output is wrong at byte "));
}

TEST_F(Guards, AnEngineThatSkipsTheLastBlockIsFoundOut) {
  MadeEngine engine = lazy(0, [](std::size_t bytes) { return bytes - 8; });
  EXPECT_THAT(error_of(Errc::mismatch, [&] { measure(engine); }), HasSubstr("wrong at byte 31477"));
}

// Each run is checked by itself: the output of an earlier run is cleared.
TEST_F(Guards, AnEngineThatStopsWorkingIsFoundOut) {
  for (const int good_runs : {1, 2, 3}) {
    MadeEngine engine = lazy(good_runs, [](std::size_t) { return std::size_t{0}; });
    EXPECT_THAT(error_of(Errc::mismatch, [&] { measure(engine); }), HasSubstr("the output is wrong at byte"));
  }
}

TEST_F(Guards, ATimeBelowTheFloorIsAnError) {
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  EXPECT_THAT(error_of(Errc::engine, [&] { measure(*engine, 1000); }), HasSubstr("lazy ctr: "));
  EXPECT_THAT(error_of(Errc::engine, [&] { measure(*engine, 1000); }),
              HasSubstr("is less than the 1000000000.000000 us that the hardware needs at least"));
}

TEST(Floor, NoTimeIsNotATime) {
  EXPECT_NO_THROW(require_possible(1e-9, 0));
  EXPECT_THROW(require_possible(0, 0), Error);
  EXPECT_THROW(require_possible(-1, 0), Error);
  EXPECT_THROW(require_possible(std::nan(""), 0), Error);
}

// 132 multiprocessors with 32 banks at 1.98 GHz do 8363.5 G look-ups/s. A block of 8 bytes takes 64 of them,
// which gives 1045 GB/s.
TEST(Floor, OfTheH200) {
  device::DeviceInfo h200;
  h200.multiprocessors = 132;
  h200.clock_khz = 1'980'000;
  EXPECT_NEAR(1 / blowfish_floor_seconds(h200, 1'000'000'000), 1045.44, 0.01);
}

TEST(Floor, OfALink) {
  EXPECT_DOUBLE_EQ(link_floor_seconds(50e9, 105'000'000'000), 2.0);
}

TEST(RequireSame, NamesTheFirstDifferenceOfAll) {
  ThreadPool pool(3);
  std::vector<std::byte> a(5 << 20), b(a);
  EXPECT_NO_THROW(require_same(a, b, pool));
  for (const std::size_t at : {std::size_t{5 << 20} - 1, std::size_t{3 << 20}, std::size_t{77}}) {
    b[at] = std::byte{1};
    EXPECT_THAT(error_of(Errc::mismatch, [&] { require_same(a, b, pool); }),
                HasSubstr("wrong at byte " + std::to_string(at) + " "));
  }
  EXPECT_THAT(error_of(Errc::mismatch, [&] { require_same(a, std::span(b).first(8), pool); }),
              HasSubstr("has 8 bytes instead of 5242880"));
}

TEST(Summary, OfSamples) {
  const Row row{Scope::kernel, "e",           1, "ecb", "encrypt",
                "host memory", 1'000'000'000, 0, 0,     {{1, 4}, {0.5, 1}, {0.25, 3}, {0.1, 2}}};
  const Summary summary = summarize(row);
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.least, 1);
  EXPECT_DOUBLE_EQ(summary.most, 10);
  EXPECT_DOUBLE_EQ(summary.cpu_seconds, 2.5);
}

TEST(Csv, QuotesWhatHoldsCommasAndQuotes) {
  Report report;
  report.machine.cpu = "A \"B\", C";
  report.machine.processors = 2;
  report.machine.commit = "abc";
  report.machine.date = "2026-01-02";
  report.command = "fugu bench --engine a,b";
  report.rows = {{Scope::copy, "link", 0, "both ways", "", "pinned host memory", 8, 0, 0, {{2.5e-10, 0}}}};
  EXPECT_THAT(
      as_csv(report),
      HasSubstr("\n\"2 x A \"\"B\"\", C\",2026-01-02,abc,\"fugu bench --engine a,b\",copy,link,,both ways,,"
                "pinned host memory,8,,,0,2.5e-10,0.000000,32\n"));
}

// 100 bytes/s on one thread, on two 200 for 100 bytes and 400 for 400; the GPU's 3000 are for 300 bytes.
TEST(TimesOpenssl, BesideAGpuAreOfTheMostThreadsAndTheNearestSize) {
  const auto row = [](const char* engine, unsigned threads, std::uint64_t bytes, double seconds) {
    return Row{Scope::copy, engine, threads, "ecb", "encrypt", "memory", bytes, 0, 0, {{seconds, 0}}};
  };
  Report report;
  report.rows = {row("openssl 3", 1, 300, 3), row("openssl 3", 2, 100, 0.5), row("openssl 3", 2, 400, 1),
                 row("cuda:0", 0, 300, 0.1)};
  EXPECT_NEAR(nlohmann::json::parse(as_json(report))["results"][3]["times_openssl"].get<double>(), 7.5, 1e-9);
}

TEST(Text, SaysThatTheMachineIsBusy) {
  Report report;
  const auto row = [](double slowest) {
    return Row{Scope::kernel, "e", 1, "ecb", "encrypt", "memory", 100, 0, 0, {{1, 0}, {slowest, 0}}};
  };
  report.rows = {row(1.4), row(1.49)};
  EXPECT_THAT(as_text(report), Not(HasSubstr("busy")));
  report.rows = {row(1.4), row(1.51)};
  EXPECT_THAT(as_text(report),
              HasSubstr("\nin 1 of 2 rows the slowest sample took over 1.5 times as long as the fastest"));
}

TEST(FileSystem, IsThatOfTheDirectory) {
  EXPECT_EQ(file_system_of("/proc/self"), "proc");
  EXPECT_EQ(file_system_of("/no/such/directory"), "unknown");
  if (!std::filesystem::exists("/sys/kernel")) GTEST_SKIP() << "/sys is not mounted here";
  EXPECT_EQ(file_system_of("/sys/kernel"), "sysfs");
}

// OpenSSL's Blowfish with several threads and in pieces gives the same bytes as one call on one thread.

constexpr std::uint64_t kIv = 0xffff'ffff'ffff'fff0u;  // the counter wraps
constexpr std::size_t kStreamBytes = 8 * 1003;

const test::Bytes kKey = test::pattern(16);

mode::Settings settings_of(Mode mode) {
  mode::Settings settings{mode, mode::Padding::none, {}, {}, {}};
  core::store_u64_big(settings.iv.emplace().data(), kIv);
  return settings;
}

// Processes the data in two calls.
test::Bytes by_threads(Mode mode, Direction direction, unsigned threads) {
  threads::ThreadPool pool(threads);
  OpensslThreads openssl(settings_of(mode), direction, kKey, pool);
  test::Bytes data = test::pattern(kStreamBytes);
  openssl.process(std::span(data).first(8 * 502));
  openssl.process(std::span(data).subspan(8 * 502));
  return data;
}

test::Bytes by_openssl(const char* name, Direction direction) {
  return test::OpenSslBlowfish(name, direction == Direction::encrypt, kKey)
      .apply(test::pattern(kStreamBytes), kIv);
}

test::Bytes ctr_by_openssl() {
  test::Bytes keystream(kStreamBytes);
  for (std::size_t i = 0; i < kStreamBytes; i += 8) core::store_u64_big(&keystream[i], kIv + i / 8);
  keystream = test::OpenSslBlowfish("BF-ECB", true, kKey).apply(keystream);
  const test::Bytes input = test::pattern(kStreamBytes);
  for (std::size_t i = 0; i < kStreamBytes; ++i) keystream[i] ^= input[i];
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
  test::Bytes data = test::pattern(kStreamBytes);
  openssl.process(std::span(data).first(0));
  for (std::size_t at = 0; at < kStreamBytes; at += 24)
    openssl.process(std::span(data).subspan(at, std::min<std::size_t>(24, kStreamBytes - at)));
  EXPECT_EQ(data, by_openssl("BF-CBC", Direction::decrypt));
}

TEST(OpensslStream, EndsInsideABlock) {
  const test::Bytes input = test::pattern(5003);
  test::Bytes output(input.size());
  OpensslStream(settings_of(Mode::ctr), Direction::encrypt, kKey).process(input, output);
  const test::Bytes whole = ctr_by_openssl();
  EXPECT_EQ(output, test::Bytes(whole.begin(), whole.begin() + 5003));
}

TEST(OpensslStream, RefusesWhatOpensslDoesNotHave) {
  EXPECT_THROW(OpensslStream(settings_of(Mode::cfb8), Direction::encrypt, kKey), Error);
  mode::Settings little = settings_of(Mode::ecb);
  little.words = core::ByteOrder::little;
  EXPECT_THROW(OpensslStream(little, Direction::encrypt, kKey), Error);
}

}  // namespace
}  // namespace fugu::cli::bench
