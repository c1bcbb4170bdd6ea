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

// Huge pages or mappings that cannot be had: written the other way. What the kernel refuses once it is not
// asked for again, unless it was busy.
TEST_F(SharedFaults, WritesGoOnWithoutHugePages) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  const Bytes bytes = pattern(20 * kMiB + 77);
  for (const auto& [call, error, passing, times] : {std::tuple{Call::madvise, EINVAL, 0, 1},
                                                    {Call::madvise, EINVAL, 3, 1000},
                                                    {Call::madvise, ENOMEM, 2, 1},
                                                    {Call::madvise, EAGAIN, 2, 3},
                                                    {Call::pwrite, EINTR, 0, 3},
                                                    {Call::mmap, ENOMEM, 0, 1},
                                                    {Call::mmap, ENODEV, 0, 1000}}) {
    OutputFile file(path_, {.replace = true, .threads = kThreads});
    faults::order(call, error, passing, times);
    write_in_steps(file, bytes);
    EXPECT_GT(faults::failed(call), 0) << error;
    faults::clear();
    file.commit();
    EXPECT_TRUE(read_file(path_) == bytes) << error;
  }
}

TEST_F(SharedFaults, WriteErrorsSurfaceAndNothingIsLeft) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  const Bytes bytes = pattern(20 * kMiB);
  for (const int error : {ENOSPC, EIO, EDQUOT}) {
    {
      OutputFile file(path_, {.threads = kThreads});
      faults::order(Call::pwrite, error, 3, 1000);
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
  faults::order(Call::madvise, EAGAIN, 0, 1000);
  faults::order(Call::pwrite, EINTR, 3, 5);
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
