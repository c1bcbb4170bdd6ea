// Output files at limits of the system: descriptors, small and full file systems, file sizes, mount points,
// signals and forks.
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "fugu/stream/posix/temporaries.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

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
    for (int i = 0; i < 100; ++i)
      files.push_back(std::make_unique<OutputFile>(scratch.path(std::to_string(i)), OutputFileOptions{}));
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

// What a child that mounts something ends with.
enum Outcome { good = 10, cannot_mount, not_refused, not_early, not_late, something_left, not_filled };

void expect_good(int status) {
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == cannot_mount) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(WEXITSTATUS(status), good);
}

// Whether what this process mounts is for it only.
bool mounts_alone() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Mounts a file system of `megabytes` in memory on `directory`, for this process only.
bool mount_small(const std::string& directory, int megabytes) {
  const std::string size = "size=" + std::to_string(megabytes) + "m";
  return mounts_alone() && ::mount("none", directory.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

TEST(OutputFile, SmallFileSystemIsRefusedEarlyAndNeverHalfWritten) {
  const Scratch scratch;
  expect_good(in_child([&] {
    if (!mount_small(scratch.directory(), 1)) ::_exit(cannot_mount);
    const Error early = error_of([&] { OutputFile(scratch.path("out"), {}).reserve(2 << 20); });
    if (early.text().find("cannot reserve 2097152 bytes: ") != 0) ::_exit(not_early);
    const Error late = error_of([&] { OutputFile(scratch.path("out"), {}).write(pattern(2 << 20)); });
    if (late.text().find("write failed: ") != 0) ::_exit(not_late);
    ::_exit(scratch.names().empty() ? good : something_left);
  }));
}

TEST(OutputFile, MountPointsAreRefusedAtOnce) {
  const Scratch scratch;
  put(scratch.path("out"), "below");
  put(scratch.path("over"), "above");
  expect_good(in_child([&] {
    if (!mounts_alone() ||
        ::mount(scratch.path("over").c_str(), scratch.path("out").c_str(), nullptr, MS_BIND, nullptr) != 0)
      ::_exit(cannot_mount);
    const Error error = error_of([&] { OutputFile(scratch.path("out"), {.replace = true}); });
    ::_exit(error.text() == "is a mount point, which cannot be replaced" ? good : not_refused);
  }));
}

void write_in_parts(OutputFile& file, std::span<const std::byte> bytes) {
  constexpr std::size_t kPart = (3 << 20) + 600'000;  // the second one's last page does not fit
  if (!file.begin_parts(bytes.size())) ::_exit(98);
  threads::ThreadPool(4).for_each((bytes.size() + kPart - 1) / kPart, [&](std::size_t i) {
    file.part(i * kPart)->write(bytes.subspan(i * kPart, std::min(kPart, bytes.size() - i * kPart)));
  });
  file.advance(bytes.size());
}

// Several threads fill mapped pages. A missing page would end the process with SIGBUS.
TEST(OutputFile, FullFileSystemIsAnErrorForManyThreadsToo) {
  const Scratch scratch;
  expect_good(in_child([&] {
    if (!mount_small(scratch.directory(), 7)) ::_exit(cannot_mount);
    for (const std::size_t bytes : {(7u << 20) + 1, 8u << 20, 15u << 20}) {
      for (const bool in_parts : {false, true}) {
        const Error full = error_of([&] {
          OutputFile file(scratch.path("out"), {.threads = 16});
          in_parts ? write_in_parts(file, pattern(bytes)) : file.write(pattern(bytes));
        });
        if (full.text() != system_error("write failed", ENOSPC).text()) ::_exit(not_refused);
        if (!scratch.names().empty()) ::_exit(something_left);
      }
    }
    // A page for each thread stays free: where two write to one page at a time, tmpfs takes two and gives one
    // back.
    const Bytes nearly_all = pattern((7 << 20) - 16 * 4096);
    OutputFile file(scratch.path("out"), {.threads = 16});
    write_in_parts(file, nearly_all);
    file.commit();
    ::_exit(read_file(scratch.path("out")) == nearly_all ? good : not_filled);
  }));
}

TEST(OutputFile, LimitOfAFilesSizeIsAnErrorForManyThreadsToo) {
  const Scratch scratch(memory_directory());
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

// The signal comes while other threads are somewhere between creating and committing files.
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
            ::pause();  // the process is about to end
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
  file.write(bytes_of("text"));
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

// There are 1024 slots: one that stays taken after a failure would be missed soon.
TEST(OutputFile, WhatIsNotMadeAfterUnlinkTemporariesTakesNoSlot) {
  const Scratch scratch;
  const int status = in_child([&] {
    unlink_temporaries();
    for (int i = 0; i < 1100; ++i) {
      const Error file = error_of([&] { OutputFile(scratch.path("out"), {}); });
      const Error foreign = error_of([&] { ForeignTemporary(scratch.path("out")); });
      if (file.code() != Errc::interrupted || foreign.code() != Errc::interrupted) ::_exit(1);
    }
    ::_exit(0);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fugu::stream
