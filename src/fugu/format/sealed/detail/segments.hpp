// The segments of a sealed file, many at a time and in place: keys, cipher, tags (SEALED.md, "Segments").
//
// One call works on a run of consecutive stored segments, in one engine call with a key per segment; as many
// runs at a time as the engine takes calls. A segment's tag is computed on the thread that ciphers it: after
// encrypting, before decrypting. The same pass derives the keys of the next run, four schedules interleaved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/sealed/header.hpp"

namespace fugu::format {

// A stored segment is content || tag, kSegmentTagBytes or longer.
using StoredSegment = std::span<std::byte>;

// Cuts `stored` into full stored segments and what is left, which may be too short to be a segment.
std::vector<StoredSegment> cut_segments(std::span<std::byte> stored, std::size_t stored_segment_bytes);

class SegmentCipher {
 public:
  // Run 0 begins with segment `first_index` of the file, and each run but the last has `run_segments`.
  // `engine` and `keys` outlive it.
  SegmentCipher(engine::Engine& engine, const SealedKeys& keys, std::uint64_t first_index,
                std::size_t run_segments);
  ~SegmentCipher();

  // How many threads may make calls at a time: thread t those for the runs t modulo this.
  std::size_t runs_at_a_time() const { return ahead_.size(); }

  // Plaintext || 16 bytes of any value becomes content || tag.
  void seal(std::uint64_t run, std::span<const StoredSegment> segments, bool last);

  // Content || tag becomes plaintext || 16 bytes of no meaning where the tag matches. Where it does not, the
  // memory is left as it is and authentic[i] is 0.
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
  std::vector<std::unique_ptr<RunKeys>> ahead_;  // a thread: of the run that comes to it next, if any
};

}  // namespace fugu::format
