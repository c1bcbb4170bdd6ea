// --rm: the one rule of when an input may be removed.
//
// All of this must hold, or the input stays and a message says why:
// - its name is that of a regular file, and not of a symbolic link; the file has no other name;
// - its device, inode, size and times of change are unchanged since before it was opened;
// - the secret was the right one, certainly or with format::kSufficientEvidenceBits of evidence;
// - the output holds all of the content;
// - the output is a regular file, complete and synced;
// - read back and decrypted, or compared with a second decryption, it has the same content (not for
// --rm=fast).
//
// Links are refused before any work, and options that contradict --rm are an error of usage. A violation
// found only after the work leaves the output complete and gives the status of an input/output error.
#pragma once

#include <sys/stat.h>

#include <string>

#include "fugu/stream/source.hpp"

namespace fugu::cli {

// What the work on a file proved about its result.
struct Proven {
  bool secret = false;       // it was the right one: certain, or kSufficientEvidenceBits
  bool all_content = false;  // nothing of the input's content was left out
};

// The state of a named file before it was opened.
class InputState {
 public:
  // Throws Error{io}.
  explicit InputState(std::string path);

  // Throws Error{io} if the name is that of a link, or the file has several names.
  void require_only_name() const;

  // Throws Error{io} when another file was opened.
  void require_opened(const std::optional<stream::FileId>& opened) const;

  // Throws Error{io} when the name belongs to another file by now, or the file has changed.
  void require_unchanged() const;

 private:
  std::string path_;
  bool is_link_ = false;
  struct stat file_;  // through links
};

// Throws Error{io} with the reason why the input stays, whose output is complete and synced.
void require_removable(const InputState& seen, const Proven& proven);

// Removes it. Throws as above.
void remove_input(const std::string& path, const InputState& seen, const Proven& proven);

}  // namespace fugu::cli
