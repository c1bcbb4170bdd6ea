// The output rules: whole files or none, nothing clobbered, nothing left behind.
#include "fugu/stream/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/memory.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

using Names = std::vector<std::string>;

void put(const std::string& path, const std::string& text) {
  write_file(path, to_bytes(text));
}
std::string get(const std::string& path) {
  return to_text(read_file(path));
}

TEST(OutputFile, AppearsWholeAndLeavesNothingElse) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  {
    OutputFile file(path, {});
    file.write(to_bytes("first "));
    file.write(to_bytes("second"));
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_EQ(scratch.names().size(), 1u);
    EXPECT_EQ(scratch.names()[0][0], '.');
    file.commit();
    EXPECT_EQ(get(path), "first second");
  }
  EXPECT_EQ(get(path), "first second");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(OutputFile, WithoutCommitNothingRemains) {
  const Scratch scratch;
  {
    OutputFile file(scratch.path("out"), {});
    file.write(to_bytes("text"));
  }
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(OutputFile, ExistingTargetIsRefusedAtOnce) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  put(path, "old");
  const Error error = error_of([&] { OutputFile(path, {}); });
  EXPECT_EQ(error.code(), Errc::io);
  EXPECT_EQ(error.text(), "exists; not overwritten (use -f)");
  EXPECT_EQ(get(path), "old");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

}  // namespace
}  // namespace fugu::stream
