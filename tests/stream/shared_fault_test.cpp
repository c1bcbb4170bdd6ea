// Reads and writes that several threads share fail with the same errors as others.
#include <sys/mman.h>

#include <algorithm>
#include <array>
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

  // Returns whether the kernel can collapse pages to huge ones: old kernels and emulators do not.
  bool gathers() const {
    constexpr std::size_t kBytes = 2 * kMiB;
    constexpr int kCollapse = 25;  // MADV_COLLAPSE
    const Descriptor file(::open(scratch_.directory().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    void* room = ::mmap(nullptr, 2 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!file || ::ftruncate(file.get(), kBytes) != 0 || room == MAP_FAILED) return false;
    std::byte* aligned =
        static_cast<std::byte*>(room) + kBytes - reinterpret_cast<std::uintptr_t>(room) % kBytes;
    std::array<unsigned char, kBytes / 4096> pages{};
    const bool told = ::mmap(aligned, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(),
                             0) != MAP_FAILED &&
                      ::pwrite(file.get(), "", 1, 0) == 1 && ::madvise(aligned, kBytes, kCollapse) == 0 &&
                      ::mincore(aligned, kBytes, pages.data()) == 0;
    ::munmap(room, 2 * kBytes);
    return told && std::ranges::all_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
  }
};

// Without huge pages or mappings, files are written in the other way. After the kernel has refused a call it
// is not made again, unless the kernel was busy.
TEST_F(SharedFaults, WritesGoOnWithoutHugePages) {
  if (!in_memory()) GTEST_SKIP() << "no directory in memory: writes are not shared";
  if (!gathers()) GTEST_SKIP() << "no huge pages can be had, by an old kernel or under an emulator";
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
    EXPECT_TRUE(same_bytes(read_file(path_), bytes)) << error;
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
  EXPECT_TRUE(same_bytes(got, bytes));
}

}  // namespace
}  // namespace fugu::stream
