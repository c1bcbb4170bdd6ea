#include "fugu/format/sealed/sealed.hpp"

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/sealed/detail/segments.hpp"

namespace fugu::format {
namespace {

// Four keys are expanded at a time; beyond kMax the schedules take more memory than any engine needs at once.
constexpr std::size_t kMinSegmentsPerChunk = cipher::kMaxKeysAtOnce;
constexpr std::size_t kMaxSegmentsPerChunk = 256;
constexpr std::size_t kMaxChunkBytes = std::size_t{32} << 20;

// The number of stored segments per chunk: the caller's request, or about what the engine prefers, and at
// most what the input holds.
std::size_t chunk_segments(const Job& job, const SealedHeader& header) {
  std::size_t wanted = job.chunk_bytes;
  if (wanted == 0) {
    // The ring takes as much memory as if one chunk at a time were processed.
    const std::size_t liked = parallel_chunk_bytes(job) * kRingChunks / ring_chunks(parallel_workers(job));
    wanted = std::max(liked, kMinSegmentsPerChunk * header.segment_bytes());
  }
  const std::size_t allowed =
      std::min({wanted, kMaxChunkBytes, kMaxSegmentsPerChunk * header.segment_bytes()});
  const std::uint64_t input = job.source.size_bytes().value_or(allowed);
  const auto useful =
      static_cast<std::size_t>(std::min<std::uint64_t>(allowed, input + header.segment_bytes()));
  return std::max<std::size_t>(1, useful / header.segment_bytes());
}

// A stream::OrderedStage that keeps the result of the parallel stage.
std::size_t pass_on(std::span<std::byte>, std::size_t size_bytes, bool) {
  return size_bytes;
}

std::string bytes_text(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return "empty";
  return "bytes " + std::to_string(first) + "-" + std::to_string(first + count - 1);
}

[[noreturn]] void ends_early(std::uint64_t segments) {
  if (segments == 0)
    throw Error(Errc::damaged, "file ends early, before its first segment: it was truncated");
  throw Error(Errc::damaged,
              "file ends early after segment " + std::to_string(segments - 1) + ": it was truncated");
}

// Opens chunks of stored segments, and reports in file order which fail and what is missing at the end.
class Opener {
 public:
  Opener(const Job& job, const SealedHeader& header, const SealedKeys& keys, std::uint64_t first_index)
      : chunk_segments_(format::chunk_segments(job, header)),
        cipher_(job.engine, keys, first_index, chunk_segments_, parallel_workers(job)),
        authentic_(parallel_workers(job)),
        header_(header),
        next_index_(first_index) {}
  virtual ~Opener() = default;

  std::size_t chunk_segments() const { return chunk_segments_; }

  // The stream::ParallelStage: decrypts and checks a chunk of stored segments.
  void open(std::span<std::byte> stored, std::uint64_t chunk, bool last) {
    const std::vector<StoredSegment> segments = segments_of(stored);
    std::vector<std::uint8_t>& authentic = authentic_of(chunk);
    authentic.resize(segments.size());
    cipher_.open(chunk, segments, authentic, last);
  }

  // The stream::OrderedStage, after open(). `end`: the chunk ends where the file does.
  std::size_t judge(std::span<std::byte> stored, bool end) {
    const std::vector<StoredSegment> segments = segments_of(stored);
    const std::vector<std::uint8_t>& authentic = authentic_of(next_chunk_++);
    std::size_t kept = 0;
    bool short_segment = false;
    for (std::size_t i = 0; i < segments.size(); ++i, ++next_index_) {
      short_segment = segments[i].size() < header_.stored_segment_bytes();
      if (authentic[i] != 0 || on_failure(next_index_, segments[i], short_segment))
        kept += segments[i].size();
    }
    if (end && !short_segment) on_missing_end(next_index_);
    return kept;
  }

  // Without a trailing part that is too short to be a segment.
  std::vector<StoredSegment> segments_of(std::span<std::byte> stored) const {
    std::vector<StoredSegment> segments = cut_segments(stored, header_.stored_segment_bytes());
    if (!segments.empty() && segments.back().size() < kSegmentTagBytes) segments.pop_back();
    return segments;
  }

 protected:
  const SealedHeader& header() const { return header_; }

