#include "fugu/format/sealed/detail/segments.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "fugu/auth/mac.hpp"
#include "fugu/core/block.hpp"
#include "fugu/core/wipe.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kSegmentKeyBytes = cipher::kMaxKeyBytes + auth::kPoly1305KeyBytes;
constexpr std::size_t kGroup = cipher::kMaxKeysAtOnce;

using TagKey = std::array<std::byte, auth::kPoly1305KeyBytes>;

struct SegmentKey {
  std::array<std::byte, kSegmentKeyBytes> bytes{};

  ~SegmentKey() { core::wipe(bytes.data(), bytes.size()); }
  std::span<const std::byte> cipher_key() const { return std::span(bytes).first(cipher::kMaxKeyBytes); }
  std::span<const std::byte> tag_key() const { return std::span(bytes).subspan(cipher::kMaxKeyBytes); }
};

void store_u64_little(std::byte* to, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

void derive(std::span<const std::byte> prk, std::uint64_t index, SegmentKey& key) {
  constexpr std::string_view kLabel = "fugu1 segment";
  std::array<std::byte, kLabel.size() + 8> info{};
  std::ranges::copy(std::as_bytes(std::span(kLabel)), info.begin());
  store_u64_little(info.data() + kLabel.size(), index);
  auth::hkdf_expand(prk, info, key.bytes);
}

std::span<std::byte> content_of(StoredSegment segment) {
  return segment.first(segment.size() - kSegmentTagBytes);
}

auth::Poly1305Tag tag_of(const TagKey& key, std::span<const std::byte> content) {
  // Zeros up to a multiple of 16, then the two lengths of RFC 8439, 2.8.
  std::array<std::byte, 2 * 16> tail{};
  const std::size_t padding = (16 - content.size() % 16) % 16;
  store_u64_little(tail.data() + padding + 8, content.size());
  auth::Poly1305 mac(key);
  mac.update(content);
  mac.update(std::span(tail).first(padding + 16));
  return mac.finish();
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
  }

  std::span<const std::byte> prk;
  std::uint64_t first_index;
  std::vector<cipher::Schedule> schedules;  // wipe themselves
  std::vector<TagKey> tag_keys;
};

SegmentCipher::SegmentCipher(engine::Engine& engine, const SealedKeys& keys, std::uint64_t first_index,
                             std::size_t run_segments)
    : engine_(engine),
      keys_(keys),
      first_index_(first_index),
      run_segments_(run_segments),
      ahead_(engine.calls_at_a_time()) {}

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
  engine_.for_each((count + kGroup - 1) / kGroup,
                   [&](std::size_t group) { keys->fill_group_at(group * kGroup); });
  return keys;
}

std::vector<StoredSegment> cut_segments(std::span<std::byte> stored, std::size_t stored_segment_bytes) {
  std::vector<StoredSegment> segments;
  while (!stored.empty()) {
    segments.push_back(stored.first(std::min(stored_segment_bytes, stored.size())));
    stored = stored.subspan(segments.back().size());
  }
  return segments;
}

std::vector<engine::Segment> SegmentCipher::cipher_run(const RunKeys& keys,
                                                       std::span<const StoredSegment> segments) {
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
  engine::SegmentHooks hooks;
  hooks.before = [&](std::size_t i) {
    ahead->fill_group_at(i);
    return true;
  };
  hooks.after = [&](std::size_t i) {
    const auth::Poly1305Tag tag = tag_of(keys->tag_keys[i], content_of(segments[i]));
    std::ranges::copy(tag, segments[i].last(kSegmentTagBytes).begin());
  };
  engine_.run_with(engine::Op::ctr, cipher_run(*keys, segments), hooks);
  if (!last) ahead_of(run) = std::move(ahead);
}

void SegmentCipher::open(std::uint64_t run, std::span<const StoredSegment> segments,
                         std::span<std::uint8_t> authentic, bool last) {
  const std::unique_ptr<RunKeys> keys = take_keys(run, segments.size());
  auto ahead = room_for_keys(run + ahead_.size(), last ? 0 : run_segments_);
  engine::SegmentHooks hooks;
  hooks.before = [&](std::size_t i) {
    ahead->fill_group_at(i);
    const auth::Poly1305Tag tag = tag_of(keys->tag_keys[i], content_of(segments[i]));
    const bool match = auth::equal_constant_time(tag, segments[i].last(kSegmentTagBytes));
    authentic[i] = match ? 1 : 0;
    return match;
  };
  engine_.run_with(engine::Op::ctr, cipher_run(*keys, segments), hooks);
  if (!last) ahead_of(run) = std::move(ahead);
}

}  // namespace fugu::format
