#include "fugu/engine/registry.hpp"

#include "fugu/choice.hpp"
#include "fugu/device/device.hpp"
#include "fugu/engine/cpu/weak_keys.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::engine {
namespace {

using cipher::WeakKey;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Error error_of(std::string_view name, const core::CpuFeatures& cpu = core::detect_cpu_features()) {
  return test::error_of([&] { make(name, {}, cpu); }).value();
}

EngineInfo info_of(std::string_view name, const core::CpuFeatures& cpu = core::detect_cpu_features()) {
  for (const EngineInfo& info : list(cpu)) {
    if (info.name == name) return info;
  }
  throw std::runtime_error("not listed");
}

constexpr core::CpuFeatures kNone;

TEST(Registry, ListsEachEngineWithWhatItNeedsAndWhyItCannotRun) {
  for (const core::CpuFeatures features : {core::detect_cpu_features(), kNone}) {
    for (const EngineInfo& info : list(features)) {
      EXPECT_THAT(info.needs, Not(IsEmpty())) << info.name;
      EXPECT_EQ(info.reason.empty(), info.available) << info.name;
    }
  }
}

std::string first_that_can_run() {
  const std::vector<EngineInfo> all = list();
  const auto first = std::ranges::find_if(
      all, [](const EngineInfo& info) { return info.available && info.name.starts_with("cpu/"); });
  return first->name;
}

TEST(Registry, AutoIsTheBestCpuEngineForWorkThatIsShortOrUnknown) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 30})
    EXPECT_EQ(make("auto", {.expected_bytes = bytes})->name(), first_that_can_run());
  EXPECT_EQ(make("auto", {}, kNone)->name(), "cpu/scalar");
}

TEST(Registry, AutoIsTheGpuForWorkThatRepaysItsStart) {
  choice::Calibration slow_cpu = choice::built_in();
  slow_cpu.engines = {{"cuda:0", 1e-12}};
  for (const EngineInfo& info : list())
    if (info.name.starts_with("cpu/")) slow_cpu.engines.push_back({info.name, 1});
  std::string notes;
  const auto engine =
      make("auto", {.expected_bytes = 1000, .calibration = slow_cpu, .note = [&](std::string_view note) {
                      notes += note;
                    }});
  const bool has_gpu = !device::inventory().devices.empty();
  EXPECT_EQ(engine->name(), has_gpu ? "cuda:0" : first_that_can_run());
  EXPECT_EQ(notes, "");
}

TEST(Registry, EnginesCarryTheNameTheyWereAskedBy) {
  for (const EngineInfo& info : list()) {
    if (!info.available) continue;
    EXPECT_EQ(make(info.name)->name(), info.name);
  }
}

TEST(Registry, ByteSlicedEngineNeedsEveryOneOfItsFeatures) {
  core::CpuFeatures all;
  for (const test::CpuFeature& feature : test::cpu_features()) all.*feature.flag = true;
  EXPECT_TRUE(info_of("cpu/avx512vbmi", all).available);
  for (const test::CpuFeature& feature : test::cpu_features()) {
    core::CpuFeatures without = all;
    without.*feature.flag = false;
    EXPECT_FALSE(info_of("cpu/avx512vbmi", without).available);
    const Error error = error_of("cpu/avx512vbmi", without);
    EXPECT_EQ(error.code(), Errc::no_device);
    EXPECT_THAT(error.text(), HasSubstr("AVX-512"));
  }
}

TEST(Registry, UnknownNamesAreRefusedWithTheChoices) {
  const Error error = error_of("cpu/sclar");
  EXPECT_EQ(error.code(), Errc::usage);
  EXPECT_THAT(error.text(), HasSubstr("cpu/scalar"));
  EXPECT_THAT(error.text(), HasSubstr("cpu/avx512vbmi"));
}

// If the CPU cannot run this engine, the suites have no rows for it, and this test says so.
TEST(Registry, SuitesHaveRowsForTheByteSlicedEngine) {
  const EngineInfo info = info_of("cpu/avx512vbmi");
  if (!info.available) GTEST_SKIP() << info.reason << ": the byte-sliced engine is not tested here";
  EXPECT_THAT(test::engines(), testing::Contains(testing::Field(&test::EngineCase::name, info.name)));
  EXPECT_THAT(test::engines_of_every_subset(),
              testing::Contains(testing::Field(&test::EngineCase::name, info.name)));
}

// The search for weak keys on all cores finds the keys that OpenSSL's schedule found.

// Those of vectors/sbox/weak_keys.txt, ascending.
std::vector<WeakKey> known_weak_keys() {
  std::ifstream file(fugu::test::vectors_directory() / "sbox/weak_keys.txt");
  std::vector<WeakKey> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    WeakKey weak;
    char bar[4];
    fields >> std::hex >> weak.key >> bar[0] >> std::dec >> weak.box >> bar[1] >> weak.x >> bar[2] >>
        weak.y >> bar[3] >> std::hex >> weak.value;
    if (!fields) throw std::runtime_error("sbox/weak_keys.txt: " + line);
    all.push_back(weak);
  }
  if (all.empty()) throw std::runtime_error("sbox/weak_keys.txt holds no key");
  return all;
}

