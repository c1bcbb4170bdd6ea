// The output rules: whole files or none, nothing clobbered, nothing left behind.
#include "fugu/stream/output_file.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "stream/memory.hpp"
#include "stream/pipe.hpp"
#include "stream/scratch.hpp"
#include "support/many_cases.hpp"

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
  OutputFile file(path, {.expected_bytes = 8 << 20});
  file.write(pattern(1000));
  file.commit();
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 1000);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(OutputFile, AsManyAtOnceAsDescriptorsAllow) {
  if (test::kSanitized) {
    GTEST_SKIP()
        << "UBSan's vptr check probes memory through a pipe, for which this test leaves no descriptor: "
           "the builds without sanitizers run it";
  }
  const Scratch scratch;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{40, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Error error = error_of([&] {
    std::vector<std::unique_ptr<OutputFile>> files;
    for (int i = 0; i < 100; ++i) {
      files.push_back(std::make_unique<OutputFile>(scratch.path(std::to_string(i)), OutputFileOptions{}));
    }
  });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(error.code(), Errc::io);
  EXPECT_EQ(scratch.names(), Names{});
}

// Runs `call` in a forked child and returns its wait status.
template <class Call>
int in_child(Call call) {
  const pid_t child = ::fork();
  if (child == 0) {
    call();
    ::_exit(99);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// Mounts a file system in memory of `megabytes` on `directory`, for this process alone.
bool mount_small(const std::string& directory, int megabytes) {
  const std::string size = "size=" + std::to_string(megabytes) + "m";
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", directory.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

TEST(OutputFile, SmallFileSystemIsRefusedEarlyAndNeverHalfWritten) {
  const Scratch scratch;
  enum Outcome { good = 10, cannot_mount, not_early, not_late, something_left };
  const int status = in_child([&] {
    if (!mount_small(scratch.directory(), 1)) ::_exit(cannot_mount);
    const Error early = error_of([&] { OutputFile(scratch.path("out"), {.expected_bytes = 2 << 20}); });
    if (early.text().find("cannot reserve 2097152 bytes: ") != 0) ::_exit(not_early);
    const Error late = error_of([&] { OutputFile(scratch.path("out"), {}).write(pattern(2 << 20)); });
    if (late.text().find("write failed: ") != 0) ::_exit(not_late);
    ::_exit(scratch.names().empty() ? good : something_left);
  });
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == cannot_mount) GTEST_SKIP() << "needs the right to mount a tmpfs";
  EXPECT_EQ(WEXITSTATUS(status), good);
}

TEST(OutputFile, MountPointsAreRefusedAtOnce) {
  const Scratch scratch;
  put(scratch.path("out"), "below");
  put(scratch.path("over"), "above");
  enum Outcome { good = 10, cannot_mount, not_refused };
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(scratch.path("over").c_str(), scratch.path("out").c_str(), nullptr, MS_BIND, nullptr) != 0)
      ::_exit(cannot_mount);
    const Error error = error_of([&] { OutputFile(scratch.path("out"), {.replace = true}); });
    ::_exit(error.text() == "is a mount point, which cannot be replaced" ? good : not_refused);
  });
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == cannot_mount) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(WEXITSTATUS(status), good);
}

// Several threads fill mapped pages: one that is not there would end the process by SIGBUS.
TEST(OutputFile, FullFileSystemIsAnErrorForManyThreadsToo) {
  const Scratch scratch;
  enum Outcome { good = 10, cannot_mount, not_refused, something_left, not_filled };
  const int status = in_child([&] {
    if (!mount_small(scratch.directory(), 7)) ::_exit(cannot_mount);
    for (const std::size_t bytes : {(7u << 20) + 1, 8u << 20, 15u << 20}) {
      const Error full =
          error_of([&] { OutputFile(scratch.path("out"), {.threads = 16}).write(pattern(bytes)); });
      if (full.text() != system_error("write failed", ENOSPC).text()) ::_exit(not_refused);
      if (!scratch.names().empty()) ::_exit(something_left);
    }
    OutputFile file(scratch.path("out"), {.threads = 16});
    file.write(pattern(7 << 20));
    file.commit();
    ::_exit(read_file(scratch.path("out")) == pattern(7 << 20) ? good : not_filled);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == cannot_mount) GTEST_SKIP() << "needs the right to mount a tmpfs";
  EXPECT_EQ(WEXITSTATUS(status), good);
}

TEST(OutputFile, LimitOfAFilesSizeIsAnErrorForManyThreadsToo) {
  const Scratch scratch(std::filesystem::is_directory("/dev/shm") ? "/dev/shm"
                                                                  : std::filesystem::temp_directory_path());
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{5 << 20, 5 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    const Error error =
        error_of([&] { OutputFile(scratch.path("out"), {.threads = 16}).write(pattern(9 << 20)); });
    ::_exit(error.text() == system_error("write failed", EFBIG).text() && scratch.names().empty() ? 0 : 2);
  });
  EXPECT_EQ(status, 0);
}

void unlink_and_exit(int) {
  unlink_temporaries();
  ::_exit(130);
}

TEST(OutputFile, SignalHandlerRemovesWhatIsUnfinished) {
  const Scratch scratch;
  const int status = in_child([&] {
    ::signal(SIGTERM, unlink_and_exit);
    OutputFile done(scratch.path("done"), {});
    done.commit();
    OutputFile first(scratch.path("first"), {});
    OutputFile second(scratch.path("second"), {});
    first.write(pattern(100'000));
    ::raise(SIGTERM);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(scratch.names(), Names{"done"});
}

void unlink_and_die(int) {
  unlink_temporaries();
  ::kill(::getpid(), SIGKILL);
}

// The signal comes while other threads are anywhere between creating and committing.
TEST(OutputFile, SignalHandlerRacesWithThreadsThatWrite) {
  const Scratch scratch;
  for (int round = 0; round < 40; ++round) {
    const int status = in_child([&] {
      ::signal(SIGTERM, unlink_and_die);
      const auto make_files = [&](int thread) {
        for (int i = 0;; ++i) {
          try {
            OutputFile file(scratch.path(std::to_string(thread)), {.replace = true});
            if (i % 2 == 0) file.commit();
          } catch (const Error&) {
            ::pause();  // stopped: the process is about to end
          }
        }
      };
      std::thread first(make_files, 1);
      std::thread second(make_files, 2);
      ::poll(nullptr, 0, 1 + round % 4);
      ::kill(::getpid(), SIGTERM);
      first.join();
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
    for (const std::string& name : scratch.names()) ASSERT_NE(name[0], '.') << "round " << round;
  }
}

TEST(OutputFile, ForkedChildrenLeaveTheirParentsFilesAlone) {
  const Scratch scratch;
  OutputFile file(scratch.path("out"), {});
  EXPECT_EQ(WEXITSTATUS(in_child([] { unlink_and_exit(0); })), 130);
  file.write(to_bytes("text"));
  file.commit();
  EXPECT_EQ(get(scratch.path("out")), "text");
}

TEST(OutputFile, NoneIsMadeAfterUnlinkTemporaries) {
  const Scratch scratch;
  const int status = in_child([&] {
    unlink_temporaries();
    const Error error = error_of([&] { OutputFile(scratch.path("out"), {}); });
    ::_exit(error.code() == Errc::interrupted ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(scratch.names(), Names{});
}

}  // namespace
}  // namespace fugu::stream