 private:
  // Returns false to leave the segment, which is the last, out of the output.
  virtual bool on_failure(std::uint64_t index, StoredSegment segment, bool last) = 0;
  virtual void on_missing_end(std::uint64_t segments) = 0;

  std::vector<std::uint8_t>& authentic_of(std::uint64_t chunk) {
    return authentic_[static_cast<std::size_t>(chunk % authentic_.size())];
  }

  std::size_t chunk_segments_;
  SegmentCipher cipher_;
  std::vector<std::vector<std::uint8_t>> authentic_;  // for each chunk in progress
  const SealedHeader& header_;
  std::uint64_t next_chunk_ = 0;
  std::uint64_t next_index_;
};

class StrictOpener final : public Opener {
 public:
  using Opener::Opener;

 private:
  bool on_failure(std::uint64_t index, StoredSegment segment, bool last) override {
    const std::string bytes = bytes_text(index * header().segment_bytes(), segment.size() - kSegmentTagBytes);
    std::string text = "segment " + std::to_string(index) + " (" + bytes + ") failed authentication";
    if (last) text += ", and the file ends in it: it was altered or cut short";
    throw Error(Errc::damaged, text);
  }
  void on_missing_end(std::uint64_t segments) override { ends_early(segments); }
};

class Salvager final : public Opener {
 public:
  using Opener::Opener;

  const SalvageReport& report() const { return report_; }

 private:
  bool on_failure(std::uint64_t index, StoredSegment segment, bool last) override {
    report_.end_lost = report_.end_lost || last;
    add_lost({index * header().segment_bytes(), segment.size() - kSegmentTagBytes});
    std::ranges::fill(segment, std::byte{0});
    return !last;
  }

  void on_missing_end(std::uint64_t) override { report_.end_lost = true; }

  void add_lost(ByteRange range) {
    if (range.count == 0) return;
    if (!report_.lost.empty() && report_.lost.back().first + report_.lost.back().count == range.first) {
      report_.lost.back().count += range.count;
    } else {
      report_.lost.push_back(range);
    }
  }

