#include "fugu/stream/posix/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <system_error>

#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {
namespace {

// A write to a pipe without a reader raises SIGPIPE in the writing thread, which ends the process by default.
// The signal is blocked here, and removed from the pending signals unless it was pending before.
class PipeSignalGuard {
 public:
  PipeSignalGuard() noexcept : block_(platform::signals_of({SIGPIPE})), was_pending_(is_pending()) {}

  ~PipeSignalGuard() {
    if (was_pending_ || !is_pending()) return;
    const sigset_t signals = platform::signals_of({SIGPIPE});
    const timespec at_once{};
    retry_interrupted([&] { return sigtimedwait(&signals, nullptr, &at_once); });
  }

  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  static bool is_pending() noexcept {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
  }

  platform::SignalBlock block_;
  bool was_pending_;
};

class DescriptorSink final : public Sink {
 public:
  DescriptorSink(int descriptor, std::uint64_t* written) : descriptor_(descriptor), written_(written) {}

  void write(std::span<const std::byte> from) override { write_all(descriptor_, from, written_); }

  // A network file system reports a failed write when a descriptor of the file is closed: close a copy.
  void finish() override {
    Descriptor copy(::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
    if (!copy) throw system_error("write failed", errno);
    copy.close_checked();
  }

 private:
  int descriptor_;
  std::uint64_t* written_;
};

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void Descriptor::close_checked() {
  // Linux releases the number even when close() fails or is interrupted: never call it twice.
  if (::close(std::exchange(number_, -1)) != 0 && errno != EINTR) throw system_error("close failed", errno);
}

void wait_for(int descriptor, short events, int cancel) {
  pollfd waits[2] = {{descriptor, events, 0}, {cancel, POLLIN, 0}};
  if (retry_interrupted([&] { return ::poll(waits, 2, -1); }) < 0)
    throw system_error("waiting failed", errno);
  if (waits[1].revents != 0) throw Error(Errc::interrupted, "reading was cancelled");
}

std::size_t read_some(int descriptor, std::span<std::byte> into) {
  for (;;) {
    const ssize_t got = retry_interrupted([&] { return ::read(descriptor, into.data(), into.size()); });
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EAGAIN) throw system_error("read failed", errno);
    wait_for(descriptor, POLLIN);
  }
}

void write_all(int descriptor, std::span<const std::byte> from, std::uint64_t* written) {
  const PipeSignalGuard guard;
  while (!from.empty()) {
    const ssize_t put = retry_interrupted([&] { return ::write(descriptor, from.data(), from.size()); });
    if (put >= 0) {
      from = from.subspan(static_cast<std::size_t>(put));
      if (written != nullptr) *written += static_cast<std::uint64_t>(put);
    } else if (errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
    } else {
      throw system_error("write failed", errno);
    }
  }
}

std::filesystem::path output_target(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // the kernel's own limit
  std::error_code none;
  for (int i = 0; i < kMaxLinks; ++i) {
    const std::filesystem::path to = std::filesystem::read_symlink(path, none);
    if (none) return path;
    path = path.parent_path() / to;
  }
  throw system_error("cannot open", ELOOP);
}

std::unique_ptr<Sink> to_descriptor(int descriptor, std::uint64_t* written) {
  return std::make_unique<DescriptorSink>(descriptor, written);
}

}  // namespace fugu::stream
