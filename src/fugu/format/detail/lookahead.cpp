#include "fugu/format/detail/lookahead.hpp"

#include "fugu/format/detail/message.hpp"

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
  return first_of(buffered(), limit_ ? std::min<std::uint64_t>(bytes, *limit_ - position_) : bytes);
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
  if (limit_) into = first_of(into, *limit_ - position_);
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
  if (header_.empty()) return;
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
  const std::string_view text = text_of(next);
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
    append(all, next);
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

std::optional<Range> range_of(const OptionValues& options) {
  const std::optional<std::string> text = options.text(kRangeRow.name);
  if (!text) return std::nullopt;
  const std::size_t colon = std::min(text->find(':'), text->size());
  const std::string_view length = std::string_view(*text).substr(std::min(colon + 1, text->size()));
  const auto first = parse_size(std::string_view(*text).substr(0, colon));
  const auto count = parse_size(length);
  if (colon == text->size() || !first || (!count && !length.empty()))
    throw Error(Errc::usage, "⟦range⟧ takes OFF:LEN or OFF:, sizes such as 4096, 64K or 1GiB");
  return Range{*first, count};
}

void check_range(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
}

std::uint64_t file_bytes(const stream::Source& source) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  if (!bytes) throw Error(Errc::usage, "is not a regular file: it cannot be worked on in parts");
  return *bytes;
}

std::uint64_t seekable_bytes(stream::Source& source) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  std::byte probe{};
  if (!bytes || !source.read_at({&probe, 1}, 0))
    throw Error(Errc::usage, "a range needs a file that can be read at any place, not a pipe");
  return *bytes;
}

std::size_t PartSource::read(std::span<std::byte> into) {
  into = first_of(into, end_ - offset_);
  if (into.empty()) return 0;
  if (!whole_.read_at(into, offset_)) throw Error(Errc::io, "became shorter while it was read");
  offset_ += into.size();
  return into.size();
}

std::size_t RestSource::read(std::span<std::byte> into) {
  into = first_of(into, length_ - at_);
  if (into.empty()) return 0;
  const std::size_t bytes = whole_.read(into);
  at_ += bytes;
  return bytes;
}

std::optional<std::uint64_t> RestSource::size_bytes() const {
  const std::optional<std::uint64_t> whole = whole_.size_bytes();
  if (!whole) return std::nullopt;
  return std::min(*whole - std::min(*whole, begin_), length_);
}

void RestSource::advance(std::uint64_t bytes) {
  whole_.advance(bytes);
  at_ += bytes;
}

}  // namespace fugu::format
