// Sources: files of every kind, slow pipes, interrupting signals.
#include "fugu/stream/source.hpp"

#include <sys/time.h>

#include <csignal>

#include "fugu/stream/pump.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

using Sources = InScratch;

TEST_F(Sources, ReadsAFileWhole) {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 1000, 300'000}) {
    write_file(path_, pattern(bytes));
    const std::unique_ptr<Source> source = open_file(path_);
    EXPECT_EQ(source->size_bytes(), bytes);
    EXPECT_EQ(read_all(*source, 1009), pattern(bytes));
    Bytes more(1);
    EXPECT_EQ(source->read(more), 0u);
  }
}

TEST_F(Sources, RefusesDirectoriesAndWhatIsMissing) {
  EXPECT_EQ(error_of([&] { open_file(scratch_.directory()); }).text(), "is a directory");
  const Error missing = error_of([&] { open_file(scratch_.path("missing")); });
  EXPECT_EQ(missing.code(), Errc::io);
  EXPECT_EQ(missing.text().find("cannot open: "), 0u);
  EXPECT_EQ(missing.text().find("missing"), std::string::npos) << "the path is the caller's to name";
  EXPECT_EQ(error_of([] { from_descriptor(-1); }).code(), Errc::io);
}

TEST_F(Sources, DescriptorsAreReadFromTheirPosition) {
  write_file(path_, pattern(1000));
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(descriptor, 300, SEEK_SET), 300);
  const std::unique_ptr<Source> source = from_descriptor(descriptor);
  EXPECT_EQ(source->size_bytes(), 700u);
  Bytes tail(700);
  EXPECT_TRUE(source->read_at(tail, 0));
  Bytes too_much(701);
  EXPECT_FALSE(source->read_at(too_much, 0));
  Bytes middle(100);
  EXPECT_TRUE(source->read_at(middle, 600));
  EXPECT_TRUE(std::equal(middle.begin(), middle.end(), tail.begin() + 600));
  EXPECT_FALSE(source->read_at(middle, 601));
  EXPECT_FALSE(source->read_at(middle, kNever));
  EXPECT_EQ(read_all(*source), tail);
  EXPECT_EQ(tail[0], std::byte{300 - 251});
  EXPECT_EQ(::close(descriptor), 0);
}

TEST_F(Sources, ReadAtLeavesThePosition) {
  write_file(path_, pattern(1000));
  const std::unique_ptr<Source> source = open_file(path_);
  Bytes head(10);
  ASSERT_EQ(source->read(head), 10u);
  Bytes tail(16);
  ASSERT_TRUE(source->read_at(tail, 984));
  EXPECT_EQ(tail[15], std::byte{999 % 251});
  EXPECT_EQ(tail[0], std::byte{984 % 251});
  EXPECT_EQ(read_all(*source).size(), 990u);
}

TEST_F(Sources, PipesHaveNoSizeAndCannotSeek) {
  const Pipe pipe;
  const std::unique_ptr<Source> source = from_descriptor(pipe.read_end());
  Bytes tail(1);
  EXPECT_EQ(source->size_bytes(), std::nullopt);
  EXPECT_FALSE(source->read_at(tail, 0));
}

TEST_F(Sources, PrependGivesTheHeadBack) {
  write_file(path_, pattern(1000));
  for (const std::size_t step : std::initializer_list<std::size_t>{1, 7, 16, 17, 2000}) {
    std::unique_ptr<Source> file = open_file(path_);
    const std::optional<FileId> id = file->file_id();
    Bytes head(16);
    ASSERT_EQ(file->read(head), 16u);
    const std::unique_ptr<Source> whole = prepend(head, std::move(file));
    EXPECT_EQ(whole->size_bytes(), 1000u);
    EXPECT_EQ(whole->file_id(), id);
    EXPECT_EQ(read_all(*whole, step), pattern(1000));
  }
}

TEST_F(Sources, OffsetIsThatOfTheNextByteAndAdvances) {
  const Bytes bytes = pattern(1000);
  write_file(path_, bytes);
  const auto expect_at = [&](Source& source, std::uint64_t offset) {
    ASSERT_EQ(source.offset(), offset);
    Bytes seen(3);
    ASSERT_TRUE(source.read_at(seen, offset));
    EXPECT_EQ(seen, test::slice(bytes, offset, offset + 3));
  };
  std::unique_ptr<Source> file = open_file(path_);
  expect_at(*file, 0);
  Bytes head(16);
  ASSERT_EQ(file->read(head), 16u);
  expect_at(*file, 16);
  const std::unique_ptr<Source> whole = prepend(head, std::move(file));
  const std::unique_ptr<Source> lent = borrow(*whole);
  expect_at(*lent, 0);
  Bytes part(5);
  ASSERT_EQ(lent->read(part), 5u);
  expect_at(*lent, 5);
  lent->advance(4);
  expect_at(*lent, 9);
  lent->advance(91);  // beyond the head
  expect_at(*lent, 100);
  lent->advance(400);
  expect_at(*lent, 500);
  EXPECT_EQ(read_all(*lent), Bytes(bytes.begin() + 500, bytes.end()));
  EXPECT_EQ(open_file("/dev/null")->offset(), std::nullopt);
}

