// A file and a row are all that an engine needs: auto decides by the rate of that row.
#include "fugu/device/device.hpp"
#include "fugu/engine/registry.hpp"
#include "support/testing.hpp"

namespace fugu::engine {
namespace {

EngineInfo info_of(std::string_view name) {
  const std::vector<EngineInfo> engines = list();
  return *std::ranges::find(engines, name, &EngineInfo::name);
}

bool gpu_is_faster_than(std::string_view name, const Options& options) {
  return options.calibration.gpu_is_faster(amount_of(info_of(name), options));
}

TEST(ToyEngine, auto_decides_by_its_own_rate) {
  const Options options{.threads = 1, .expected_bytes = std::uint64_t{16} << 30};
  EXPECT_FALSE(gpu_is_faster_than("cpu/fast", options));
  EXPECT_TRUE(gpu_is_faster_than("cpu/slow", options));
  EXPECT_TRUE(gpu_is_faster_than("cpu/scalar", options));  // 33 s on one core
}

TEST(ToyEngine, a_measured_rate_replaces_the_one_built_in) {
  Options options{.threads = 1, .expected_bytes = std::uint64_t{16} << 30};
  options.calibration.engines = {{"cpu/fast", 1e-6}, {"cpu/slow", 1e-12}};
  EXPECT_TRUE(gpu_is_faster_than("cpu/fast", options));
  EXPECT_FALSE(gpu_is_faster_than("cpu/slow", options));
}

TEST(ToyEngine, auto_is_the_best_engine_of_the_table) {
  EXPECT_EQ(make("auto", {.threads = 1, .expected_bytes = std::uint64_t{16} << 30})->name(), "cpu/fast");
}

TEST(ToyEngine, every_engine_has_a_rate) {
  for (const EngineInfo& info : list()) EXPECT_GT(info.byte_seconds, 0) << info.name;
}

}  // namespace
}  // namespace fugu::engine
