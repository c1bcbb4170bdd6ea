// Preloaded into the program, this library lets system calls and allocations fail on request.
//
//   FUGU_FAULT=CALL:ERRNO:INDEX    call number INDEX (from 0) of CALL fails with ERRNO, once. CALL "malloc"
//                                  stands for all functions that allocate, which then return null; "new" for
//                                  C++'s own, "thread" for a std::thread that cannot start. A negative ERRNO
//                                  is a signal that ends the process instead.
//   FUGU_FAULT=memory:ERRNO:INDEX  every allocation from number INDEX on fails
//   FUGU_FAULT=short:BYTES:0       every read and write moves at most BYTES
//   FUGU_FAULT_COUNTS=FILE         lines "CALL COUNT" are written there at the end. "malloc_before_main"
//                                  counts the allocations of libraries before main(), "malloc_before_openssl"
//                                  those before it starts: before ERR_clear_error() or OSSL_LIB_CTX_new().
//   FUGU_FAULT_STOP=1              the process stops itself (SIGSTOP) after everything was released
//
// While OpenSSL starts, which the first call of ERR_clear_error() does, allocations succeed if the thread has
// just had the 50 000 bytes that the library asks for before: 3.2 and later would wait for themselves for
// ever.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

enum class Call {
  read,
  write,
  open,
  close,
  fsync,
  fallocate,
  ftruncate,
  fchmod,
  renameat,
  renameat2 = renameat,
  linkat,
  unlink,
  pread,
  pwrite,
  lseek,
  futimens,
  malloc,
  operator_new,
  thread,
  count
};
constexpr int kCalls = static_cast<int>(Call::count);
const char* const kNames[kCalls] = {"read",      "write",  "open",     "close",  "fsync",  "fallocate",
                                    "ftruncate", "fchmod", "rename",   "link",   "unlink", "pread",
                                    "pwrite",    "lseek",  "futimens", "malloc", "new",    "thread"};

using Main = int (*)(int, char**, char**);

Main program_main = nullptr;
long allocations_before_main = 0;
std::atomic<long> counts[kCalls];
std::atomic<long>& allocations = counts[static_cast<int>(Call::malloc)];
int ordered = -1;
int ordered_error = 0;
long ordered_index = 0;
bool for_good = false;
size_t most_bytes = ~size_t{0};
long allocations_before_openssl = 0;
__attribute__((tls_model("initial-exec"))) thread_local bool openssl_may_start = false;
__attribute__((tls_model("initial-exec"))) thread_local size_t last_bytes = 0;

__attribute__((constructor(101))) void read_order() {
  const char* text = std::getenv("FUGU_FAULT");
  if (text == nullptr) return;
  char name[16] = {};
  long second = 0;
  long third = 0;
  if (std::sscanf(text, "%15[a-z]:%ld:%ld", name, &second, &third) != 3) std::abort();
  if (std::strcmp(name, "short") == 0) {
    most_bytes = static_cast<size_t>(second);
    return;
  }
  for_good = std::strcmp(name, "memory") == 0;
  for (int call = 0; call < kCalls; ++call) {
    if (std::strcmp(for_good ? "malloc" : name, kNames[call]) == 0) ordered = call;
  }
  if (ordered == -1) std::abort();
  ordered_error = static_cast<int>(second);
  ordered_index = third;
}

__attribute__((destructor)) void tell_and_stop() {
  if (const char* path = std::getenv("FUGU_FAULT_COUNTS")) {
    const long fd = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const auto put = [fd](const char* name, long count) {
      char line[64];
      const int size = std::snprintf(line, sizeof line, "%s %ld\n", name, count);
      static_cast<void>(::syscall(SYS_write, fd, line, size));
    };
    for (int call = 0; call < kCalls; ++call) put(kNames[call], counts[call].load());
    put("malloc_before_main", allocations_before_main);
    put("malloc_before_openssl", allocations_before_openssl);
    ::syscall(SYS_close, fd);
  }
  if (std::getenv("FUGU_FAULT_STOP") != nullptr) std::raise(SIGSTOP);
}

int main_begins(int count, char** words, char** environment) {
  allocations_before_main = allocations;
  return program_main(count, words, environment);
}

bool fails(Call call) {
  const long index = counts[static_cast<int>(call)]++;
  if (call == Call::malloc && openssl_may_start) return false;
  if (ordered != static_cast<int>(call) || (for_good ? index < ordered_index : index != ordered_index))
    return false;
  if (ordered_error < 0) std::raise(-ordered_error);
  errno = ordered_error;
  return true;
}

bool openssl_starts() {
  static std::atomic_flag has_started;
  if (has_started.test_and_set()) return false;
  allocations_before_openssl = allocations;
  return true;
}

size_t limited(size_t bytes) {
  return bytes < most_bytes ? bytes : most_bytes;
}

}  // namespace

#include "support/system_calls.hpp"

extern "C" {

ssize_t pread64(int fd, void* to, size_t bytes, off_t at) {
  return pass_on(Call::pread, SYS_pread64, fd, to, limited(bytes), at);
}
ssize_t pwrite64(int fd, const void* from, size_t bytes, off_t at) {
  return pass_on(Call::pwrite, SYS_pwrite64, fd, from, limited(bytes), at);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return static_cast<int>(pass_on(Call::open, SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return static_cast<int>(pass_on(Call::open, SYS_openat, directory, path, flags, mode));
}
off_t lseek(int fd, off_t offset, int from) noexcept {
  return pass_on(Call::lseek, SYS_lseek, fd, offset, from);
}
int futimens(int fd, const struct timespec times[2]) noexcept {
  return static_cast<int>(pass_on(Call::futimens, SYS_utimensat, fd, nullptr, times, 0));
}
int unlinkat(int directory, const char* path, int flags) noexcept {
  return static_cast<int>(pass_on(Call::unlink, SYS_unlinkat, directory, path, flags));
}
void* malloc(size_t bytes) noexcept {
  last_bytes = bytes;
  return fails(Call::malloc) ? nullptr : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) noexcept {
  return fails(Call::malloc) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) noexcept {
  return fails(Call::malloc) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return fails(Call::malloc) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** into, size_t alignment, size_t bytes) noexcept {
  void* const got = fails(Call::malloc) ? nullptr : __libc_memalign(alignment, bytes);
  if (got != nullptr) *into = got;
  return got != nullptr ? 0 : ENOMEM;
}

void ERR_clear_error() {
  openssl_may_start = openssl_starts() && last_bytes == 50'000;
  reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "ERR_clear_error"))();
  openssl_may_start = false;
}
void* OSSL_LIB_CTX_new() {
  openssl_starts();
  return reinterpret_cast<void* (*)()>(::dlsym(RTLD_NEXT, "OSSL_LIB_CTX_new"))();
}
// Libraries of C, such as MPI, start threads of their own: those are not counted.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  Dl_info caller{};
  const bool is_std = ::dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname != nullptr &&
                      std::strstr(caller.dli_fname, "libstdc++") != nullptr;
  if (is_std && fails(Call::thread)) return ordered_error;
  static const auto create =
      reinterpret_cast<decltype(&::pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run, argument);
}

// The C library starts a program with this function.
int __libc_start_main(Main main, int count, char** words, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  program_main = main;
  const auto start = reinterpret_cast<decltype(&__libc_start_main)>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_begins, count, words, init, fini, loader_fini, stack_end);
}

}  // extern "C"

void* operator new(size_t bytes) {
  void* const got = fails(Call::operator_new) ? nullptr : std::malloc(bytes);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}
