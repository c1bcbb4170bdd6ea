#include "fugu/format/sealed/detail/segments.hpp"

#include <atomic>
#include <random>

#include "fugu/cipher/tables.hpp"
#include "fugu/core/block.hpp"
#include "fugu/core/feistel.hpp"
#include "fugu/core/splitmix.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kSegmentKeyBytes = cipher::kMaxKeyBytes + auth::kPoly1305KeyBytes;
constexpr std::size_t kGroup = cipher::kMaxKeysAtOnce;

using TagKey = std::array<std::byte, auth::kPoly1305KeyBytes>;

struct SegmentKey {
  std::array<std::byte, kSegmentKeyBytes> bytes{};

  ~SegmentKey() { core::wipe(bytes.data(), bytes.size()); }
  std::span<const std::byte> cipher_key() const { return std::span(bytes).first(cipher::kMaxKeyBytes); }
  std::span<const std::byte, auth::kPoly1305KeyBytes> tag_key() const {
    return std::span(bytes).last<auth::kPoly1305KeyBytes>();
  }
};

void derive(std::span<const std::byte> prk, std::uint64_t index, SegmentKey& key) {
  constexpr std::string_view kLabel = "fugu1 segment";
  std::array<std::byte, kLabel.size() + 8> info{};
  std::ranges::copy(bytes_in(kLabel), info.begin());
  store_little(index, std::span(info).last<8>());
  auth::hkdf_expand(prk, info, key.bytes);
}

std::span<std::byte> content_of(StoredSegment segment) {
  return segment.first(segment.size() - kSegmentTagBytes);
}

// Ends the tag of a content of which `mac` has all: zeros up to a multiple of 16, then the two lengths of
// RFC 8439, 2.8.
auth::Poly1305Tag finish_tag(auth::Poly1305& mac, std::size_t content_bytes) {
  std::array<std::byte, 2 * 16> tail{};
  const std::size_t padding = (16 - content_bytes % 16) % 16;
  store_little(content_bytes, std::span(tail).subspan(padding + 8, 8));
  mac.update(std::span(tail).first(padding + 16));
  return mac.finish();
}

auth::Poly1305Tag tag_of(std::span<const std::byte, auth::kPoly1305KeyBytes> key,
                         std::span<const std::byte> content) {
  auth::Poly1305 mac(key);
  mac.update(content);
  return finish_tag(mac, content.size());
}

std::uint64_t keystream_block(const cipher::Schedule& schedule, std::uint64_t counter) {
  const core::Block block = core::to_block<core::ByteOrder::big>(counter);
  std::uint32_t left[1] = {block.left};
  std::uint32_t right[1] = {block.right};
  core::run_blocks<core::Direction::encrypt>(cipher::ScheduleTables(schedule), left, right);
  return core::from_block<core::ByteOrder::big>({left[0], right[0]});
}

[[noreturn]] void left_out() {
  throw Error(Errc::engine, "the engine left out a part of its work");
}

// Compares one random block of each segment with the scalar code. A tag vouches for what an engine wrote;
// with this, wrong tables, wrong counters and engines that do nothing are seen as well, though not single
// flips.
class SpotChecks {
 public:
  SpotChecks(std::span<const engine::Segment> segments, std::uint64_t first_index, std::uint64_t seed)
      : segments_(segments), first_index_(first_index), seed_(seed), inputs_(segments.size()) {}

  // To be called with each segment the engine processes, before that and after.
  void before(std::size_t i) {
    if (!segments_[i].in.empty()) inputs_[i] = image(i);
  }
  void after(std::size_t i) {
    ++compared_;
    if (segments_[i].in.empty()) return;
    if ((inputs_[i] ^ image(i)) == keystream_block(*segments_[i].schedule, block(i))) return;
    throw Error(Errc::engine,
                "segment " + std::to_string(first_index_ + i) +
                    ": the engine's result is not Blowfish's: the processor, the GPU, its driver "
                    "or the memory is faulty");
  }

  void require_compared(std::ptrdiff_t count) const {
    if (compared_ != count) left_out();
  }

 private:
  std::uint64_t block(std::size_t i) const {
    return core::SplitMix64(seed_ + first_index_ + i).next() % (segments_[i].in.size() / core::kBlockBytes);
  }
  std::uint64_t image(std::size_t i) const {
    return core::load_u64_big(segments_[i].out.data() + block(i) * core::kBlockBytes);
  }

  std::span<const engine::Segment> segments_;  // in place
  std::uint64_t first_index_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> inputs_;
  std::atomic<std::ptrdiff_t> compared_ = 0;
};

// The system's numbers: OpenSSL would keep a generator for each thread of a pool, and never free it.
std::uint64_t random_seed() {
  std::random_device system;
  return std::uint64_t{system()} << 32 | system();
}

}  // namespace

