// The segments of a sealed file, many at a time and in place: keys, cipher, tags (SEALED.md, "Segments").
//
// One call processes a run of consecutive stored segments, in one engine call with a key per segment; several
// threads may each process runs of their own. A segment's tag is computed on the thread that
// ciphers it: after encrypting, before decrypting. The same pass derives the keys of the next run, four
// schedules interleaved, and compares a random block of each segment with the scalar code.
#pragma once

#include <memory>
#include <optional>

#include "fugu/engine/engine.hpp"
#include "fugu/format/sealed/header.hpp"

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

}  // namespace fugu::format
