// What `auto` concludes from the times of earlier runs.
#include "cli/spectral/pace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fugu::cli {
namespace {

constexpr std::uint64_t kLong = std::uint64_t{1} << 28;

class Pace : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  NonlinearityPace pace(unsigned threads = 4) const { return {path_, threads}; }

  std::string path_ = testing::TempDir() + "fugu_spectral_pace";
};

TEST_F(Pace, leaves_short_functions_to_the_cpu_and_long_ones_on_one_core_to_a_gpu) {
  EXPECT_FALSE(pace(1).gpu_is_faster(1u << 20, 20));
  EXPECT_FALSE(pace(16).gpu_is_faster(1u << 26, 26));
  EXPECT_TRUE(pace(1).gpu_is_faster(1u << 30, 30));
}

TEST_F(Pace, goes_by_what_runs_took_and_keeps_it) {
  pace().keep_gpu(kLong, 1.0);
  pace().keep_cpu(kLong, 28, 0.5);
  EXPECT_FALSE(pace().gpu_is_faster(kLong, 28));
  EXPECT_TRUE(pace().gpu_is_faster(8 * kLong, 31));
  pace().keep_gpu(kLong, 0.25);
  EXPECT_TRUE(pace().gpu_is_faster(kLong, 28));
  pace().keep_cpu(kLong, 28, 0.125);
  EXPECT_FALSE(pace().gpu_is_faster(kLong, 28));
}

TEST_F(Pace, keeps_nothing_of_short_runs_and_nothing_without_a_place) {
  pace().keep_cpu(1u << 16, 16, 100.0);
  EXPECT_FALSE(std::filesystem::exists(path_));
  NonlinearityPace nowhere("", 4);
  nowhere.keep_cpu(kLong, 28, 100.0);
  EXPECT_TRUE(nowhere.gpu_is_faster(kLong, 28)) << "it remembers within the process";
}

TEST_F(Pace, takes_a_file_of_other_threads_or_of_nonsense_for_nothing) {
  pace(4).keep_cpu(kLong, 28, 1000.0);
  EXPECT_TRUE(pace(4).gpu_is_faster(1u << 20, 20));
  EXPECT_FALSE(pace(8).gpu_is_faster(1u << 20, 20));
  for (const char* text : {"", "fugu spectral 1\n", "fugu spectral 1\nnonlinearity 4 -1 1\n",
                           "fugu spectral 2\nnonlinearity 4 1 1e-9\n"}) {
    std::ofstream(path_) << text;
    EXPECT_FALSE(pace(4).gpu_is_faster(1u << 20, 20)) << text;
  }
}

}  // namespace
}  // namespace fugu::cli
