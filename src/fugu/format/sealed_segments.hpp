// The segments of a sealed file, many at a time and in place: keys, cipher, tags (SEALED.md, "Segments").
//
// One call works on a run of consecutive stored segments, in one engine call with a key a segment. Each tag
// is computed by the thread that encrypts its segment, right after it, or decrypts it, right before; beside
// them the keys of as many segments that follow, four schedules interleaved. Private to format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/sealed_header.hpp"

namespace fugu::format {

// A stored segment is content || tag, kSegmentTagBytes or longer.
using StoredSegment = std::span<std::byte>;

// Cuts `stored` into full stored segments and what is left, which may be too short to be a segment.
std::vector<StoredSegment> cut_segments(std::span<std::byte> stored, std::size_t stored_segment_bytes);

class SegmentCipher {
 public:
  // `engine` and `keys` outlive it.
  SegmentCipher(engine::Engine& engine, const SealedKeys& keys);
  ~SegmentCipher();

  // Plaintext || 16 bytes of any value becomes content || tag. segments[0] is number `first_index` of the
  // file. `last`: no call follows.
  void seal(std::uint64_t first_index, std::span<const StoredSegment> segments, bool last);

  // Content || tag becomes plaintext || 16 bytes of no meaning where the tag matches. Where it does not, the
  // memory is left as it is and authentic[i] is 0.
  void open(std::uint64_t first_index, std::span<const StoredSegment> segments,
            std::span<std::uint8_t> authentic, bool last);

 private:
  struct RunKeys;  // schedules and Poly1305 keys of a run

  std::unique_ptr<RunKeys> room_for_keys(std::uint64_t first_index, std::size_t count) const;
  std::unique_ptr<RunKeys> take_keys(std::uint64_t first_index, std::size_t count);
  static std::vector<engine::Segment> cipher_run(const RunKeys& keys,
                                                 std::span<const StoredSegment> segments);

  engine::Engine& engine_;
  const SealedKeys& keys_;
  std::unique_ptr<RunKeys> ahead_;  // of the run that will probably come next
};

}  // namespace fugu::format
