// Reads and writes that several threads share, failing: the same errors.
#include <cerrno>
#include <tuple>

#include "stream/faults.hpp"
#include "stream/shared.hpp"

namespace fugu::stream {
namespace {

using faults::Call;
using Names = std::vector<std::string>;

class SharedFaults : public SharedTransfer {
 protected:
  void TearDown() override { faults::clear(); }
};

// A file system that cannot reserve, or a mapping that cannot be had: written the other way.
TEST_F(SharedFaults, WritesGoOnWithoutMappings) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  const Bytes bytes = pattern(20 * kMiB + 77);
  for (const auto& [call, error, times] : {std::tuple{Call::fallocate, EOPNOTSUPP, 1000},
                                           {Call::fallocate, ENOMEM, 1},
                                           {Call::fallocate, EINTR, 3},
                                           {Call::mmap, ENOMEM, 1},
                                           {Call::mmap, ENODEV, 1000}}) {
    OutputFile file(path_, {.replace = true, .threads = kThreads});
    faults::order(call, error, 0, times);
    write_in_steps(file, bytes);
    EXPECT_GT(faults::failed(call), 0);
    faults::clear();
    file.commit();
    EXPECT_TRUE(read_file(path_) == bytes) << error;
  }
}

// What fallocate(2) refuses write(2) refuses as well, and its error is the one that is told.
TEST_F(SharedFaults, WriteErrorsSurfaceAndNothingIsLeft) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  const Bytes bytes = pattern(20 * kMiB);
  for (const int error : {ENOSPC, EIO, EDQUOT}) {
    {
      OutputFile file(path_, {.threads = kThreads});
      faults::order(Call::fallocate, error, 1, 1000);
      faults::order(Call::write, error, 1);
      const Error failure = error_of([&] { write_in_steps(file, bytes); });
      EXPECT_EQ(failure.code(), Errc::io);
      EXPECT_EQ(failure.text(), system_error("write failed", error).text());
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
  faults::order(Call::mmap, ENODEV, 0, 1000);
  faults::order(Call::write, EINTR, 3, 5);
  OutputFile file(path_, {.threads = kThreads});
  write_in_steps(file, bytes);
  file.commit();
  faults::order(Call::pread, EINTR, 3, 5);
  Bytes got(bytes.size());
  EXPECT_EQ(open_file(path_, kThreads)->read(got), got.size());
  EXPECT_EQ(faults::failed(Call::pread), 5);
  EXPECT_TRUE(got == bytes);
}

}  // namespace
}  // namespace fugu::stream
