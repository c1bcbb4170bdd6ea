// The common part of encrypt and decrypt: one file into one file, and the message on failure.
#pragma once

#include <sys/stat.h>

#include "cli/files/files.hpp"
#include "cli/files/output.hpp"

namespace fugu::cli {

// --rm: the one rule of when an input may be removed.
//
// All of this must hold, or the input stays and a message says why:
// - its name is that of a regular file, and not of a symbolic link; the file has no other name;
// - its device, inode, size and times of change are unchanged since before it was opened, in the directory
//   that was opened then, from which it is removed;
// - the secret was the right one, certainly or with format::kSufficientEvidenceBits of evidence;
// - the output holds all of the content;
// - the output is a regular file, complete and synced;
// - read back and decrypted, or compared with a second decryption, it has the same content (not for
//   --rm=fast).
//
// Links are refused before any work, and options that contradict --rm are a usage error. A violation
// found only after the work leaves the output complete and gives the status of an input/output error.

// What the work on a file proved about its result.
struct Proven {
  bool secret = false;       // it was the right one: certain, or kSufficientEvidenceBits
  bool all_content = false;  // nothing of the input's content was left out
  std::string_view otherwise = "it is not certain that the output holds all of the content";
};

// The state of a named file before it was opened.
class InputState {
 public:
  // `name` is one in the directory, or a path if that is null. Throws Error{io}.
  InputState(std::shared_ptr<const stream::Descriptor> directory, std::string name);

  // Throws Error{io} if the name is that of a link, or the file has several names.
  void require_only_name() const;

  // Throws Error{io} when another file was opened.
  void require_opened(const std::optional<stream::FileId>& opened) const;

  // Throws Error{io} when the name belongs to another file by now, or the file has changed.
  void require_unchanged() const;

  // For an input whose output is complete and synced. Throws Error{io} with the reason why the input stays.
  void require_removable(const Proven& proven) const;

  // Removes it. Throws as above.
  void remove(const Proven& proven) const;

 private:
  int base() const;

  std::shared_ptr<const stream::Descriptor> directory_;
  std::string name_;
  bool is_link_ = false;
  struct stat file_;  // through links
};

// The directory of a file that the user named, for the state and the removal of that file. Throws Error{io}.
std::shared_ptr<const stream::Descriptor> directory_of_named(const std::string& file);

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
// `compare` finds the input's content in the output and the rule above allows it. Reports errors, naming the
// file they concern and the state of the output. Returns the exit status.
using Transfer = std::function<Proven(std::unique_ptr<stream::Source> source, stream::Sink& sink)>;
using Compare =
    std::function<void(std::unique_ptr<stream::Source> input, std::unique_ptr<stream::Source> output)>;
int transfer_file(const Task& task, const TransferOptions& options, const Share& share,
                  const Transfer& transfer, const Compare& compare = {}, const Again& again = {});

}  // namespace fugu::cli
