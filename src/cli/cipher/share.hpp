// A file's part of the run: what the work on it may use while other files are worked on.
#pragma once

#include <semaphore>

#include "cli/cipher/run.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::cli {

// As many as -T says; whoever computes has one.
using Processors = std::counting_semaphore<>;

struct Share {
  CipherRun run;
  unsigned threads = 1;  // that may read the input, and as many that may write the output
  stream::OutputDirectories* directories = nullptr;
  Processors* processors = nullptr;  // of which the work has one, where several files are worked on

  // Runs `wait`, which waits for the disk: meanwhile another file has the processor.
  template <class Wait>
  void while_waiting(Wait wait) const {
    if (processors == nullptr) return wait();
    processors->release();
    const Returning returning{*processors};
    wait();
  }

 private:
  struct Returning {
    Processors& processors;
    ~Returning() { processors.acquire(); }
  };
};

}  // namespace fugu::cli