TEST_F(Sources, IdentityIsTheFileNotItsName) {
  write_file(path_, pattern(1));
  write_file(scratch_.path("other"), pattern(1));
  std::filesystem::create_symlink(path_, scratch_.path("symbolic"));
  std::filesystem::create_hard_link(path_, scratch_.path("hard"));
  const std::optional<FileId> id = open_file(path_)->file_id();
  ASSERT_TRUE(id);
  EXPECT_EQ(open_file(scratch_.path("symbolic"))->file_id(), id);
  EXPECT_EQ(open_file(scratch_.path("hard"))->file_id(), id);
  EXPECT_NE(open_file(scratch_.path("other"))->file_id(), id);
  EXPECT_EQ(open_file("/dev/null")->file_id(), std::nullopt);
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(file_id_of(descriptor), id);
  EXPECT_EQ(::close(descriptor), 0);
}

TEST_F(Sources, NonBlockingPipesAreWaitedFor) {
  Pipe pipe(O_NONBLOCK);
  const Bytes bytes = pattern(300'000);
  std::thread feeder([&] {
    const std::unique_ptr<Sink> sink = to_descriptor(pipe.write_end());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    sink->write(bytes);  // more than a pipe holds, so the writer must wait as well
    pipe.close_write_end();
  });
  EXPECT_EQ(read_all(*from_descriptor(pipe.read_end()), 100'000), bytes);
  feeder.join();
}

TEST_F(Sources, CancelEndsAReadThatWaits) {
  const Pipe pipe;
  const std::unique_ptr<Source> source = from_descriptor(pipe.read_end());
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source->cancel();
  });
  Bytes into(10);
  EXPECT_EQ(error_of([&] { source->read(into); }).code(), Errc::interrupted);
  canceller.join();
}

// A timer that interrupts this thread's system calls many times per millisecond. Its handler does not ask for
// restarts.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, &before_);
    start_timer(100);
  }
  ~SignalStorm() {
    start_timer(0);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;

 private:
  static void start_timer(suseconds_t microseconds) {
    const itimerval timer{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }
  struct sigaction before_ {};
};

// Moves bytes through a pipe while signals interrupt the side that runs on this thread.
void through_a_storm(bool reading_here) {
  Pipe pipe;
  const Bytes bytes = pattern(400'000);
  sigset_t all;
  sigfillset(&all);
  Bytes received;
  const auto write_slowly = [&] {
    const std::unique_ptr<Sink> sink = to_descriptor(pipe.write_end());
    for (std::size_t at = 0; at < bytes.size(); at += 10'000) {
      if (reading_here) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      sink->write(std::span(bytes).subspan(at, 10'000));
    }
    pipe.close_write_end();
  };
  const auto read_slowly = [&] {
    const std::unique_ptr<Source> source = from_descriptor(pipe.read_end());
    Bytes part(40'000);
    while (const std::size_t got = source->read(part)) {
      EXPECT_EQ(got, part.size()) << "only the end shortens a read";
      if (!reading_here) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      received.insert(received.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    }
  };
  std::thread other([&] {
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    reading_here ? write_slowly() : read_slowly();
  });
  {
    const SignalStorm storm;
    reading_here ? read_slowly() : write_slowly();
  }
  other.join();
  EXPECT_EQ(received, bytes);
}

TEST_F(Sources, SignalsDoNotShortenReads) {
  through_a_storm(true);
}
TEST_F(Sources, SignalsDoNotShortenWrites) {
  through_a_storm(false);
}

TEST_F(Sources, OffsetsBeyondFourGibibytes) {
  constexpr off_t kMark = (off_t{1} << 32) + 12345;
  constexpr std::uint64_t kBytes = std::uint64_t{5} << 30;
  std::string path = memory_directory() / "fugu-test-XXXXXX";  // where holes are read fastest
  const int descriptor = ::mkstemp(path.data());
  ASSERT_GE(descriptor, 0);
  ::unlink(path.c_str());
  ASSERT_EQ(::ftruncate(descriptor, static_cast<off_t>(kBytes)), 0);
  ASSERT_EQ(::pwrite(descriptor, "mark", 4, kMark), 4);
  ASSERT_EQ(::pwrite(descriptor, "end", 3, static_cast<off_t>(kBytes) - 3), 3);

  const std::unique_ptr<Source> source = from_descriptor(descriptor);
  EXPECT_EQ(source->size_bytes(), kBytes);
  Bytes tail(3);
  EXPECT_TRUE(source->read_at(tail, kBytes - 3));
  EXPECT_EQ(text_of(tail), "end");
  Bytes mark(4);
  EXPECT_TRUE(source->read_at(mark, static_cast<std::uint64_t>(kMark)));
  EXPECT_EQ(text_of(mark), "mark");

  std::vector<Bytes> memory(3, Bytes(std::size_t{1} << 20));
  const std::vector<std::span<std::byte>> ring(memory.begin(), memory.end());
  std::uint64_t at = 0;
  PumpCounters counters;
  const auto look = [&](std::span<std::byte> chunk, std::size_t bytes, bool last) {
    const std::uint64_t offset = static_cast<std::uint64_t>(kMark);
    if (offset >= at && offset < at + bytes) {
      EXPECT_EQ(text_of(chunk.subspan(static_cast<std::size_t>(offset - at), 4)), "mark");
    }
    at += bytes;
    EXPECT_EQ(last, at == kBytes);
    return bytes;
  };
  pump(*source, *discard(), ring, look, {.reserve_bytes = 0, .counters = &counters});
  EXPECT_EQ(counters.bytes_read, kBytes);
  EXPECT_EQ(counters.bytes_written, kBytes);
  EXPECT_EQ(::close(descriptor), 0);
}

}  // namespace
}  // namespace fugu::stream
