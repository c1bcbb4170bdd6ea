// The CSV file for a benchmark's samples.
#pragma once

#include <cstdio>
#include <exception>

namespace fugu::bench {

// Calls write(csv) to fill a new file at `path` and returns the exit status for `program`: that of write(), 2
// when the file cannot be opened or closed, 6 when write() throws.
template <class Write>
int write_csv(const char* program, const char* path, Write write) {
  std::FILE* csv = std::fopen(path, "w");
  if (csv == nullptr) {
    std::perror(path);
    return 2;
  }
  int status = 0;
  try {
    status = write(csv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    status = 6;
  }
  return std::fclose(csv) != 0 ? 2 : status;
}

}  // namespace fugu::bench