struct SegmentCipher::RunKeys {
  RunKeys(std::span<const std::byte> prk_of_file, std::uint64_t first, std::size_t segments)
      : prk(prk_of_file), first_index(first), schedules(segments), tag_keys(segments) {}
  ~RunKeys() { core::wipe(tag_keys.data(), tag_keys.size() * sizeof(TagKey)); }
  RunKeys(const RunKeys&) = delete;
  RunKeys& operator=(const RunKeys&) = delete;

  // Fills those of segment `begin` of the run and of the rest of its group, if a group begins there.
  void fill_group_at(std::size_t begin) {
    if (begin % kGroup != 0 || begin >= schedules.size()) return;
    const std::size_t count = std::min(kGroup, schedules.size() - begin);
    std::array<SegmentKey, kGroup> keys;
    std::array<std::span<const std::byte>, kGroup> cipher_keys;
    for (std::size_t i = 0; i < count; ++i) {
      derive(prk, first_index + begin + i, keys[i]);
      cipher_keys[i] = keys[i].cipher_key();
      std::ranges::copy(keys[i].tag_key(), tag_keys[begin + i].begin());
    }
    cipher::expand(std::span(cipher_keys).first(count), std::span(schedules).subspan(begin, count));
    filled += count;
  }

  // The others would all have the same keys.
  void require_filled() const {
    if (filled != schedules.size()) left_out();
  }

  std::span<const std::byte> prk;
  std::uint64_t first_index;
  std::vector<cipher::Schedule> schedules;  // wipe themselves
  std::vector<TagKey> tag_keys;
  std::atomic<std::size_t> filled = 0;
};

SegmentCipher::SegmentCipher(engine::Engine& engine, const SealedKeys& keys, std::uint64_t first_index,
                             std::size_t run_segments, unsigned workers)
    : engine_(engine),
      keys_(keys),
      first_index_(first_index),
      run_segments_(run_segments),
      seed_(random_seed()),
      ahead_(workers) {}

SegmentCipher::~SegmentCipher() = default;

std::unique_ptr<SegmentCipher::RunKeys> SegmentCipher::room_for_keys(std::uint64_t run,
                                                                     std::size_t count) const {
  return std::make_unique<RunKeys>(keys_.prk.span(), first_index_ + run * run_segments_, count);
}

std::unique_ptr<SegmentCipher::RunKeys>& SegmentCipher::ahead_of(std::uint64_t run) {
  return ahead_[static_cast<std::size_t>(run % ahead_.size())];
}

std::unique_ptr<SegmentCipher::RunKeys> SegmentCipher::take_keys(std::uint64_t run, std::size_t count) {
  if (std::unique_ptr<RunKeys>& ahead = ahead_of(run)) return std::move(ahead);
  auto keys = room_for_keys(run, count);
  for (std::size_t begin = 0; begin < count; begin += kGroup) keys->fill_group_at(begin);
  return keys;
}

std::vector<StoredSegment> cut_segments(std::span<std::byte> stored, std::size_t stored_segment_bytes) {
  std::vector<StoredSegment> segments;
  while (!stored.empty()) {
    segments.push_back(first_of(stored, stored_segment_bytes));
    stored = stored.subspan(segments.back().size());
  }
  return segments;
}

std::vector<engine::Segment> SegmentCipher::cipher_run(const RunKeys& keys,
                                                       std::span<const StoredSegment> segments) {
  keys.require_filled();
  std::vector<engine::Segment> run;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // A content that does not fill its last block extends into the tag's place, which is free at that time:
    // the tag is written after encryption when sealing, and compared before decryption when opening.
    const std::size_t content = segments[i].size() - kSegmentTagBytes;
    const auto blocks =
        segments[i].first((content + core::kBlockBytes - 1) / core::kBlockBytes * core::kBlockBytes);
    run.push_back({.schedule = &keys.schedules[i], .in = blocks, .out = blocks});
  }
  return run;
}

void SegmentCipher::seal(std::uint64_t run, std::span<const StoredSegment> segments, bool last) {
  const std::unique_ptr<RunKeys> keys = take_keys(run, segments.size());
  auto ahead = room_for_keys(run + ahead_.size(), last ? 0 : run_segments_);
  const std::vector<engine::Segment> all = cipher_run(*keys, segments);
  SpotChecks checks(all, keys->first_index, seed_);
  engine::SegmentHooks hooks;
  hooks.before = [&](std::size_t i) {
    ahead->fill_group_at(i);
    checks.before(i);
    return true;
  };
  hooks.after = [&](std::size_t i) {
    checks.after(i);
    const auth::Poly1305Tag tag = tag_of(keys->tag_keys[i], content_of(segments[i]));
    std::ranges::copy(tag, segments[i].last(kSegmentTagBytes).begin());
  };
  engine_.run_with(engine::Op::ctr, all, hooks);
  checks.require_compared(std::ssize(segments));
  if (!last) ahead_of(run) = std::move(ahead);
}

