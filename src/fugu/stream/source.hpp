// Origins of bytes: files, pipes, standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/export.hpp"

namespace fugu::stream {

class Descriptor;

// The identity of an open file, whatever its names.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  // 0: the block device itself, whatever its node
  friend bool operator==(const FileId&, const FileId&) = default;
};

// Attributes that a file made from this one inherits.
struct FileAttributes {
  std::uint32_t permissions = 0;  // the nine rwx bits
  // The group of the middle three bits; empty if an access control list makes these a mask.
  std::optional<std::uint32_t> group;
  std::optional<timespec> modified;
};

class FUGU_EXPORT Source {
 public:
  virtual ~Source() = default;

  // Fills `into` completely, or up to the end of the input; returns the bytes read, 0 only at the end.
  // Throws Error{io}: a read error is never an early end.
  virtual std::size_t read(std::span<std::byte> into) = 0;

  // The total size from where reading began, if known in advance (regular files). A hint: a file may change
  // while it is read, and some system files claim 0.
  virtual std::optional<std::uint64_t> size_bytes() const { return std::nullopt; }

  // Copies into.size() bytes that begin `offset` bytes after where reading began, without moving the read
  // position; false if the input cannot seek or ends before them.
  virtual bool read_at(std::span<std::byte> into, std::uint64_t offset) {
    static_cast<void>(into);
    static_cast<void>(offset);
    return false;
  }

  // The offset, for read_at(), of the byte that read() returns next; empty if the input cannot seek.
  // read_at() may then be called by several threads at a time.
  virtual std::optional<std::uint64_t> offset() { return std::nullopt; }

  // Moves the read position past bytes that read_at() has read. For sources with an offset(). Throws
  // Error{io}.
  virtual void advance(std::uint64_t bytes) { static_cast<void>(bytes); }

  // Set for inputs that are files: output must not be the same file.
  virtual std::optional<FileId> file_id() const { return std::nullopt; }

  // Set for regular files that were opened by name.
  virtual std::optional<FileAttributes> attributes() const { return std::nullopt; }

  // The file beside this one whose name differs only in its extension: "home.salt" beside "home.kwl" for
  // ".salt". Null if there is none, and for inputs that were not opened by name. Throws Error{io}.
  virtual std::unique_ptr<Source> companion(std::string_view extension) const {
    static_cast<void>(extension);
    return nullptr;
  }

  // Called from another thread: a read() that waits for data, and every later one that would wait, throws
  // Error{interrupted}. Inputs that never wait may ignore it.
  virtual void cancel() noexcept {}
};

// Throws Error{io} when the file cannot be opened or is a directory. Texts do not contain the path: the
// caller adds it. `threads` is the number that the program may use in total; several read a file.
FUGU_EXPORT std::unique_ptr<Source> open_file(const std::string& path, unsigned threads = 1);

// The same for work that needs a regular file: throws Error{usage} for a pipe or a device, without waiting
// for it.
FUGU_EXPORT std::unique_ptr<Source> open_regular_file(const std::string& path, unsigned threads = 1);

// The file called `name` in an open directory, never through a link. Throws Error{io}, also if it is not a
// regular file.
FUGU_EXPORT std::unique_ptr<Source> open_regular_file(std::shared_ptr<const Descriptor> directory,
                                                      const std::string& name, unsigned threads = 1);

// Reads a descriptor it does not own (standard input), from its present position.
FUGU_EXPORT std::unique_ptr<Source> from_descriptor(int descriptor, unsigned threads = 1);

// Returns `head` first, then the rest of `rest`, for readers that had to read ahead. The bytes of `head` were
// read from `rest`, so size and identity are those of `rest`.
FUGU_EXPORT std::unique_ptr<Source> prepend(std::span<const std::byte> head, std::unique_ptr<Source> rest);

// Wraps a source owned elsewhere, for functions that take ownership. `source` outlives the result.
FUGU_EXPORT std::unique_ptr<Source> borrow(Source& source);

// The identity of an open descriptor's file; empty for objects that are safe to read and write at the same
// time (terminals, /dev/null, sockets). For comparing standard output with an input's file_id(). Throws
// Error{io}.
FUGU_EXPORT std::optional<FileId> file_id_of(int descriptor);

}  // namespace fugu::stream
