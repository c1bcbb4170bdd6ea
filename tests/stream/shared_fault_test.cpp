// Reads and writes that several threads share fail with the same errors as others.
#include <cerrno>

#include "stream/faults.hpp"
#include "stream/shared.hpp"

namespace fugu::stream {
namespace {

using faults::Call;

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
