#include "fugu/format/detail/lookahead.hpp"

#include <algorithm>

#include "fugu/error.hpp"

namespace fugu::format {

std::span<const std::byte> Lookahead::peek(std::size_t bytes) {
  if (!ended_ && buffered().size() < bytes) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    const std::size_t had = buffer_.size();
    buffer_.resize(bytes);
    buffer_.resize(had + source_.read(std::span(buffer_).subspan(had)));
    ended_ = buffer_.size() < bytes;
  }
  const std::uint64_t allowed = limit_ ? *limit_ - position_ : buffered().size();
  return buffered().first(
      static_cast<std::size_t>(std::min<std::uint64_t>({buffered().size(), bytes, allowed})));
}

void Lookahead::skip(std::size_t bytes) {
  if (bytes > buffered().size()) throw Error(Errc::usage, "bytes were skipped before they were examined");
  taken_ += bytes;
  position_ += bytes;
}

std::vector<std::byte> Lookahead::take(std::size_t bytes, std::string_view what) {
  const std::span<const std::byte> seen = peek(bytes);
  if (seen.size() < bytes) throw Error(Errc::damaged, "the file ends inside " + std::string(what));
  std::vector<std::byte> taken(seen.begin(), seen.end());
  skip(bytes);
  return taken;
}

std::optional<std::uint64_t> Lookahead::bytes_left() const {
  if (limit_) return *limit_ - position_;
  if (!is_all_) return std::nullopt;
  if (ended_) return buffered().size();
  const std::optional<std::uint64_t> size = source_.size_bytes();
  if (!size || *size < position_ + buffered().size()) return std::nullopt;
  return *size - position_;
}

bool Lookahead::peek_at(std::uint64_t offset, std::span<std::byte> into) {
  if (offset + into.size() > bytes_left().value_or(0)) return false;
  if (offset + into.size() > buffered().size()) return source_.read_at(into, position_ + offset);
  std::ranges::copy(buffered().subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  return true;
}

bool Lookahead::peek_end(std::span<std::byte> into) {
  const std::uint64_t left = bytes_left().value_or(0);
  return left >= into.size() && peek_at(left - into.size(), into);
}

std::size_t Lookahead::read(std::span<std::byte> into) {
  if (limit_)
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), *limit_ - position_)));
  const std::size_t from_buffer = std::min(into.size(), buffered().size());
  std::ranges::copy(buffered().first(from_buffer), into.begin());
  taken_ += from_buffer;
  const std::size_t rest = ended_ ? 0 : source_.read(into.subspan(from_buffer));
  position_ += from_buffer + rest;
  require_single(into.first(from_buffer + rest));
  return from_buffer + rest;
}

void Lookahead::require_no_more() {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
  require_single(buffered());
  const std::uint64_t begin = position_ + buffered().size();
  const std::uint64_t end = std::min(position_ + bytes_left().value_or(0), begin + kMaxBytes);
  std::vector<std::byte> next(std::size_t{1} << 20);
  for (std::uint64_t at = begin; at < end; at += next.size()) {
    next.resize(static_cast<std::size_t>(std::min<std::uint64_t>(next.size(), end - at)));
    if (!source_.read_at(next, at)) break;
    require_single(next);
  }
  last_.clear();
}

void Lookahead::require_single(std::span<const std::byte> next) {
  if (header_.empty()) return;
  const std::string_view text(reinterpret_cast<const char*>(next.data()), next.size());
  const std::size_t most = header_.size() - 1;
  last_ += text.substr(0, most);
  if (text.find(header_) != text.npos || last_.find(header_) != last_.npos)
    throw Error(Errc::damaged, "a second '" + std::string(header_) +
                                   "' follows: files were joined; give each a file of its own");
  if (text.size() >= most) last_ = text.substr(text.size() - most);
  if (last_.size() > most) last_.erase(0, last_.size() - most);
}

Job with_source(const Job& job, stream::Source& source, Watcher* watcher) {
  return {job.engine, source,   job.sink,   job.chunk_bytes, job.counters,
          watcher,    job.stop, job.memory, job.salvage};
}

Job with_sink(const Job& job, stream::Sink& sink) {
  return {job.engine, job.source, sink,       job.chunk_bytes, job.counters,
          nullptr,    job.stop,   job.memory, job.salvage};
}

core::WipedBytes take_all(Lookahead& source, std::string_view what) {
  core::WipedBytes all;
  while (true) {
    const std::span<const std::byte> next = source.peek(kLookaheadBytes);
    if (next.empty()) return all;
    all.insert(all.end(), next.begin(), next.end());
    source.skip(next.size());
    if (all.size() > kMaxWholeBytes) throw Error(Errc::damaged, "is too long for " + std::string(what));
  }
}

core::WipedBytes read_whole(const Job& job, std::string_view what) {
  Lookahead source(job.source);
  core::WipedBytes all = take_all(source, what);
  count_read(job, all.size());
  return all;
}

void write_whole(const Job& job, std::span<const std::byte> bytes) {
  write_counted(job, bytes);
  job.sink.finish();
}

}  // namespace fugu::format
