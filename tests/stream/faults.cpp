#include "stream/faults.hpp"

#include <array>
#include <atomic>
#include <cerrno>
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
using fugu::stream::faults::fails;
using fugu::stream::faults::limited;

#include "support/system_calls.hpp"

extern "C" {

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
int fchown(int fd, uid_t owner, gid_t group) noexcept {
  return static_cast<int>(pass_on(Call::fchown, SYS_fchown, fd, owner, group));
}
int symlinkat(const char* target, int directory, const char* name) noexcept {
  return static_cast<int>(pass_on(Call::symlinkat, SYS_symlinkat, target, directory, name));
}

}  // extern "C"
