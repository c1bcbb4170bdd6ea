// Lets system calls fail on request. The test program's own definitions replace those of the C library, so
// the code under test needs no seam for it.
#pragma once

namespace fugu::stream::faults {

enum class Call {
  read,
  write,
  pread,
  pwrite,
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

// Makes each read(), write(), pread() and pwrite() move at most `bytes`; 0 means no limit.
void limit_transfers(int bytes);

// Sets whether files can be made without a name (O_TMPFILE), as on most file systems. clear() does not reset
// it.
void allow_unnamed_files(bool allowed);

// Returns how often `call` has failed since the last clear().
int failed(Call call);

void clear();

}  // namespace fugu::stream::faults
