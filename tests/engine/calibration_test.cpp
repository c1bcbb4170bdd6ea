// What `auto` decides by: calibrations as text, their comparison, and the measuring of an engine.
#include "fugu/engine/calibration.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "fugu/engine/registry.hpp"
#include "support/many_cases.hpp"

namespace fugu::engine {
namespace {

TEST(Calibration, text_survives_the_round_trip) {
  Calibration calibration;
  calibration.machine = "cpu/scalar on 2 cores beside 1 x NVIDIA H200";
  calibration.gpu_start_seconds = 0.5;
  for (std::size_t op = 0; op < kOpCount; ++op) {
    calibration.cpu[op] = {0.25, 1024.0 * static_cast<double>(op + 1)};
    calibration.gpu[op] = {0.5, 4096.0 * static_cast<double>(op + 1)};
    calibration.gpu_ordinary[op] = {0.75, 2048.0 * static_cast<double>(op + 1)};
  }
  const std::string text = to_text(calibration);
  const auto back = parse_calibration(text, calibration.machine);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), text);
  EXPECT_FALSE(parse_calibration(text, "another machine"));
  for (std::size_t cut = 0; cut + 20 < text.size(); ++cut)
    EXPECT_FALSE(parse_calibration(text.substr(0, cut), calibration.machine)) << cut;
}

TEST(Calibration, compares_whole_calls_from_either_memory) {
  Calibration calibration;
  EXPECT_FALSE(calibration.gpu_is_faster(Op::ctr, 1u << 30, CallMemory::engine)) << "nothing is measured";
  calibration.cpu[2] = {0, 1e9};
  calibration.gpu[2] = {1e-3, 10e9};
  calibration.gpu_ordinary[2] = {1e-3, 2e9};
  for (const auto& [bytes, pinned, ordinary] :
       {std::tuple(1'000'000u, false, false), {1'500'000u, true, false}, {3'000'000u, true, true}}) {
    EXPECT_EQ(calibration.gpu_is_faster(Op::ctr, bytes, CallMemory::engine), pinned) << bytes;
    EXPECT_EQ(calibration.gpu_is_faster(Op::ctr, bytes, CallMemory::ordinary), ordinary) << bytes;
  }
  EXPECT_FALSE(calibration.gpu_is_faster(Op::ecb_encrypt, 2'000'000, CallMemory::engine));
}

TEST(Calibration, measures_an_engine) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers take 20 s for it, and see the same engine in other tests";
  const auto engine = make("cpu/scalar", {.threads = 1});
  const Pace pace = measure_pace(*engine, Op::ctr);
  EXPECT_GT(pace.bytes_per_second, 0.0);
  EXPECT_GE(pace.seconds_per_call, 0.0);
}

}  // namespace
}  // namespace fugu::engine