  SalvageReport report_;
};

bool can_seek(const Job& job) {
  std::byte probe{};
  return job.source.size_bytes() && job.source.read_at({&probe, 1}, 0);
}

std::uint64_t body_bytes(const Job& job, const SealedHeader& header) {
  const std::uint64_t file_bytes = seekable_bytes(job.source);
  return file_bytes - std::min<std::uint64_t>(file_bytes, header.bytes.size());
}

// `to_end`: the file ends where `source` does. `then` takes what was opened, as a stream::ParallelStage.
void pump_opened(const Job& job, const SealedHeader& header, stream::Source& source, stream::Sink& sink,
                 Opener& opener, bool to_end = true,
                 const std::function<void(std::span<std::byte>, std::uint64_t, bool)>& then = {}) {
  pump_chunks(
      job, source, sink, opener.chunk_segments() * header.stored_segment_bytes(), 0,
      [&](std::span<std::byte> chunk, std::size_t size_bytes, bool last) {
        return opener.judge(chunk.first(size_bytes), to_end && last);
      },
      [&](std::span<std::byte> chunk, std::size_t size_bytes, std::uint64_t index, bool last) {
        opener.open(chunk.first(size_bytes), index, last);
        if (then) then(chunk.first(size_bytes), index, last);
      });
}

// The stretch of plaintext that the job's source holds.
void seal_stretch(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                  const Stretch& stretch) {
  const std::size_t segments = chunk_segments(job, header);
  SegmentCipher cipher(job.engine, keys, stretch.first, segments, parallel_workers(job));
  GapSource source(job.source, header.segment_bytes(),
                   kMaxSealedBytes - stretch.first * header.segment_bytes(), stretch.to_end);
  pump_chunks(job, source, job.sink, segments * header.stored_segment_bytes(), 0, pass_on,
              [&](std::span<std::byte> chunk, std::size_t size_bytes, std::uint64_t index, bool last) {
                cipher.seal(index, cut_segments(chunk.first(size_bytes), header.stored_segment_bytes()),
                            last);
              });
}

// The stretch of stored segments that the job's source holds.
void open_stretch(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                  const Stretch& stretch) {
  StrictOpener opener(job, header, keys, stretch.first);
  GaplessSink sink(job.sink, header.stored_segment_bytes());
  pump_opened(job, header, job.source, sink, opener, stretch.to_end);
}

// The plan of a seekable source with `body` bytes behind the header.
UnitPlan opening_plan(const SealedHeader& header, std::uint64_t body) {
  return {.direction = core::Direction::decrypt,
          .input_bytes = header.bytes.size() + body,
          .header = header.bytes};
}

// Requires the last segment, which is short, of a seekable source with `body` bytes behind the header.
void verify_end(const Job& job, const SealedHeader& header, const SealedKeys& keys, std::uint64_t body) {
  const std::uint64_t full = body / header.stored_segment_bytes();
  if (body % header.stored_segment_bytes() < kSegmentTagBytes) ends_early(full);
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  const UnitPlan plan = opening_plan(header, body);
  FileUnits(plan, sealed_work(core::Direction::decrypt, header, keys))
      .run(with_sink(job, *nowhere), full, full + 1);
}

// The stored bytes from segment `index` on, as many as a segment can have.
std::vector<std::byte> stored_bytes(const Job& job, const SealedHeader& header, std::uint64_t body,
                                    std::uint64_t index) {
  const std::uint64_t first = index * header.stored_segment_bytes();
  const std::uint64_t size = std::min<std::uint64_t>(header.stored_segment_bytes(), body - first);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (!job.source.read_at(bytes, header.bytes.size() + first)) bytes.clear();
  return bytes;
}

// Damaged segments that may stand in front of the short last one, where other bytes follow it.
constexpr std::uint64_t kMaxBeforeEnd = 64;

// Where the segments of a seekable source end, if other bytes follow: behind the first short segment that
// verifies after the last whole one that does. Otherwise `body`, all there is.
std::uint64_t find_body_end(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                            std::uint64_t body) {
  const std::uint64_t stored = header.stored_segment_bytes();
  std::uint64_t next = (body + stored - 1) / stored;
  for (; next != 0; --next) {
    const std::vector<std::byte> last = stored_bytes(job, header, body, next - 1);
    if (last.size() < kSegmentTagBytes || !is_authentic(keys, next - 1, last)) continue;
    if (last.size() < stored) return body;
    break;
  }
  for (std::uint64_t index = next; index * stored < body && index <= next + kMaxBeforeEnd; ++index) {
    const auto size = find_short_segment(keys, index, stored_bytes(job, header, body, index));
    if (size) return index * stored + *size;
  }
  return body;
}

}  // namespace

std::optional<std::uint64_t> claimed_plain_bytes(const SealedHeader& header, std::uint64_t file_bytes) {
  if (file_bytes < header.bytes.size()) return std::nullopt;
  const std::uint64_t body = file_bytes - header.bytes.size();
  const std::uint64_t rest = body % header.stored_segment_bytes();
  if (rest < kSegmentTagBytes) return std::nullopt;
  return body / header.stored_segment_bytes() * header.segment_bytes() + rest - kSegmentTagBytes;
}

bool opens_a_segment(const Job& job, const SealedHeader& header, const SealedKeys& keys) {
  if (!can_seek(job)) return false;
  const std::uint64_t bytes = std::min<std::uint64_t>(body_bytes(job, header), header.stored_segment_bytes());
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes));
  return bytes >= kSegmentTagBytes && job.source.read_at(stored, header.bytes.size()) &&
         is_authentic(keys, 0, stored);
}

UnitWork sealed_work(core::Direction direction, const SealedHeader& header, const SealedKeys& keys) {
  const bool seals = direction == core::Direction::encrypt;
  const std::size_t stored = header.stored_segment_bytes();
  UnitWork work;
  work.input_bytes = seals ? header.segment_bytes() : stored;
  work.output_bytes = seals ? stored : header.segment_bytes();
  work.ends_short = true;
  work.chunk_bytes = std::max<std::size_t>(1, kAloneChunkBytes / header.segment_bytes()) * stored;
  work.run = [seals, &header, &keys](const Job& job, const Stretch& stretch) {
    seals ? seal_stretch(job, header, keys, stretch) : open_stretch(job, header, keys, stretch);
  };
  return work;
}

