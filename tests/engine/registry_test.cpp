#include "fugu/engine/registry.hpp"

#include "fugu/device/device.hpp"
#include "fugu/error.hpp"
#include "support/each_engine.hpp"
#include "support/errors.hpp"
#include "support/testing.hpp"

namespace fugu::engine {
namespace {

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
  for (const auto flag : {&core::CpuFeatures::avx512f, &core::CpuFeatures::avx512bw,
                          &core::CpuFeatures::avx512vl, &core::CpuFeatures::avx512vbmi}) {
    all.*flag = true;
  }
  EXPECT_TRUE(info_of("cpu/avx512vbmi", all).available);
  for (const auto flag : {&core::CpuFeatures::avx512f, &core::CpuFeatures::avx512bw,
                          &core::CpuFeatures::avx512vl, &core::CpuFeatures::avx512vbmi}) {
    core::CpuFeatures without = all;
    without.*flag = false;
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

}  // namespace
}  // namespace fugu::engine
