// --rm: when an input may be removed, the only rule of it.
//
// All of this must hold, or the input stays and a message says why:
// - its name is that of a regular file, and not of a symbolic link; the file has no other name;
// - device, inode, size and times of change are still those it had before it was opened;
// - the secret was the right one, certainly or with format::kSufficientEvidenceBits of evidence;
// - the output holds all of the content;
// - the output is a regular file, complete, and on the disk.
//
// Links are refused before any work, and options that contradict --rm are an error of usage. What shows only
// after the work leaves the output complete and the status that of an input/output error.
#pragma once

#include <sys/stat.h>

#include <string>

#include "fugu/stream/source.hpp"

namespace fugu::cli {

// The findings of the work on a file about its result.
struct Proven {
  bool secret = false;       // it was the right one: certain, or kSufficientEvidenceBits
  bool all_content = false;  // nothing of the input's content was left out
};

// A named file as it was before it was opened.
class InputState {
 public:
  // Throws Error{io}.
  explicit InputState(std::string path);

  // Throws Error{io} where the name is that of a link, or the file has several names.
  void require_only_name() const;

  // Throws Error{io} when another file was opened.
  void require_opened(const std::optional<stream::FileId>& opened) const;

  // Throws Error{io} when the name stands for another file by now, or the file has changed.
  void require_unchanged() const;

 private:
  std::string path_;
  bool is_link_ = false;
  struct stat file_;  // through links
};

// Removes the input, whose output is complete and on the disk. Throws Error{io}, saying why it stays.
void remove_input(const std::string& path, const InputState& seen, const Proven& proven);

}  // namespace fugu::cli
