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
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

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

}  // namespace fugu::cli
