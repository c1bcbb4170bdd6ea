// Every system call that can fail does fail.
#include <cerrno>

#include "fugu/stream/pump.hpp"
#include "fugu/stream/tree.hpp"
#include "stream/faults.hpp"
#include "stream/shared.hpp"

namespace fugu::stream {
namespace {

using faults::Call;

// The file system makes no files without a name.
class Faults : public InScratch {
 protected:
  void SetUp() override { faults::allow_unnamed_files(false); }
  void TearDown() override {
    faults::clear();
    faults::allow_unnamed_files(true);
  }

  // Writes one whole output and expects commit() to fail, the target to be unchanged, and no other file.
  void expect_commit_fails(Call call, int error_number, const std::string& text, bool replace) {
    if (replace) write_file(path_, bytes_of("old"));
    {
      OutputFile file(path_, {.replace = replace});
      file.write(bytes_of("new"));
      faults::order(call, error_number);
      const Error error = error_of([&] { file.commit(); });
      EXPECT_EQ(error.code(), Errc::io);
      EXPECT_EQ(error.text().substr(0, text.size()), text);
    }
    faults::clear();
    EXPECT_EQ(scratch_.names(), replace ? Names{"out"} : Names{});
    if (replace) {
      EXPECT_EQ(text_of(read_file(path_)), "old");
    }
  }
};

// The file system makes files without a name.
class UnnamedFaults : public Faults {
 protected:
  void SetUp() override {
    const int made = ::open(scratch_.directory().c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (made < 0) GTEST_SKIP() << "this file system makes no files without a name";
    ::close(made);
  }
};

TEST_F(Faults, ReadErrorIsNotAnEnd) {
  write_file(path_, pattern(1000));
  const std::unique_ptr<Source> source = open_file(path_);
  faults::limit_transfers(100);
  faults::order(Call::read, EIO, 5);
  Bytes into(1000);
  expect_fails(Errc::io, system_error("read failed", EIO).text(), [&] { source->read(into); });
}

TEST_F(Faults, ShortInterruptedAndRefusedReadsAreContinued) {
  write_file(path_, pattern(1000));
  for (const int error : {EINTR, EAGAIN}) {
    const std::unique_ptr<Source> source = open_file(path_);
    faults::limit_transfers(7);
    faults::order(Call::read, error, 3, 50);
    Bytes into(1000);
    EXPECT_EQ(source->read(into), 1000u);
    EXPECT_EQ(faults::failed(Call::read), 50);
    faults::clear();
    EXPECT_EQ(into, pattern(1000));
  }
}

TEST_F(Faults, ShortInterruptedAndRefusedWritesAreContinued) {
  for (const int error : {EINTR, EAGAIN}) {
    OutputFile file(path_, {.replace = true});
    faults::limit_transfers(7);
    faults::order(Call::pwrite, error, 3, 50);
    file.write(pattern(1000));
    EXPECT_EQ(faults::failed(Call::pwrite), 50);
    faults::clear();
    file.commit();
    EXPECT_EQ(read_file(path_), pattern(1000));
  }
}

TEST_F(Faults, NothingIsCommittedAfterAWriteThatFailed) {
  {
    OutputFile file(path_, {});
    faults::limit_transfers(100);
    faults::order(Call::pwrite, ENOSPC, 5);
    EXPECT_EQ(error_of([&] { file.write(pattern(1000)); }).text().find("write failed: "), 0u);
    faults::clear();
    EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
  }
  EXPECT_EQ(scratch_.names(), Names{});
}

TEST_F(Faults, CommitFailsWithEachOfItsCalls) {
  for (const bool replace : {false, true}) {
    SCOPED_TRACE(replace);
    expect_commit_fails(Call::fsync, EIO, "sync failed: ", replace);
    expect_commit_fails(Call::fchmod, EIO, "cannot set permissions: ", replace);
  }
  expect_commit_fails(Call::renameat, EIO, "rename failed: ", true);
}

TEST_F(Faults, ATemporaryNameTellsItsTarget) {
  OutputFile file(path_, {});
  ASSERT_EQ(scratch_.names().size(), 1u);
  EXPECT_THAT(scratch_.names()[0], ::testing::MatchesRegex("\\.out\\.fugu-[0-9a-f]+"));
}

TEST_F(Faults, LongNamesAreCutBetweenCharactersForTheTemporaryFile) {
  std::string name = "x";
  while (name.size() + 2 <= 255) name += "\u00e9";  // two bytes each
  OutputFile file(scratch_.path(name), {});
  ASSERT_EQ(scratch_.names().size(), 1u);
  const std::string temporary = scratch_.names()[0];
  EXPECT_EQ(temporary.size(), 254u);
  EXPECT_EQ(temporary.substr(1, 231), name.substr(0, 231));
  file.commit();
  EXPECT_EQ(scratch_.names(), Names{name});
}

TEST_F(UnnamedFaults, CommitFailsWithEachOfItsCalls) {
  for (const bool replace : {false, true}) {
    SCOPED_TRACE(replace);
    expect_commit_fails(Call::fsync, EIO, "sync failed: ", replace);
    expect_commit_fails(Call::fchmod, EIO, "cannot set permissions: ", replace);
    expect_commit_fails(Call::close, EDQUOT, "close failed: ", replace);
    expect_commit_fails(Call::linkat, EIO, "link failed: ", replace);
  }
  expect_commit_fails(Call::renameat, EIO, "rename failed: ", true);
}

TEST_F(UnnamedFaults, NothingHasANameBeforeItIsWhole) {
  for (const bool replace : {false, true}) {
    OutputFile file(path_, {.replace = replace});
    file.write(bytes_of("new"));
    EXPECT_EQ(scratch_.names(), replace ? Names{"out"} : Names{});
    file.commit();
    EXPECT_EQ(scratch_.names(), Names{"out"});
  }
}

TEST_F(UnnamedFaults, WhatCannotBeNamedLaterIsNamedAtOnce) {
  faults::order(Call::linkat, ENOENT);  // as without /proc
  OutputFile file(path_, {});
  EXPECT_EQ(faults::failed(Call::linkat), 1);
  EXPECT_EQ(scratch_.names().size(), 1u);
  file.write(bytes_of("new"));
  file.commit();
  EXPECT_EQ(scratch_.names(), Names{"out"});
  EXPECT_EQ(text_of(read_file(path_)), "new");
}

TEST_F(Faults, RenameWithoutReplacingFails) {
  expect_commit_fails(Call::renameat2, EIO, "rename failed: ", false);
}

TEST_F(Faults, CloseErrorsSurface) {
  {
    OutputFile file(path_, {});
    file.write(bytes_of("new"));
    faults::order(Call::close, EDQUOT);
    EXPECT_EQ(error_of([&] { file.commit(); }).text().find("close failed: "), 0u);
    faults::clear();
  }
  EXPECT_EQ(scratch_.names(), Names{});
  const std::unique_ptr<Sink> sink = to_descriptor(1);
  faults::order(Call::close, EDQUOT);
  EXPECT_EQ(error_of([&] { sink->finish(); }).text().find("close failed: "), 0u);
}

TEST_F(Faults, InterruptedCloseIsDone) {
  OutputFile file(path_, {});
  faults::order(Call::close, EINTR);
  file.commit();
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Faults, DirectorySyncErrorsSurface) {
  OutputFile file(path_, {});
  faults::order(Call::fsync, EIO, 1);
  EXPECT_FALSE(file.has_its_name());
  EXPECT_EQ(error_of([&] { file.commit(); }).text().find("sync failed: "), 0u);
  EXPECT_TRUE(file.has_its_name());
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Faults, AFailedSyncOfASharedDirectoryIsToldToThoseItWasFor) {
  OutputDirectories directories;
  OutputFile first(path_, {.directories = &directories});
  OutputFile second(scratch_.path("later"), {.directories = &directories});
  faults::order(Call::fsync, EIO, 1);
  EXPECT_EQ(error_of([&] { first.commit(); }).text().find("sync failed: "), 0u);
  EXPECT_NO_THROW(second.commit());
}

TEST_F(Faults, WhatADirectoryRefusesIsTriedOutOnce) {
  OutputDirectories directories;
  OutputFile(path_, {.directories = &directories}).commit();
  faults::order(Call::renameat2, EIO);  // the second file's call, when it gets its name
  OutputFile second(scratch_.path("later"), {.directories = &directories});
  EXPECT_EQ(faults::failed(Call::renameat2), 0);
  EXPECT_EQ(error_of([&] { second.commit(); }).text().find("rename failed: "), 0u);
}

TEST_F(Faults, DirectoriesThatCannotBeSyncedArePassedOver) {
  OutputFile file(path_, {});
  faults::order(Call::fsync, EINVAL, 1);
  EXPECT_NO_THROW(file.commit());
  EXPECT_EQ(faults::failed(Call::fsync), 1);
}

TEST_F(Faults, LinkTakesOverWhereRenameCannotRefuse) {
  for (const int error : {EINVAL, ENOSYS}) {
    faults::order(Call::renameat2, error, 0, 2);  // once as a trial, once when it is needed
    write_output(path_, bytes_of("new"));
    EXPECT_EQ(faults::failed(Call::renameat2), 2);
    EXPECT_EQ(scratch_.names(), Names{"out"});
    EXPECT_EQ(text_of(read_file(path_)), "new");
    std::filesystem::remove(path_);
  }
}

TEST_F(Faults, LinkDoesNotReplaceEither) {
  {
    OutputFile file(path_, {});
    write_file(path_, bytes_of("of another"));
    faults::order(Call::renameat2, EINVAL);
    EXPECT_EQ(error_of([&] { file.commit(); }).text(),
              "appeared while it was written; not overwritten (use ⟦f⟧)");
  }
  EXPECT_EQ(text_of(read_file(path_)), "of another");
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Faults, WithoutRenameAndLinkNothingIsRisked) {
  faults::order(Call::renameat2, EINVAL, 1);
  expect_commit_fails(Call::linkat, EPERM, "this file system cannot protect", false);
}

TEST_F(Faults, WithoutRenameAndLinkNothingIsBegun) {
  const auto order_both = [] {
    faults::order(Call::renameat2, EINVAL);
    faults::order(Call::linkat, EPERM);
  };
  order_both();
  const Error error = error_of([&] { OutputFile(path_, {}); });
  EXPECT_EQ(error.text(),
            "this file system cannot protect a file that appears meanwhile; to overwrite it, use ⟦f⟧");
  EXPECT_EQ(scratch_.names(), Names{});
  order_both();
  OutputFile(path_, {.replace = true}).commit();
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

TEST_F(Faults, WhatReachedAPipeIsCountedWhenTheRestFails) {
  const std::string fifo = scratch_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  OutputFile file(fifo, {});
  faults::limit_transfers(100);
  faults::order(Call::write, EIO, 3);
  EXPECT_EQ(error_of([&] { file.write(pattern(1000)); }).code(), Errc::io);
  EXPECT_EQ(file.written_bytes(), 300u);
  faults::clear();
  EXPECT_EQ(::close(reader), 0);
}

TEST_F(Faults, FullDiskShowsEarly) {
  faults::order(Call::fallocate, ENOSPC);
  const Error error = error_of([&] { OutputFile(path_, {}).reserve(123456); });
  if (faults::failed(Call::fallocate) == 0)
    GTEST_SKIP() << "the scratch directory is in memory: not reserved there";
  EXPECT_EQ(error.text().find("cannot reserve 123456 bytes: "), 0u);
  EXPECT_EQ(scratch_.names(), Names{});
}

TEST_F(Faults, FileSystemsThatCannotReserveAreWrittenAllTheSame) {
  faults::order(Call::fallocate, EOPNOTSUPP);
  OutputFile file(path_, {});
  file.reserve(1000);
  file.write(pattern(10));
  file.commit();
  EXPECT_EQ(read_file(path_), pattern(10));
}

// Either of the two calls fails.
TEST_F(Faults, AFileStaysWhereALinkCannotTakeItsPlace) {
  const auto tree = output_tree(scratch_.directory(), {.replace = true});
  for (const Call call : {Call::symlinkat, Call::renameat}) {
    for (const int passing : {0, 1}) {
      write_file(path_, bytes_of("old"));
      faults::order(call, ENOSPC, passing);
      try {
        tree->make_link({"out"}, "to");
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::io);
      }
      const bool failed = faults::failed(call) != 0;
      faults::clear();
      EXPECT_EQ(scratch_.names(), Names{"out"});
      EXPECT_EQ(std::filesystem::is_symlink(path_), !failed);
      if (failed) {
        EXPECT_EQ(text_of(read_file(path_)), "old");
      }
      std::filesystem::remove(path_);
    }
  }
}

TEST_F(Faults, FileSystemsWithoutPermissionsAreWrittenAllTheSame) {
  faults::order(Call::fchmod, EPERM);
  OutputFile(path_, {}).commit();
  EXPECT_EQ(faults::failed(Call::fchmod), 1);
  EXPECT_EQ(scratch_.names(), Names{"out"});
}

// Reads and writes that several threads share fail with the same errors as others.

class SharedFaults : public SharedTransfer {
 protected:
  void TearDown() override { faults::clear(); }
};

TEST_F(SharedFaults, WriteErrorsSurfaceAndNothingIsLeft) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  const Bytes bytes = pattern(20 * kMiB);
  for (const int error : {ENOSPC, EIO, EDQUOT}) {
    {
      OutputFile file(path_, {.threads = kThreads});
      faults::order(Call::pwrite, error, 3, 1000);
      expect_fails(Errc::io, system_error("write failed", error).text(),
                   [&] { write_in_steps(file, bytes); });
      faults::clear();
      EXPECT_EQ(error_of([&] { file.commit(); }).code(), Errc::io);
    }
    EXPECT_EQ(scratch_.names(), Names{});
  }
}

TEST_F(SharedFaults, ReadErrorsAreNoEnds) {
  write_file(path_, pattern(9 * kMiB));
  const std::unique_ptr<Source> source = open_file(path_, kThreads);
  faults::order(Call::pread, EIO, 4);
  Bytes into(9 * kMiB);
  EXPECT_EQ(error_of([&] { source->read(into); }).text(), system_error("read failed", EIO).text());
}

TEST_F(SharedFaults, ShortAndInterruptedTransfersAreContinued) {
  const Bytes bytes = pattern(9 * kMiB);
  faults::limit_transfers(100'000);
  faults::order(Call::pwrite, EINTR, 3, 5);
  OutputFile file(path_, {.threads = kThreads});
  write_in_steps(file, bytes);
  file.commit();
  faults::order(Call::pread, EINTR, 3, 5);
  Bytes got(bytes.size());
  EXPECT_EQ(open_file(path_, kThreads)->read(got), got.size());
  EXPECT_EQ(faults::failed(Call::pread), 5);
  EXPECT_TRUE(same_bytes(got, bytes));
}

}  // namespace
}  // namespace fugu::stream
