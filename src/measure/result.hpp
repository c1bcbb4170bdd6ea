// The measurements of `fugu bench`, for its reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fugu::cli::bench {

// Never mixed in one table.
//   kernel    data in the engine's own memory: device memory for a GPU, host memory for a CPU
//   copy      host memory to host memory
//   file      read, cipher, write, fsync, as in `fugu encrypt`
//   spectral  Walsh transforms of data in the engine's own memory
//   spectral file  `fugu spectral walsh` as a process, file to file
//   sealed    the sealed format in memory, and its keys
enum class Scope : std::uint8_t { kernel, copy, file, spectral, spectral_file, sealed };

constexpr const char* name_of(Scope scope) {
  constexpr const char* kNames[] = {"kernel", "copy", "file", "spectral", "spectral file", "sealed"};
  return kNames[static_cast<std::size_t>(scope)];
}

struct Sample {
  double seconds = 0;      // wall clock, or the GPU's own events for work on the device alone
  double cpu_seconds = 0;  // user and system time of the process and its children meanwhile
};

// One line of a table.
struct Row {
  Scope scope = Scope::kernel;
  std::string engine;     // "openssl 3.0.2", "cpu/scalar", "cuda:0", "link"
  unsigned threads = 0;   // CPU threads; 0: work of a GPU
  std::string mode;       // "ecb", "ctr", ...
  std::string direction;  // "encrypt", "decrypt"
  std::string place;      // where the data is: a kind of memory, or a file system's name
  std::uint64_t bytes = 0;
  int thread_blocks = 0;  // GPU kernels only
  int threads_per_block = 0;
  std::vector<Sample> samples = {};

  double gb_per_s(const Sample& sample) const {  // decimal
    return static_cast<double>(bytes) / sample.seconds * 1e-9;
  }
};

// The summary of a row's samples, in decimal GB/s and seconds.
struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
  double cpu_seconds = 0;  // median
};
Summary summarize(const Row& row);

}  // namespace fugu::cli::bench
