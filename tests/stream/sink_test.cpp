// Sinks that do not make files.
#include "fugu/stream/sink.hpp"

#include <csignal>

#include "stream/memory.hpp"
#include "stream/pipe.hpp"
#include "stream/scratch.hpp"
#include "support/testing.hpp"

namespace fugu::stream {
namespace {

std::unique_ptr<Sink> compare_with_text(std::string_view expected) {
  return compare_with(std::make_unique<FaultySource>(bytes_of(expected)));
}

TEST(Sink, FullDeviceIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Error error = error_of([&] { to_descriptor(full)->write(pattern(1)); });
  EXPECT_EQ(error.code(), Errc::io);
  EXPECT_EQ(error.text().find("write failed: "), 0u);
  EXPECT_EQ(::close(full), 0);
}

TEST(Sink, ClosedDescriptorIsAnErrorAtTheLatestInFinish) {
  EXPECT_EQ(error_of([] { to_descriptor(-1)->write(pattern(1)); }).code(), Errc::io);
  EXPECT_EQ(error_of([] { to_descriptor(-1)->finish(); }).code(), Errc::io);
}

TEST(Sink, FinishLeavesTheDescriptorOpen) {
  const Pipe pipe;
  to_descriptor(pipe.write_end())->finish();
  EXPECT_EQ(::write(pipe.write_end(), "x", 1), 1);
}

// SIGPIPE has its default action here, so a signal would end this process.
TEST(Sink, BrokenPipeRaisesNoSignal) {
  Pipe pipe;
  pipe.close_read_end();
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  const Error error = error_of([&] { to_descriptor(pipe.write_end())->write(pattern(1)); });
  EXPECT_EQ(error.code(), Errc::io);
  sigset_t pending;
  ASSERT_EQ(::sigpending(&pending), 0);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
  sigset_t mask;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  EXPECT_EQ(::sigismember(&mask, SIGPIPE), 0);
}

TEST(Sink, CompareAcceptsWhatIsEqual) {
  const Bytes bytes = pattern(700'000);
  for (const std::size_t step : std::initializer_list<std::size_t>{1000, 262'144, 700'000}) {
    const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(bytes));
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      sink->write(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    }
    sink->finish();
  }
  compare_with_text("")->finish();
}

TEST(Sink, CompareNamesTheFirstDifference) {
  Bytes bytes = pattern(700'000);
  const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(bytes));
  bytes[654'321] ^= std::byte{1};
  bytes[699'999] ^= std::byte{1};
  const Error error = error_of([&] { sink->write(bytes); });
  EXPECT_EQ(error.code(), Errc::mismatch);
  EXPECT_EQ(error.text(), "its plaintext differs at byte 654321");
}

TEST(Sink, CompareNamesWhatIsLonger) {
  const std::unique_ptr<Sink> early = compare_with_text("abc");
  early->write(bytes_of("ab"));
  EXPECT_EQ(error_of([&] { early->finish(); }).text(), "ends early at byte 2");
  const std::unique_ptr<Sink> late = compare_with_text("ab");
  const Error error = error_of([&] { late->write(bytes_of("abc")); });
  EXPECT_EQ(error.code(), Errc::mismatch);
  EXPECT_EQ(error.text(), "goes on past the expected end at byte 2");
}

TEST(Sink, CompareReportsReadErrorsAsSuch) {
  const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(pattern(10), 5));
  EXPECT_EQ(error_of([&] { sink->write(pattern(10)); }).code(), Errc::io);
}

}  // namespace
}  // namespace fugu::stream
