// Where bytes come from: files, pipes, standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace fugu::stream {

// What tells whether two open files are one file, whatever their names.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileId&, const FileId&) = default;
};

class Source {
 public:
  virtual ~Source() = default;

  // Fills `into` completely, or up to the end of the input; returns the bytes read, 0 only at the end.
  // Throws Error{io}: a read error is never an early end.
  virtual std::size_t read(std::span<std::byte> into) = 0;

  // Bytes in all, where that is known before reading (regular files).
  virtual std::optional<std::uint64_t> size_bytes() const { return std::nullopt; }

  // Copies the last into.size() bytes without moving the read position; false where the input cannot seek or is
  // shorter than that.
  virtual bool peek_tail(std::span<std::byte> into) { static_cast<void>(into); return false; }

  // Set for inputs that are files: output must not be the same file.
  virtual std::optional<FileId> file_id() const { return std::nullopt; }
};

// Throws Error{io} when it cannot be opened or is a directory. Texts do not repeat the path: the caller names it.
std::unique_ptr<Source> open_file(const std::string& path);

// Reads a descriptor it does not own (standard input).
std::unique_ptr<Source> from_descriptor(int descriptor);

// Hands out `head` first, then what `rest` still has: for readers that had to look at the beginning.
std::unique_ptr<Source> prepend(std::span<const std::byte> head, std::unique_ptr<Source> rest);

}  // namespace fugu::stream