void encrypt_sealed(const Job& job, const SealedSecret& secret, const SealedOptions& options) {
  SealedKeys keys;
  const SealedHeader header =
      make_sealed_header(options.segment_log2, secret, options.cost, keys, options.bounds);
  require_room(job.source.size_bytes().value_or(0), kMaxSealedBytes);
  write_counted(job, header.bytes);
  run_all(job, sealed_work(core::Direction::encrypt, header, keys));
}

void decrypt_sealed(const Job& job, const SealedHeader& header, const SealedKeys& keys) {
  run_all(job, sealed_work(core::Direction::decrypt, header, keys));
}

SalvageReport salvage_sealed(const Job& job, const SealedHeader& header, const SealedKeys& keys) {
  GaplessSink sink(job.sink, header.stored_segment_bytes());
  const auto salvage = [&](const Job& from) {
    Salvager opener(from, header, keys, 0);
    pump_opened(from, header, from.source, sink, opener);
    return opener.report();
  };
  if (!can_seek(job)) return salvage(job);
  const std::uint64_t body = body_bytes(job, header);
  const std::uint64_t end = find_body_end(job, header, keys, body);
  PartSource part(job.source, header.bytes.size(), header.bytes.size() + end);
  SalvageReport report = salvage(with_source(job, part));
  report.bytes_after_end = body - end;
  return report;
}

void decrypt_sealed_range(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                          std::uint64_t first, std::optional<std::uint64_t> count) {
  const std::uint64_t body = body_bytes(job, header);
  const std::uint64_t full = body / header.stored_segment_bytes();
  const std::uint64_t last_bytes = body % header.stored_segment_bytes();
  const std::uint64_t left = std::numeric_limits<std::uint64_t>::max() - first;
  const std::uint64_t end = first + std::min(count.value_or(left), left);
  const std::uint64_t plain =
      full * header.segment_bytes() + (last_bytes < kSegmentTagBytes ? 0 : last_bytes - kSegmentTagBytes);
  const bool end_matters = end >= plain;
  if (end_matters) {
    // Checked before anything is released: where the data end is part of the answer.
    verify_end(job, header, keys, body);
    if (first > plain) {
      throw Error(Errc::usage, "the range begins at byte " + std::to_string(first) + " and the file holds " +
                                   std::to_string(plain));
    }
  }
  const std::uint64_t first_index = first / header.segment_bytes();
  // Past the last segment of which a byte is requested.
  const std::uint64_t end_index = end == first ? first_index : (end - 1) / header.segment_bytes() + 1;
  const UnitPlan plan = opening_plan(header, body);
  const FileUnits units(plan, sealed_work(core::Direction::decrypt, header, keys));
  Excerpt sink(job.sink, first % header.segment_bytes(), end - first);
  units.run(with_sink(job, sink), first_index, end_matters || end_index > full ? units.count() : end_index);
}

std::optional<Error> rekey_sealed(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                                  const SealedSecret& secret, const SealedOptions& options) {
  const SealedHeader renewed = rekey_sealed_header(header, keys, secret, options.cost, options.bounds);
  std::optional<Error> damage;
  try {
    if (can_seek(job)) verify_end(job, header, keys, body_bytes(job, header));
  } catch (const Error& error) {
    if (error.code() != Errc::damaged) throw;
    damage = error;
  }
  write_counted(job, renewed.bytes);
  pump_chunks(job, job.source, job.sink, chunk_segments(job, header) * header.stored_segment_bytes(), 0,
              pass_on);
  return damage;
}

void seal_anew(const Job& job, const SealedHeader& header, const SealedKeys& keys, const SealedSecret& secret,
               const SealedOptions& options) {
  SealedKeys new_keys;
  const SealedHeader renewed =
      make_sealed_header(header.segment_log2, secret, options.cost, new_keys, options.bounds);
  write_counted(job, renewed.bytes);
  StrictOpener opener(job, header, keys, 0);
  SegmentCipher sealer(job.engine, new_keys, 0, opener.chunk_segments(), parallel_workers(job));
  pump_opened(job, header, job.source, job.sink, opener, true,
              [&](std::span<std::byte> stored, std::uint64_t index, bool last) {
                sealer.seal(index, opener.segments_of(stored), last);
              });
}

}  // namespace fugu::format
