// The output rules: whole files or none, nothing clobbered, nothing left behind.
#include "fugu/stream/output_file.hpp"

#include <sys/wait.h>

#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

using Outputs = InScratch;

TEST_F(Outputs, AppearsWholeAndLeavesNothingElse) {
  {
    OutputFile file(path_, {});
    file.write(bytes_of("first "));
    file.write(bytes_of("second"));
    EXPECT_FALSE(std::filesystem::exists(path_));
    file.commit();
    EXPECT_EQ(get(path_), "first second");
  }
  EXPECT_EQ(get(path_), "first second");
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Outputs, ManyShareTheirDirectories) {
  constexpr int kThreads = 8;
  constexpr int kFiles = 40;
  std::filesystem::create_directory(scratch_.path("d"));
  const mode_t old = ::umask(0027);
  OutputDirectories directories;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kFiles; ++i) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(i);
        write_output(scratch_.path((i % 2 == 0 ? "d/" : "") + name), bytes_of(name),
                     {.directories = &directories});
      }
    });
  }
  threads.clear();
  ::umask(old);
  EXPECT_EQ(scratch_.names().size(), 1u + kThreads * kFiles / 2);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.directory())) {
    if (entry.is_directory()) continue;
    EXPECT_EQ(get(entry.path()), entry.path().filename().string());
    EXPECT_EQ(static_cast<unsigned>(entry.status().permissions()), 0640u);
  }
}

TEST_F(Outputs, WithoutCommitNothingRemains) {
  {
    OutputFile file(path_, {});
    file.write(bytes_of("text"));
  }
  EXPECT_EQ(scratch_.names(), Names{});
}

TEST_F(Outputs, ExistingTargetIsRefusedAtOnce) {
  put(path_, "old");
  expect_fails(Errc::io, "exists; not overwritten (use ⟦f⟧)", [&] { OutputFile(path_, {}); });
  EXPECT_EQ(get(path_), "old");
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Outputs, ReplacesWholeWhenAsked) {
  put(path_, "old");
  {
    OutputFile file(path_, {.replace = true});
    file.write(bytes_of("new"));
    EXPECT_EQ(get(path_), "old");
    file.commit();
  }
  EXPECT_EQ(get(path_), "new");
  put(path_, "kept");
  { OutputFile(path_, {.replace = true}).write(bytes_of("lost")); }
  EXPECT_EQ(get(path_), "kept");
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Outputs, TargetThatAppearsMeanwhileIsKept) {
  {
    OutputFile file(path_, {});
    file.write(bytes_of("ours"));
    put(path_, "of another");
    expect_fails(Errc::io, "appeared while it was written; not overwritten (use ⟦f⟧)",
                 [&] { file.commit(); });
  }
  EXPECT_EQ(get(path_), "of another");
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Outputs, DirectoryThatAppearsMeanwhileIsKept) {
  {
    OutputFile file(path_, {.replace = true});
    std::filesystem::create_directory(path_);
    EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
  }
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Outputs, TargetsThatCannotBeAreRefused) {
  const OutputFileOptions replacing{.replace = true};
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.directory(), replacing); }).text(), "is a directory");
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("new/"), replacing); }).text(), "is not a file name");
  EXPECT_EQ(error_of([&] { OutputFile("", replacing); }).text(), "is not a file name");
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("no/such"), replacing); }).code(), Errc::io);
  put(scratch_.path("file"), "");
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("file/below"), replacing); }).code(), Errc::io);
  std::filesystem::create_symlink("loop", scratch_.path("loop"));
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("loop"), replacing); }).code(), Errc::io);
  EXPECT_EQ(scratch_.names(), (Names{"file", "loop"}));
}

TEST_F(Outputs, InputIsNeverTheOutput) {
  const std::string path = scratch_.path("in");
  put(path, "input");
  std::filesystem::create_symlink("in", scratch_.path("symbolic"));
  std::filesystem::create_hard_link(path, scratch_.path("hard"));
  const OutputFileOptions options{.replace = true, .input = open_file(path)->file_id()};
  for (const char* name : {"in", "symbolic", "hard", "./in"}) {
    const Error error = error_of([&] { OutputFile(scratch_.path(name), options); });
    EXPECT_EQ(error.text(), "is the input as well; a file cannot be written over itself") << name;
  }
  EXPECT_EQ(get(path), "input");
}

TEST_F(Outputs, NullDeviceMayBeInputAndOutput) {
  write_output("/dev/null", bytes_of("text"), {.input = open_file("/dev/null")->file_id()});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Outputs, SymbolicLinksStayAndTheirTargetIsWritten) {
  std::filesystem::create_directory(scratch_.path("elsewhere"));
  put(scratch_.path("elsewhere/old"), "old");
  std::filesystem::create_symlink("elsewhere/old", scratch_.path("link"));
  std::filesystem::create_symlink("elsewhere/new", scratch_.path("dangling"));
  std::filesystem::create_symlink("dangling", scratch_.path("chain"));
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("link"), {}); }).text(),
            "exists; not overwritten (use ⟦f⟧)");
  EXPECT_EQ(error_of([&] { OutputFile(scratch_.path("chain"), {}); }).text(),
            "is a link to a file that does not exist; not written through (use ⟦f⟧)");
  for (const char* name : {"link", "chain"}) {
    OutputFile file(scratch_.path(name), {.replace = true});
    file.write(bytes_of(name));
    EXPECT_EQ(scratch_.names(), (Names{"chain", "dangling", "elsewhere", "link"}))
        << "beside the target, not the link";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(scratch_.path(name)));
  }
  EXPECT_EQ(get(scratch_.path("elsewhere/old")), "link");
  EXPECT_EQ(get(scratch_.path("elsewhere/new")), "chain");
}

TEST_F(Outputs, LinksUnderProcToDeletedFilesAreRefused) {
  const int descriptor = ::open(scratch_.path("gone").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::unlink(scratch_.path("gone").c_str()), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  EXPECT_EQ(error_of([&] { OutputFile(path, {.replace = true}); }).text(),
            "is a link to a file without a name");
  EXPECT_EQ(scratch_.names(), Names{});
  EXPECT_EQ(::close(descriptor), 0);
}

TEST_F(Outputs, FifosAreWrittenNotReplaced) {
  const std::string path = scratch_.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Bytes received;
  std::thread reader([&] { received = read_all(*open_file(path)); });
  write_output(path, pattern(200'000));
  reader.join();
  EXPECT_EQ(received, pattern(200'000));
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(scratch_.names(), Names{"fifo"});
}

TEST_F(Outputs, FullDeviceFailsAndIsNotCommitted) {
  OutputFile file("/dev/full", {});
  EXPECT_EQ(error_of([&] { file.write(pattern(1)); }).text().find("write failed: "), 0u);
  EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Outputs, ReservedSpaceIsGivenBack) {
  OutputFile file(path_, {});
  file.reserve(8 << 20);
  file.write(pattern(1000));
  file.commit();
  const struct stat status = status_of_path(path_);
  EXPECT_EQ(status.st_size, 1000);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

}  // namespace
}  // namespace fugu::stream
