// Directories that are containers: decrypted into a directory, or verified.
#pragma once

#include <functional>
#include <string>

#include "cli/cipher/run.hpp"
#include "cli/files/files.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::cli {

struct TreeOptions {
  bool replace = false;  // -f
  unsigned threads = 1;  // for reading and writing each file
};

// Decrypts task.input into the directory task.output. Reports errors with the name of each part that they
// concern; the other parts go on. Returns the exit status.
int decrypt_tree(const Task& task, const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                 const TreeOptions& options);

// The same into `sink`, whose state needs no mention. Throws errors of the whole container; `worst` becomes
// the exit status of its parts.
format::Opened open_tree(const Task& task, const CipherRequest& request, RunSecret& secret,
                         const CipherRun& run, stream::TreeSink& sink, unsigned threads, int& worst);

}  // namespace fugu::cli
