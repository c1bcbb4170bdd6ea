// System calls that fail on request: definitions that replace those of the C library, for the one source of
// a program or of a preloaded library that includes this. Before it are defined, with names of calls as
// below:
//
//   enum class Call { read, write, ... };
//   bool fails(Call call);                // whether this call fails, with errno set
//   std::size_t limited(std::size_t bytes);  // how many of the bytes a read or write moves
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

// Returns the kernel's answer as the C library does.
template <class... Arguments>
long pass_on(Call call, long number, Arguments... arguments) {
  return fails(call) ? -1 : ::syscall(number, arguments...);
}

extern "C" {

ssize_t read(int fd, void* to, size_t bytes) {
  return pass_on(Call::read, SYS_read, fd, to, limited(bytes));
}
ssize_t write(int fd, const void* from, size_t bytes) {
  return pass_on(Call::write, SYS_write, fd, from, limited(bytes));
}
ssize_t pread(int fd, void* to, size_t bytes, off_t at) {
  return pass_on(Call::pread, SYS_pread64, fd, to, limited(bytes), at);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t at) {
  return pass_on(Call::pwrite, SYS_pwrite64, fd, from, limited(bytes), at);
}
int close(int fd) {
  const bool failing = fails(Call::close);
  const int error = errno;
  const long result = ::syscall(SYS_close, fd);  // Linux closes the descriptor, whatever it reports
  if (!failing) return static_cast<int>(result);
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

}  // extern "C"
