#include "stream/faults.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace fugu::stream::faults {
namespace {

struct Order {
  std::atomic<int> error = 0;
  std::atomic<int> passing = 0;
  std::atomic<int> failing = 0;
  std::atomic<int> failed = 0;
};

std::array<Order, static_cast<std::size_t>(Call::count)> orders;
std::atomic<int> transfer_limit = 0;
std::atomic<bool> unnamed_files = true;

Order& of(Call call) {
  return orders[static_cast<std::size_t>(call)];
}

bool fails(Call call) {
  Order& order = of(call);
  if (order.failing == 0 || order.passing-- > 0) return false;
  --order.failing;
  ++order.failed;
  errno = order.error;
  return true;
}

std::size_t limited(std::size_t bytes) {
  const auto limit = static_cast<std::size_t>(transfer_limit.load());
  return limit != 0 && limit < bytes ? limit : bytes;
}

// Returns the kernel's answer as the C library does.
template <class... Arguments>
long pass_on(Call call, long number, Arguments... arguments) {
  return fails(call) ? -1 : ::syscall(number, arguments...);
}

}  // namespace

void order(Call call, int error, int passing, int failing) {
  of(call).error = error;
  of(call).passing = passing;
  of(call).failed = 0;
  of(call).failing = failing;
}

void limit_transfers(int bytes) {
  transfer_limit = bytes;
}

void allow_unnamed_files(bool allowed) {
  unnamed_files = allowed;
}

int failed(Call call) {
  return of(call).failed;
}

void clear() {
  for (Order& order : orders) {
    order.failing = 0;
    order.failed = 0;
  }
  transfer_limit = 0;
}

}  // namespace fugu::stream::faults

using fugu::stream::faults::Call;
using fugu::stream::faults::limited;
using fugu::stream::faults::pass_on;

extern "C" {

ssize_t read(int fd, void* to, size_t bytes) {
  return pass_on(Call::read, SYS_read, fd, to, limited(bytes));
}
int openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE && !fugu::stream::faults::unnamed_files) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_openat, directory, path, flags, mode));
}
ssize_t write(int fd, const void* from, size_t bytes) {
  return pass_on(Call::write, SYS_write, fd, from, limited(bytes));
}
ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  return pass_on(Call::pread, SYS_pread64, fd, to, limited(bytes), offset);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  return pass_on(Call::pwrite, SYS_pwrite64, fd, from, limited(bytes), offset);
}
int close(int fd) {
  const bool fails = fugu::stream::faults::fails(Call::close);
  const int error = errno;
  const long result = ::syscall(SYS_close, fd);  // Linux closes the descriptor, whatever it reports
  if (!fails) return static_cast<int>(result);
  errno = error;
  return -1;
}
int fsync(int fd) {
  return static_cast<int>(pass_on(Call::fsync, SYS_fsync, fd));
}
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  return static_cast<int>(pass_on(Call::fallocate, SYS_fallocate, fd, mode, offset, bytes));
}
int fchmod(int fd, mode_t mode) noexcept {
  return static_cast<int>(pass_on(Call::fchmod, SYS_fchmod, fd, mode));
}
int fchown(int fd, uid_t owner, gid_t group) noexcept {
  return static_cast<int>(pass_on(Call::fchown, SYS_fchown, fd, owner, group));
}
int ftruncate(int fd, off_t bytes) noexcept {
  return static_cast<int>(pass_on(Call::ftruncate, SYS_ftruncate, fd, bytes));
}
int renameat(int from_in, const char* from, int to_in, const char* to) noexcept {
  return static_cast<int>(pass_on(Call::renameat, SYS_renameat, from_in, from, to_in, to));
}
int renameat2(int from_in, const char* from, int to_in, const char* to, unsigned flags) noexcept {
  return static_cast<int>(pass_on(Call::renameat2, SYS_renameat2, from_in, from, to_in, to, flags));
}
int linkat(int from_in, const char* from, int to_in, const char* to, int flags) noexcept {
  return static_cast<int>(pass_on(Call::linkat, SYS_linkat, from_in, from, to_in, to, flags));
}
int symlinkat(const char* target, int directory, const char* name) noexcept {
  return static_cast<int>(pass_on(Call::symlinkat, SYS_symlinkat, target, directory, name));
}

}  // extern "C"
