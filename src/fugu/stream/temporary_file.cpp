#include "fugu/stream/detail/temporary_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>  // renameat2
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/detail/file_status.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::stream {
namespace {

enum State : int { free_slot, creating, live };

struct Slot {
  std::atomic<int> state = free_slot;
  std::atomic<int> directory = -1;
  std::atomic<pid_t> process = 0;  // a forked child must not remove its parent's files
  std::atomic<std::uint64_t> bits = 0;
};

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free,
              "a signal handler reads the registry");

constinit std::array<Slot, 1024> registry;
constinit std::atomic<bool> closed = false;  // set by unlink_temporaries(), never cleared

using Name = std::array<char, 24>;  // ".fugu-0123456789abcdef"

// Async-signal-safe.
Name name_of(std::uint64_t bits) noexcept {
  Name name{'.', 'f', 'u', 'g', 'u', '-'};
  for (std::size_t i = 0; i < 16; ++i) name[6 + i] = "0123456789abcdef"[(bits >> (60 - 4 * i)) & 15];
  return name;
}

// Async-signal-safe.
void unlink_slot(const Slot& slot) noexcept {
  if (slot.process != ::getpid()) return;
  ::unlinkat(slot.directory, name_of(slot.bits).data(), 0);
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  const ssize_t got = retry_interrupted([&] { return ::getrandom(&bits, sizeof bits, 0); });
  if (got != sizeof bits) throw system_error("no randomness for a temporary name", errno);
  return bits;
}

std::size_t claim_slot() {
  for (std::size_t i = 0; i < registry.size(); ++i) {
    int expected = free_slot;
    if (!registry[i].state.compare_exchange_strong(expected, creating)) continue;
    // Before `closed` is read: unlink_temporaries() writes that and reads this, so that one sees the other.
    registry[i].process = ::getpid();
    return i;
  }
  throw Error(Errc::io, "too many output files at once");
}

int create_exclusively(int directory, const Name& name, mode_t mode) noexcept {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  return retry_interrupted([&] { return ::openat(directory, name.data(), kFlags, mode); });
}

// rename(2) that fails with EEXIST instead of replacing.
int rename_without_replacing(int directory, const char* from, const char* to) noexcept {
  if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // File systems that cannot: a hard link never replaces either, and for a moment both names are the whole
  // file.
  if (::linkat(directory, from, directory, to, 0) != 0) return -1;
  return ::unlinkat(directory, from, 0);
}

}  // namespace

TemporaryFile::TemporaryFile(Descriptor directory) : directory_(std::move(directory)) {
  // unlink_temporaries() waits for slots in `creating`: were it to run on this thread, it would wait for
  // itself.
  const SignalBlock block(asynchronous_signals());
  slot_ = claim_slot();
  Slot& slot = registry[slot_];
  try {
    if (closed) throw Error(Errc::interrupted, "stopped");
    create();
  } catch (...) {
    slot.state = free_slot;
    throw;
  }
  slot.state = live;
}

// A first file of that name exists only to ask the system what mode a new file gets, since reading the umask
// would change it for other threads. The second one is never open to others: they may hold the first.
void TemporaryFile::create() {
  Slot& slot = registry[slot_];
  slot.directory = directory_.get();
  slot.bits = random_bits();
  const Name name = name_of(slot.bits);
  Descriptor probe(create_exclusively(directory_.get(), name, 0777));
  if (!probe) throw system_error("cannot create a file", errno);
  const auto unlink_probe = [&] { return ::unlinkat(directory_.get(), name.data(), 0); };
  try {
    permitted_ = status_of(probe.get()).st_mode & 0777;
  } catch (...) {
    unlink_probe();
    throw;
  }
  if (unlink_probe() != 0) throw system_error("cannot remove a file", errno);
  file_ = Descriptor(create_exclusively(directory_.get(), name, 0600));
  if (!file_) throw system_error("cannot create a file", errno);
}

TemporaryFile::~TemporaryFile() {
  Slot& slot = registry[slot_];
  unlink_slot(slot);  // after publish() no file has that name
  slot.state = free_slot;
}

void TemporaryFile::publish(const std::string& name, bool replace) {
  if (retry_interrupted([&] { return ::fsync(file_.get()); }) != 0) throw system_error("sync failed", errno);
  file_.close_checked();
  rename_to(name.c_str(), replace);
  published_ = true;
  sync_directory();
}

void TemporaryFile::rename_to(const char* name, bool replace) {
  const Name own = name_of(registry[slot_].bits);
  const int directory = directory_.get();
  const int result = replace ? ::renameat(directory, own.data(), directory, name)
                             : rename_without_replacing(directory, own.data(), name);
  if (result == 0) return;
  if (errno == EEXIST) throw Error(Errc::io, "appeared while it was written; not overwritten (use -f)");
  if (!replace && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)) {
    throw Error(Errc::io, "this file system cannot refuse to overwrite what appears meanwhile; use -f");
  }
  throw system_error("rename failed", errno);
}

void TemporaryFile::sync_directory() const {
  // EINVAL: file systems whose directories cannot be synced alone.
  if (retry_interrupted([&] { return ::fsync(directory_.get()); }) == 0 || errno == EINVAL) return;
  throw system_error("sync failed", errno);
}

void unlink_temporaries() noexcept {
  const int errno_of_the_interrupted = errno;
  closed = true;
  for (const Slot& slot : registry) {
    // Another thread is between two system calls of create(): at most 200 ms, then it is stuck in one of
    // them.
    for (int i = 0; i < 200 && slot.state == creating && slot.process == ::getpid(); ++i)
      ::poll(nullptr, 0, 1);
    if (slot.state != free_slot) unlink_slot(slot);
  }
  errno = errno_of_the_interrupted;
}

}  // namespace fugu::stream
