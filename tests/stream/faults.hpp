// System calls that fail on order. The test program's own definitions take the place of the C library's, so
// the code under test needs no seam for it.
#pragma once

namespace fugu::stream::faults {

enum class Call {
  read,
  write,
  pread,
  pwrite,
  mmap,
  madvise,
  close,
  fsync,
  fallocate,
  fchmod,
  fchown,
  ftruncate,
  renameat,
  renameat2,
  linkat,
  symlinkat,
  count
};

// Lets `passing` calls through, then fails `failing` of them with `error`.
void order(Call call, int error, int passing = 0, int failing = 1);

// Makes each read() and write() move at most this many bytes; 0: no limit.
void limit_transfers(int bytes);

// Whether files can be made without a name (O_TMPFILE), as most file systems do it. clear() leaves that.
void allow_unnamed_files(bool allowed);

// How often `call` has failed since the last clear().
int failed(Call call);

void clear();

}  // namespace fugu::stream::faults