// Searches three pieces and a part of one. A weak key is the first key of the second piece, or the last of
// all.
TEST(WeakKeysOnCores, AreFoundInAnyPiece) {
  const WeakKey weak = known_weak_keys()[0];
  constexpr std::uint64_t kKeys = 3 * 4096 + 5;
  threads::ThreadPool pool(3);
  std::atomic<std::uint64_t> keys = 0;
  const auto count = [&keys](std::uint64_t more) { keys += more; };
  EXPECT_THAT(cpu::find_weak_keys(weak.key - 4096, kKeys, pool, count), Contains(weak));
  EXPECT_EQ(keys, kKeys);
  EXPECT_THAT(cpu::find_weak_keys(weak.key - 4096 - 4, 4096 + 5, pool), Contains(weak));
}

TEST(WeakKeysOnCores, AreThoseThatOpensslFound) {
  threads::ThreadPool pool(2);
  for (const WeakKey& weak : known_weak_keys())
    EXPECT_THAT(cpu::find_weak_keys(weak.key, 1, pool), ElementsAre(weak));
}

TEST(WeakKeysOnCores, NoKeysAndKeysBeyondTheLast) {
  threads::ThreadPool pool(2);
  EXPECT_THAT(cpu::find_weak_keys(7, 0, pool), IsEmpty());
  EXPECT_THAT(cpu::find_weak_keys(~std::uint64_t{0}, 1, pool), IsEmpty());
  EXPECT_THROW(cpu::find_weak_keys(~std::uint64_t{0}, 2, pool), Error);
}

