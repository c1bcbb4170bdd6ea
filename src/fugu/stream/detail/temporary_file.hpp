// A hidden file that either gets its final name in one step or disappears. Private to stream.
//
// It has no name until then if the file system allows that: even kill -9 leaves nothing. Otherwise, and for
// the moment in which it replaces another file, it has a name that tells its target and ends in 64 random
// bits. Every live one stands in a registry of fixed slots made of lock-free atomics alone, so that a signal
// handler can remove it; thanks to the random bits a stale slot can never name another file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/output_directory.hpp"

namespace fugu::stream {

class TemporaryFile {
 public:
  // Makes an empty file of mode 0600 in `directory`, which is to be named `target`. `named`: it has a name
  // while it is written, for other processes. Throws Error{io}, also
  // where the file system cannot refuse to replace and `replace` is not set; Error{interrupted} once
  // unlink_temporaries() has run.
  TemporaryFile(std::shared_ptr<OutputDirectory> directory, std::string target, bool replace,
                bool named = false);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const noexcept { return file_.get(); }

  // While it is written; of a file that has none, the one it will get.
  std::string name() const;

  // As OutputDirectory::permitted().
  mode_t permitted() const noexcept { return permitted_; }

  // Syncs the file, closes it, gives it its target's name and syncs the directory. Without `replace` a file
  // that has that name by now stays and Error{io} is thrown.
  void publish();

  // The file has its name, although publish() may have thrown when the directory was synced.
  bool published() const noexcept { return published_; }

 private:
  void create();
  void try_out(const char* name) const;
  void create_named(const char* name);
  bool can_name_later(const char* name) const;
  void remove(const char* name) const;
  void require_refusal(const char* probe) const;
  void close_copy() const;
  void link_to_target();
  void replace_target();
  void rename_to_target();

  std::shared_ptr<OutputDirectory> directory_;
  std::string target_;
  bool replace_;
  Descriptor file_;
  bool named_;  // while it is written
  mode_t permitted_ = 0600;
  bool published_ = false;
  std::size_t slot_ = 0;
};

// Puts a symbolic link to `target` in the place of what has the name, in one step. Throws as the class does.
void replace_with_link(int directory, const std::string& name, const std::string& target);

}  // namespace fugu::stream