void SegmentCipher::open(std::uint64_t run, std::span<const StoredSegment> segments,
                         std::span<std::uint8_t> authentic, bool last) {
  const std::unique_ptr<RunKeys> keys = take_keys(run, segments.size());
  auto ahead = room_for_keys(run + ahead_.size(), last ? 0 : run_segments_);
  const std::vector<engine::Segment> all = cipher_run(*keys, segments);
  SpotChecks checks(all, keys->first_index, seed_);
  constexpr std::uint8_t kUnknown = 2;
  std::ranges::fill(authentic, kUnknown);
  engine::SegmentHooks hooks;
  hooks.before = [&](std::size_t i) {
    ahead->fill_group_at(i);
    const auth::Poly1305Tag tag = tag_of(keys->tag_keys[i], content_of(segments[i]));
    const bool match = auth::equal_constant_time(tag, segments[i].last(kSegmentTagBytes));
    authentic[i] = match ? 1 : 0;
    if (match) checks.before(i);
    return match;
  };
  hooks.after = [&](std::size_t i) { checks.after(i); };
  engine_.run_with(engine::Op::ctr, all, hooks);
  if (std::ranges::count(authentic, kUnknown) != 0) left_out();
  checks.require_compared(std::ranges::count(authentic, 1));
  if (!last) ahead_of(run) = std::move(ahead);
}

bool is_authentic(const SealedKeys& keys, std::uint64_t index, std::span<const std::byte> stored) {
  SegmentKey key;
  derive(keys.prk.span(), index, key);
  const auto content = stored.first(stored.size() - kSegmentTagBytes);
  return auth::equal_constant_time(tag_of(key.tag_key(), content), stored.last(kSegmentTagBytes));
}

std::optional<std::size_t> find_short_segment(const SealedKeys& keys, std::uint64_t index,
                                              std::span<const std::byte> bytes) {
  SegmentKey key;
  derive(keys.prk.span(), index, key);
  auth::Poly1305 whole_blocks(key.tag_key());
  std::size_t done = 0;
  for (std::size_t size = 0; size + kSegmentTagBytes <= bytes.size(); ++size) {
    if (size - done == 16) whole_blocks.update(bytes.subspan(std::exchange(done, size), 16));
    auth::Poly1305 mac(whole_blocks);
    mac.update(bytes.subspan(done, size - done));
    const auto stored = bytes.subspan(size, kSegmentTagBytes);
    if (auth::equal_constant_time(finish_tag(mac, size), stored)) return size + kSegmentTagBytes;
  }
  return std::nullopt;
}

void require_room(std::uint64_t bytes, std::uint64_t room) {
  if (bytes > room) throw Error(Errc::usage, "a sealed file holds at most 1 TiB");
}

GapSource::GapSource(stream::Source& plain, std::size_t segment_bytes, std::uint64_t max_bytes, bool to_end)
    : plain_(plain), segment_bytes_(segment_bytes), left_(max_bytes), to_end_(to_end) {
  require_room(plain.size_bytes().value_or(0), left_);
}

std::size_t GapSource::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (!ended_ && into.size() - filled >= segment_bytes_ + kSegmentTagBytes) {
    const std::span<std::byte> content = into.subspan(filled, segment_bytes_);
    const std::size_t got = plain_.read(content);
    require_room(got, left_);
    left_ -= got;
    ended_ = got < segment_bytes_;
    if (ended_ && !to_end_) break;
    std::ranges::fill(into.subspan(filled + got, kSegmentTagBytes), std::byte{0});
    filled += got + kSegmentTagBytes;
  }
  return filled;
}

std::optional<std::uint64_t> GapSource::size_bytes() const {
  const std::optional<std::uint64_t> plain = plain_.size_bytes();
  if (!plain) return std::nullopt;
  const std::uint64_t full = *plain / segment_bytes_ * (segment_bytes_ + kSegmentTagBytes);
  return to_end_ ? full + *plain % segment_bytes_ + kSegmentTagBytes : full;
}

void GaplessSink::write(std::span<const std::byte> from) {
  std::vector<std::span<const std::byte>> contents;
  while (!from.empty()) {
    const std::size_t stored = std::min(stored_segment_bytes_, from.size());
    contents.push_back(from.first(stored - kSegmentTagBytes));
    from = from.subspan(stored);
  }
  inner_.write_parts(contents);
}

}  // namespace fugu::format
