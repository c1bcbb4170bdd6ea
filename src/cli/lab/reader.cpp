// Reads files of any kind up to a limit, which the error states.
#include "cli/lab/reader.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cli/files/files.hpp"
#include "cli/to_size.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kStepBytes = std::size_t{1} << 24;

// The memory that this process may use.
std::uint64_t memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  std::uint64_t bytes = pages * static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  return bytes;
}

// Two characters may become a number of eight bytes.
std::uint64_t most_bytes(InputKind kind) {
  return kind == InputKind::binary ? memory_bytes() / 4 * 3 : memory_bytes() / 6;
}

[[noreturn]] void refuse_size(std::uint64_t most) {
  throw Error(
      Errc::io,
      fmt::format("the input is longer than {}, the most that fits this machine's memory with its results",
                  bytes_text(static_cast<double>(most))));
}

}  // namespace

InputReader::InputReader(const std::string& name, ProgressStyle style, unsigned threads)
    : source_(open_input(name, threads)), size_(source_->size_bytes()), progress_(style, size_) {}

std::string_view InputReader::head(std::size_t bytes) {
  const std::size_t before = head_.size();
  if (before < bytes) {
    head_.resize(bytes);
    const std::size_t got = source_->read(std::as_writable_bytes(std::span(head_)).subspan(before));
    head_.resize(before + got);
    progress_.counters().bytes_read += got;
  }
  return head_;
}

std::size_t InputReader::fill(std::size_t offset, InputKind kind, const Grow& grow) {
  const std::uint64_t most = most_bytes(kind);
  if (size_.value_or(0) > most) refuse_size(most);
  std::size_t filled = head_.size() - offset;
  std::span<std::byte> memory =
      grow(to_size(std::max<std::uint64_t>(size_.value_or(0), filled) + kHeadBytes));
  std::memcpy(memory.data(), head_.data() + offset, filled);
  for (;;) {
    if (filled == memory.size())
      memory = grow(to_size(std::min(2 * std::uint64_t{memory.size()}, most + kHeadBytes)));
    const auto into = memory.subspan(filled, std::min(memory.size() - filled, kStepBytes));
    const std::size_t got = source_->read(into);
    if (kind == InputKind::text && std::memchr(into.data(), 0, got) != nullptr) {
      throw Error(Errc::usage,
                  "there are zero bytes, which no text has; --from raw or packed reads binary data");
    }
    filled += got;
    progress_.counters().bytes_read += got;
    if (filled > most) refuse_size(most);
    if (got < into.size()) return filled;
  }
}

InputReader::Rest InputReader::rest(std::size_t offset, InputKind kind) {
  Rest rest{};
  rest.bytes = fill(offset, kind, [&](std::size_t bytes) {
    rest.memory.resize(bytes);
    return rest.memory.span();
  });
  return rest;
}

PackedValues InputReader::packed_values() {
  PackedValues packed;
  const std::size_t bytes = fill(0, InputKind::binary, [&](std::size_t wanted) {
    packed.words.resize((wanted + 7) / 8);
    return std::as_writable_bytes(std::span(packed.words));
  });
  packed.words.resize((bytes + 7) / 8);
  packed.count = 8 * std::uint64_t{bytes};
  return packed;
}

}  // namespace fugu::cli
