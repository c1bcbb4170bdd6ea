// Reads a whole file directly into the memory where it is processed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/lab/memory.hpp"
#include "cli/lab/values.hpp"
#include "cli/process/progress.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

// The kind of input bounds its size: numbers stay as they are, text grows.
enum class InputKind : std::uint8_t { binary, text };

class InputReader {
 public:
  // Opens `name` once, and reads its first bytes.
  InputReader(const std::string& name, ProgressStyle style, unsigned threads);

  // The first bytes, up to kHeadBytes of them; reads on until there are at least `bytes`.
  static constexpr std::size_t kHeadBytes = 4096;
  std::string_view head(std::size_t bytes = kHeadBytes);

  // The whole size, if it is known.
  std::optional<std::uint64_t> bytes() const { return size_; }

  std::optional<stream::FileId> file() const { return source_->file_id(); }

  // Everything from `offset` in the head on; the memory may be larger than `bytes`. Throws Error{io} for more
  // than fits this machine's memory, Error{usage} for text with a zero byte.
  struct Rest {
    Memory memory;
    std::size_t bytes;
    std::string_view text() { return {reinterpret_cast<const char*>(memory.span().data()), bytes}; }
  };
  Rest rest(std::size_t offset, InputKind kind);

  // Everything as packed values, eight to a byte; zeros fill the last word. Throws as rest() does.
  PackedValues packed_values();

 private:
  // grow(n) makes the memory n bytes long and keeps its contents. Returns how many bytes were read into it.
  using Grow = std::function<std::span<std::byte>(std::size_t bytes)>;
  std::size_t fill(std::size_t offset, InputKind kind, const Grow& grow);

  std::unique_ptr<stream::Source> source_;
  std::optional<std::uint64_t> size_;
  Progress progress_;
  std::string head_;
};

}  // namespace fugu::cli
