// What `auto` concludes from the times of earlier runs and from files that are not read yet.
#include "cli/spectral/pace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/reader.hpp"
#include "cli/table/subcommands.hpp"
#include "stream/scratch.hpp"

namespace fugu::cli {
namespace {

constexpr std::uint64_t kLong = std::uint64_t{1} << 28;

class Pace : public testing::Test {
 protected:
  NonlinearityPace pace(unsigned threads = 4) const { return {path_, threads}; }

  stream::Scratch scratch_;
  std::string path_ = scratch_.path("pace");
};

TEST_F(Pace, leaves_short_functions_to_the_cpu_and_long_ones_on_one_core_to_a_gpu) {
  EXPECT_FALSE(pace(1).gpu_is_faster(1u << 20, 20));
  EXPECT_FALSE(pace(16).gpu_is_faster(1u << 26, 26));
  EXPECT_TRUE(pace(1).gpu_is_faster(1u << 30, 30));
}

// 16 cores beside an H100: 0.43 s on the CPU after reading, 0.36 s with a GPU.
TEST_F(Pace, takes_a_gpu_for_two_to_the_thirty_values_on_sixteen_cores) {
  EXPECT_TRUE(pace(16).gpu_is_faster(1u << 30, 30));
  EXPECT_FALSE(pace(16).gpu_is_faster(1u << 28, 28));
}

TEST_F(Pace, is_not_turned_by_one_slow_run) {
  pace(16).keep_gpu(1u << 30, 0.35);
  pace(16).keep_cpu(1u << 30, 30, 0.43);
  pace(16).keep_gpu(1u << 30, 0.6);
  EXPECT_TRUE(pace(16).gpu_is_faster(1u << 30, 30));
  for (int run = 0; run < 3; ++run) pace(16).keep_gpu(1u << 30, 0.6);
  EXPECT_FALSE(pace(16).gpu_is_faster(1u << 30, 30)) << "of several it learns";
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

class LikelyValues : public testing::Test {
 protected:
  std::uint64_t of(const std::string& content, std::vector<std::string> options = {}) {
    options.insert(options.begin(), "nonlinearity");
    return likely_values(content.substr(0, InputReader::kHeadBytes), content.size(),
                         parse(find_subcommand("spectral"), options));
  }
  // As numpy.save() writes it, of `bytes` bytes.
  static std::string npy(const std::string& descr, const std::string& shape, std::size_t bytes) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + std::string(bytes, '\1');
  }
};

TEST_F(LikelyValues, are_those_of_one_function_whether_the_format_is_named_or_seen) {
  EXPECT_EQ(of(std::string(64, 'x'), {"--from", "packed"}), 512u);
  EXPECT_EQ(of(std::string(64, 'a') + "\n", {"--from", "hex"}), 256u);
  EXPECT_EQ(of(std::string(64, '1') + "\n", {"--from", "bits"}), 64u);
  EXPECT_EQ(of(std::string(8192, '1') + "\n"), 8192u);
  EXPECT_EQ(of(npy("|b1", "(64,)", 64)), 64u);
  EXPECT_EQ(of(npy("<i4", "(64,)", 256), {"--from", "npy"}), 64u);
}

TEST_F(LikelyValues, are_none_where_only_reading_can_tell) {
  EXPECT_EQ(of(npy("|b1", "(2, 32)", 64)), 0u);
  EXPECT_EQ(of(npy("|b1", "(64,)", 64).substr(0, 100)), 0u);
  EXPECT_EQ(of(npy("|b1", "nothing", 64)), 0u);
  EXPECT_EQ(of("1 -1 1 1\n"), 0u);
  EXPECT_EQ(of(std::string(64, '1'), {"--row-bits", "3"}), 0u);
  EXPECT_EQ(of(""), 0u);
  EXPECT_EQ(likely_values("01", std::nullopt, parse(find_subcommand("spectral"), {"nonlinearity", "-"})), 0u);
}

}  // namespace
}  // namespace fugu::cli
