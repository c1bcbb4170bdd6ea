// The output rules: whole files or none, nothing clobbered, nothing left behind.
#include "fugu/stream/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "stream/memory.hpp"
#include "stream/pipe.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

using Names = std::vector<std::string>;

TEST(OutputFile, AppearsWholeAndLeavesNothingElse) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  {
    OutputFile file(path, {});
    file.write(to_bytes("first "));
    file.write(to_bytes("second"));
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
    EXPECT_EQ(get(path), "first second");
  }
  EXPECT_EQ(get(path), "first second");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(OutputFile, ManyShareTheirDirectories) {
  constexpr int kThreads = 8;
  constexpr int kFiles = 40;
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("d"));
  const mode_t old = ::umask(0027);
  OutputDirectories directories;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kFiles; ++i) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(i);
        OutputFile file(scratch.path((i % 2 == 0 ? "d/" : "") + name), {.directories = &directories});
        file.write(to_bytes(name));
        file.commit();
      }
    });
  }
  threads.clear();
  ::umask(old);
  EXPECT_EQ(scratch.names().size(), 1u + kThreads * kFiles / 2);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.directory())) {
    if (entry.is_directory()) continue;
    EXPECT_EQ(get(entry.path()), entry.path().filename().string());
    EXPECT_EQ(static_cast<unsigned>(entry.status().permissions()), 0640u);
  }
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

TEST(OutputFile, ReplacesWholeWhenAsked) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  put(path, "old");
  {
    OutputFile file(path, {.replace = true});
    file.write(to_bytes("new"));
    EXPECT_EQ(get(path), "old");
    file.commit();
  }
  EXPECT_EQ(get(path), "new");
  put(path, "kept");
  { OutputFile(path, {.replace = true}).write(to_bytes("lost")); }
  EXPECT_EQ(get(path), "kept");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(OutputFile, TargetThatAppearsMeanwhileIsKept) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  {
    OutputFile file(path, {});
    file.write(to_bytes("ours"));
    put(path, "of another");
    const Error error = error_of([&] { file.commit(); });
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_EQ(error.text(), "appeared while it was written; not overwritten (use -f)");
  }
  EXPECT_EQ(get(path), "of another");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(OutputFile, DirectoryThatAppearsMeanwhileIsKept) {
  const Scratch scratch;
  {
    OutputFile file(scratch.path("out"), {.replace = true});
    std::filesystem::create_directory(scratch.path("out"));
    EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
  }
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(OutputFile, TargetsThatCannotBeAreRefused) {
  const Scratch scratch;
  const OutputFileOptions replacing{.replace = true};
  EXPECT_EQ(error_of([&] { OutputFile(scratch.directory(), replacing); }).text(), "is a directory");
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("new/"), replacing); }).text(), "is not a file name");
  EXPECT_EQ(error_of([&] { OutputFile("", replacing); }).text(), "is not a file name");
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("no/such"), replacing); }).code(), Errc::io);
  put(scratch.path("file"), "");
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("file/below"), replacing); }).code(), Errc::io);
  std::filesystem::create_symlink("loop", scratch.path("loop"));
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("loop"), replacing); }).code(), Errc::io);
  EXPECT_EQ(scratch.names(), (Names{"file", "loop"}));
}

TEST(OutputFile, InputIsNeverTheOutput) {
  const Scratch scratch;
  const std::string path = scratch.path("in");
  put(path, "input");
  std::filesystem::create_symlink("in", scratch.path("symbolic"));
  std::filesystem::create_hard_link(path, scratch.path("hard"));
  const OutputFileOptions options{.replace = true, .input = open_file(path)->file_id()};
  for (const char* name : {"in", "symbolic", "hard", "./in"}) {
    const Error error = error_of([&] { OutputFile(scratch.path(name), options); });
    EXPECT_EQ(error.text(), "is the input as well; a file cannot be written over itself") << name;
  }
  EXPECT_EQ(get(path), "input");
}

TEST(OutputFile, NullDeviceMayBeInputAndOutput) {
  OutputFile file("/dev/null", {.input = open_file("/dev/null")->file_id()});
  file.write(to_bytes("text"));
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, SymbolicLinksStayAndTheirTargetIsWritten) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("elsewhere"));
  put(scratch.path("elsewhere/old"), "old");
  std::filesystem::create_symlink("elsewhere/old", scratch.path("link"));
  std::filesystem::create_symlink("elsewhere/new", scratch.path("dangling"));
  std::filesystem::create_symlink("dangling", scratch.path("chain"));
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("link"), {}); }).text(),
            "exists; not overwritten (use -f)");
  EXPECT_EQ(error_of([&] { OutputFile(scratch.path("chain"), {}); }).text(),
            "is a link to a file that does not exist; not written through (use -f)");
  for (const char* name : {"link", "chain"}) {
    OutputFile file(scratch.path(name), {.replace = true});
    file.write(to_bytes(name));
    EXPECT_EQ(scratch.names(), (Names{"chain", "dangling", "elsewhere", "link"}))
        << "beside the target, not the link";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path(name)));
  }
  EXPECT_EQ(get(scratch.path("elsewhere/old")), "link");
  EXPECT_EQ(get(scratch.path("elsewhere/new")), "chain");
}

TEST(OutputFile, LinksUnderProcToDeletedFilesAreRefused) {
  const Scratch scratch;
  const int descriptor = ::open(scratch.path("gone").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::unlink(scratch.path("gone").c_str()), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  EXPECT_EQ(error_of([&] { OutputFile(path, {.replace = true}); }).text(),
            "is a link to a file without a name");
  EXPECT_EQ(scratch.names(), Names{});
  EXPECT_EQ(::close(descriptor), 0);
}

TEST(OutputFile, FifosAreWrittenNotReplaced) {
  const Scratch scratch;
  const std::string path = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Bytes received;
  std::thread reader([&] { received = read_all(*open_file(path)); });
  {
    OutputFile file(path, {});
    file.write(pattern(200'000));
    file.commit();
  }
  reader.join();
  EXPECT_EQ(received, pattern(200'000));
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(scratch.names(), Names{"fifo"});
}

TEST(OutputFile, FullDeviceFailsAndIsNotCommitted) {
  OutputFile file("/dev/full", {});
  EXPECT_EQ(error_of([&] { file.write(pattern(1)); }).text().find("write failed: "), 0u);
  EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(OutputFile, ReservedSpaceIsGivenBack) {
  const Scratch scratch;
  const std::string path = scratch.path("out");
  OutputFile file(path, {});
  file.reserve(8 << 20);
  file.write(pattern(1000));
  file.commit();
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 1000);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

}  // namespace
}  // namespace fugu::stream
