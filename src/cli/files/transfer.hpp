// The common part of encrypt and decrypt: one file into one file, and the message on failure.
#pragma once

#include <functional>

#include "cli/files/files.hpp"
#include "cli/files/output.hpp"
#include "cli/files/removal.hpp"
#include "cli/files/share.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

// A failure whose text is complete: nothing is added about the output.
class WholeMessage : public Error {
 public:
  using Error::Error;
};

// A failure that concerns no file and ends the run: a passphrase that cannot be read.
class RunFailure : public Error {
 public:
  using Error::Error;
};

struct TransferOptions {
  bool replace = false;  // -f
  Removal removal = Removal::none;
  bool binary_output = true;
  bool reserve_input_size = false;  // for outputs at least as long as their input
  bool keep_time = false;           // the output gets the input's modification time
  bool in_place = false;            // the output replaces the input once it is complete
};

// Whether to try once more what failed with this error. Asked for a regular file, before its output is begun.
using Again = std::function<bool(const Error& error)>;

// Opens both ends, runs `transfer`, commits the output, and only then removes the input if requested, if
// `compare` finds the input's content in the output and removal.hpp allows it. Reports errors, naming the
// file they concern and the state of the output. Returns the exit status.
using Transfer = std::function<Proven(std::unique_ptr<stream::Source> source, stream::Sink& sink)>;
using Compare =
    std::function<void(std::unique_ptr<stream::Source> input, std::unique_ptr<stream::Source> output)>;
int transfer_file(const Task& task, const TransferOptions& options, const Share& share,
                  const Transfer& transfer, const Compare& compare = {}, const Again& again = {});

}  // namespace fugu::cli
