// The segments of a sealed file, many at a time and in place: keys, cipher, tags (SEALED.md, "Segments").
//
// One call processes a run of consecutive stored segments, in one engine call with a key per segment; several
// threads may each process runs of their own. A segment's tag is computed on the thread that
// ciphers it: after encrypting, before decrypting. The same pass derives the keys of the next run, four
// schedules interleaved, and compares a random block of each segment with the scalar code.
#pragma once

#include "fugu/format/detail/filters.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::format {

// A stored segment is content || tag, of at least kSegmentTagBytes.
using StoredSegment = std::span<std::byte>;

// Cuts `stored` into full stored segments and a rest, which may be too short to be a segment.
std::vector<StoredSegment> cut_segments(std::span<std::byte> stored, std::size_t stored_segment_bytes);

class SegmentCipher {
 public:
  // Run 0 begins with segment `first_index` of the file, and each run but the last has `run_segments`.
  // `workers`: the number of threads that may call concurrently; run r belongs to thread r modulo `workers`.
  // `engine` and `keys` outlive it.
  SegmentCipher(engine::Engine& engine, const SealedKeys& keys, std::uint64_t first_index,
                std::size_t run_segments, unsigned workers);
  ~SegmentCipher();

  // Plaintext || 16 arbitrary bytes becomes content || tag. Throws Error{engine}, also for a wrong result.
  void seal(std::uint64_t run, std::span<const StoredSegment> segments, bool last);

  // Content || tag becomes plaintext || 16 meaningless bytes if the tag matches. If it does not, the memory
  // is unchanged and authentic[i] is 0. Throws as seal().
  void open(std::uint64_t run, std::span<const StoredSegment> segments, std::span<std::uint8_t> authentic,
            bool last);

 private:
  struct RunKeys;  // schedules and Poly1305 keys of a run

  std::unique_ptr<RunKeys> room_for_keys(std::uint64_t run, std::size_t count) const;
  std::unique_ptr<RunKeys>& ahead_of(std::uint64_t run);
  std::unique_ptr<RunKeys> take_keys(std::uint64_t run, std::size_t count);
  static std::vector<engine::Segment> cipher_run(const RunKeys& keys,
                                                 std::span<const StoredSegment> segments);

  engine::Engine& engine_;
  const SealedKeys& keys_;
  std::uint64_t first_index_;
  std::size_t run_segments_;
  std::uint64_t seed_;                           // chooses the blocks to compare
  std::vector<std::unique_ptr<RunKeys>> ahead_;  // per thread, for its next run, if any
};

// Whether a stored segment's tag matches.
bool is_authentic(const SealedKeys& keys, std::uint64_t index, std::span<const std::byte> stored);

// The size of the shortest stored segment at the beginning of `bytes` whose tag matches.
std::optional<std::size_t> find_short_segment(const SealedKeys& keys, std::uint64_t index,
                                              std::span<const std::byte> bytes);

// Throws Error{usage} for more plaintext than there is room for.
void require_room(std::uint64_t bytes, std::uint64_t room);

// Lays plaintext out as it will be stored: after each segment's bytes a gap for its tag, and after the end of
// the input a last, short, possibly empty segment. Sealing then works in place and nothing is moved. Reads
// request whole stored segments.
class GapSource final : public stream::Source {
 public:
  // `to_end`: the input ends where the file does; otherwise it consists of full segments, without a short one
  // after them. Throws Error{usage} for an input known to be longer than `max_bytes`; read() does so for
  // others.
  GapSource(stream::Source& plain, std::size_t segment_bytes, std::uint64_t max_bytes, bool to_end);

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override;
  void cancel() noexcept override { plain_.cancel(); }

 private:
  stream::Source& plain_;
  std::size_t segment_bytes_;
  std::uint64_t left_;
  bool to_end_;
  bool ended_ = false;
};

// Passes on the content of opened segments, without the gaps of the tags. Writes are whole stored segments,
// the last of them possibly short.
class GaplessSink final : public Filter {
 public:
  GaplessSink(stream::Sink& plain, std::size_t stored_segment_bytes)
      : Filter(plain), stored_segment_bytes_(stored_segment_bytes) {}

  void write(std::span<const std::byte> from) override;

 private:
  std::size_t stored_segment_bytes_;
};

}  // namespace fugu::format