TEST(WeakKeysOnCores, AreNotSearchedOnceTheCallerHasThrown) {
  threads::ThreadPool pool(1);
  int calls = 0;
  const auto stop = [&calls](std::uint64_t) {
    ++calls;
    throw Error(Errc::interrupted, "enough");
  };
  EXPECT_THROW(cpu::find_weak_keys(0, 3 * 4096, pool, stop), Error);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace fugu::engine

namespace fugu::choice {
namespace {

// The rule of `auto` against what whole programs took on the hosts of an H100 and an H200 with 16 cores, and
// calibrations as text.

constexpr double kGiB = 1 << 30;

// A core of those hosts with cpu/avx512vbmi and cpu/scalar, and an H200.
constexpr Rates kVectors{7.7e-10, 2.2e-11};
constexpr Rates kScalar{1.9e-9, 2.2e-11};

double functions(int variables, double count = 1) {
  return count * variables * std::exp2(variables);
}

// A file of 256 MiB, by one core and by a GPU that runs already (bench_file_h200.csv at 25ce3044).
TEST(Choice, predicts_what_a_file_took) {
  const Amount vectors{
      .work = WorkKind::cipher, .units = kGiB / 4, .gpu_has_started = true, .of_engines = kVectors};
  Amount scalar = vectors;
  scalar.of_engines = kScalar;
  EXPECT_NEAR(built_in().cpu_seconds(vectors), 0.206, 0.02);
  EXPECT_NEAR(built_in().cpu_seconds(scalar), 0.517, 0.05);
  EXPECT_NEAR(built_in().gpu_seconds(vectors), 0.135, 0.014);
  EXPECT_EQ(built_in().gpu_seconds(vectors), built_in().gpu_seconds(scalar));
}

// By threads that wait for each other (file_writes_h200.csv at 25ce3044).
TEST(Choice, knows_that_no_engine_outruns_writing) {
  for (const unsigned threads : {16U, 64U}) {
    const Amount amount{
        .work = WorkKind::cipher, .units = 2 * kGiB, .threads = threads, .of_engines = kVectors};
    EXPECT_NEAR(built_in().cpu_seconds(amount), 2 * kGiB / 3.4e9, 0.1);
  }
}

// 2^26 int32, without what reading and writing took.
TEST(Choice, predicts_what_a_transform_took) {
  const Amount amount{.work = WorkKind::walsh, .units = functions(26), .threads = 16};
  EXPECT_NEAR(built_in().cpu_seconds(amount), 0.027, 0.005);
  EXPECT_NEAR(built_in().gpu_seconds(amount), 0.37, 0.03);
}

TEST(Choice, sends_work_to_the_engine_that_was_faster) {
  struct Case {
    Amount amount;
    bool gpu;
  };
  const Case cases[] = {
      {{WorkKind::cipher, 4 * kGiB, 16, 1, false, kVectors}, false},
      {{WorkKind::cipher, 64 * kGiB, 16, 1, false, kVectors}, false},
      {{WorkKind::cipher, 1 * kGiB, 2, 1, false, kVectors}, false},
      {{WorkKind::cipher, 8 * kGiB, 2, 1, false, kVectors}, true},
      {{WorkKind::cipher, 4 * kGiB, 16, 1, false, kScalar}, false},
      {{WorkKind::cipher, 1 * kGiB, 2, 1, false, kScalar}, true},
      {{WorkKind::nonlinearity, functions(26), 16}, false},
      {{WorkKind::nonlinearity, functions(28), 16}, false},
      {{WorkKind::nonlinearity, functions(30), 16}, true},
      {{WorkKind::nonlinearity, functions(20, 4096), 16}, true},
      {{WorkKind::nonlinearity, functions(28), 1}, true},
      {{WorkKind::walsh, functions(26), 16}, false},
      {{WorkKind::walsh, functions(30), 16}, false},
      {{WorkKind::walsh, functions(28), 2}, true},
      {{WorkKind::boxes, 16 * 2.6, 16}, true},   // a report of 16 inputs and outputs
      {{WorkKind::boxes, 16 * 0.39, 16}, true},  // its linear part: 0.41 s, on the GPU 0.35
      {{WorkKind::boxes, 16 * 0.2, 16}, false},
  };
  for (const auto& [amount, gpu] : cases)
    EXPECT_EQ(built_in().gpu_is_faster(amount), gpu)
        << "work " << static_cast<int>(amount.work) << ' ' << amount.units;
}

TEST(Choice, leaves_many_small_files_and_unknown_sizes_to_the_cpu) {
  EXPECT_FALSE(built_in().gpu_is_faster({.work = WorkKind::cipher, .units = 0, .of_engines = kScalar}));
  Amount files{
      .work = WorkKind::cipher, .units = 64 * kGiB, .threads = 4, .files = 1024, .of_engines = kScalar};
  EXPECT_FALSE(built_in().gpu_is_faster(files)) << "each pins memory anew";
  files.files = 1;
  EXPECT_TRUE(built_in().gpu_is_faster(files));
}

TEST(Choice, does_not_count_a_start_that_is_over) {
  Amount amount{.work = WorkKind::nonlinearity, .units = functions(26), .threads = 16};
  const double before = built_in().gpu_seconds(amount);
  amount.gpu_has_started = true;
  EXPECT_NEAR(built_in().gpu_seconds(amount), before - built_in().gpu_start_seconds, 1e-9);
  EXPECT_TRUE(built_in().gpu_is_faster(amount));
}

Calibration measured() {
  Calibration calibration = built_in();
  calibration.gpu_start_seconds = 0.5;
  for (std::size_t i = 0; i < kRatedKinds; ++i)
    calibration.rates[i] = {0.25 * static_cast<double>(i + 1), 0.125};
  calibration.engines = {{"cpu/a", 2}, {"cpu/b", 3}};
  return calibration;
}

TEST(Calibration, survives_the_round_trip) {
  const std::string text = to_text(measured(), "host");
  EXPECT_EQ(
      text,
      "fugu calibration 4\nmachine host\ngpu_start 0.5\nnonlinearity 0.25 0.125\nwalsh 0.5 0.125\nboxes 0.75 "
      "0.125\ncpu/a 2\ncpu/b 3\n");
  const auto back = parse(text, "host");
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back, "host"), text);
  EXPECT_EQ(back->engines, measured().engines);
  EXPECT_EQ(back->seconds_of("cpu/b", 1), 3);
  EXPECT_EQ(back->seconds_of("cpu/c", 1), 1);
}

TEST(Calibration, refuses_other_machines_and_malformed_text) {
  const std::string text = to_text(measured(), "host");
  EXPECT_FALSE(parse(text, "hos"));
  EXPECT_FALSE(parse("", ""));
  const std::size_t last = text.rfind(' ');
  for (std::size_t cut = 0; cut <= text.rfind(' ', text.find("cpu/a")); ++cut)
    EXPECT_FALSE(parse(text.substr(0, cut), "host")) << cut;
  EXPECT_FALSE(parse(text.substr(0, last), "host"));
  for (const char* value : {"0", "-1", "nan", "inf", "x"}) {
    EXPECT_FALSE(parse(text.substr(0, last) + ' ' + value + '\n', "host")) << value;
    std::string other = text;
    other.replace(text.find("0.5"), 3, value);
    EXPECT_FALSE(parse(other, "host")) << value;
  }
  std::string titled = text;
  titled.replace(titled.find('4'), 1, "3");
  EXPECT_FALSE(parse(titled, "host"));
  std::string renamed = text;
  renamed.replace(text.find("walsh"), 5, "other");
  EXPECT_FALSE(parse(renamed, "host"));
}

}  // namespace
}  // namespace fugu::choice
