// The work of one lane of the search for weak keys, as phases between barriers of its warp.
//
// nvcc compiles it inside the kernel shell of weak_keys.cu; g++ compiles it in tests. The order of a warp,
// for each group of kWeakKeysPerWarp keys:
//
//   fill(); BARRIER; expand(), where is_first_box(); BARRIER; is_suspect()
//
// Lane kWeakKeysPerWarp * i + k owns S-box i of key k. All the S-boxes of a warp lie in shared memory, entry
// b of lane l at word 32 b + l. So neither filling or searching a box nor look-ups in box i of several keys
// cause bank conflicts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/feistel.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::kernels {

inline constexpr unsigned kWeakKeyLanes = kWeakKeysPerWarp * core::kSboxes;
inline constexpr unsigned kWeakKeyWords = kWeakKeyLanes * core::kSboxEntries;  // of shared memory, per warp

// The table accessor of core::run_blocks: one key of a warp.
class KeyOfWarp {
 public:
  using Word = std::uint32_t;

  // `boxes`: those of a warp from this key's on. P is combined with the key's two words in turn.
  FUGU_HD KeyOfWarp(std::uint32_t* boxes, const std::uint32_t* initial, std::uint64_t key) : boxes_(boxes) {
    FUGU_UNROLL
    for (int i = 0; i < core::kSubkeys; ++i)
      subkeys_[i] = initial[i] ^ static_cast<std::uint32_t>(i % 2 == 0 ? key >> 32 : key);
  }

  template <int i>
  FUGU_HD Word sbox(const Word& x) const {
    return boxes_[(x >> (24 - 8 * i) & 0xffu) * kWeakKeyLanes + i * kWeakKeysPerWarp];
  }
  FUGU_HD void mix_subkey(Word& x, int i) const { x ^= subkeys_[i]; }

  // Names all subkeys, so that they stay in registers.
  FUGU_HD void replace_subkeys(int first, Word left, Word right) {
    FUGU_UNROLL
    for (int i = 0; i < core::kSubkeys; i += 2) {
      if (i != first) continue;
      subkeys_[i] = left;
      subkeys_[i + 1] = right;
    }
  }

 private:
  std::uint32_t* boxes_;
  std::uint32_t subkeys_[core::kSubkeys];
};

// The set of an S-box's entries seen so far: three bits each in one of 128 words. An entry with all bits set
// may have been seen.
class SeenEntries {
 public:
  static constexpr int kWords = core::kSboxEntries / 2;

  FUGU_HD explicit SeenEntries(std::uint32_t* words) : words_(words) {}

  FUGU_HD void clear() {
    for (int i = 0; i < kWords; ++i) words_[static_cast<unsigned>(i) * kWeakKeyLanes] = 0;
  }

  FUGU_HD bool see(std::uint32_t entry) {
    std::uint32_t& word = words_[entry % kWords * kWeakKeyLanes];
    const std::uint32_t bits = 1u << (entry >> 7 & 31) | 1u << (entry >> 12 & 31) | 1u << (entry >> 17 & 31);
    const bool all = (word & bits) == bits;
    word |= bits;
    return all;
  }

 private:
  std::uint32_t* words_;
};

class WeakKeyLane {
 public:
  // `shared`: kWeakKeyWords of the warp. `initial`: P-array and S-boxes before a key is mixed in.
  FUGU_HD WeakKeyLane(std::uint32_t* shared, const std::uint32_t* initial, unsigned lane)
      : box_(shared + lane), initial_(initial), lane_(lane) {}

  FUGU_HD bool is_first_box() const { return lane_ < kWeakKeysPerWarp; }

  FUGU_HD void fill() {
    const std::uint32_t* from = initial_ + core::kSubkeys + lane_ / kWeakKeysPerWarp * core::kSboxEntries;
    for (unsigned b = 0; b < core::kSboxEntries; ++b) entry(b) = from[b];
  }

  FUGU_HD void wipe() {
    for (unsigned b = 0; b < core::kSboxEntries; ++b) entry(b) = 0;
  }

  // Expands the group's key whose first box is this lane's: a chain of encryptions, each of which replaces
  // the next two words of the tables that it used.
  FUGU_HD void expand(std::uint64_t first_key) {
    KeyOfWarp key(box_, initial_, first_key + lane_);
    std::uint32_t left[1] = {0};
    std::uint32_t right[1] = {0};
    for (int i = 0; i < core::kSubkeys; i += 2) {
      core::run_blocks<core::Direction::encrypt>(key, left, right);
      key.replace_subkeys(i, left[0], right[0]);
    }
    for (unsigned word = 0; word < core::kSboxes * core::kSboxEntries; word += 2) {
      core::run_blocks<core::Direction::encrypt>(key, left, right);
      std::uint32_t* const at = box_ + word / core::kSboxEntries * kWeakKeysPerWarp;
      at[word % core::kSboxEntries * kWeakKeyLanes] = left[0];
      at[(word % core::kSboxEntries + 1) * kWeakKeyLanes] = right[0];
    }
  }

  // Whether this lane's box has two equal entries, or too many candidates to check, which is almost
  // impossible for random boxes. The first half of the box is kept in registers while the set of seen entries
  // occupies its memory.
  FUGU_HD bool is_suspect() {
    std::uint32_t first_half[SeenEntries::kWords];
    FUGU_UNROLL
    for (unsigned b = 0; b < SeenEntries::kWords; ++b) first_half[b] = entry(b);
    SeenEntries seen(box_);
    seen.clear();
    FUGU_UNROLL
    for (unsigned b = 0; b < SeenEntries::kWords; ++b) {
      if (seen.see(first_half[b])) note(b);
    }
    for (unsigned b = SeenEntries::kWords; b < core::kSboxEntries; ++b) {
      if (seen.see(entry(b))) note(b);
    }
    FUGU_UNROLL
    for (unsigned b = 0; b < SeenEntries::kWords; ++b) entry(b) = first_half[b];
    return noted_ > kMaxNoted || any_noted_was_seen();
  }

 private:
  static constexpr unsigned kMaxNoted = 8;

  FUGU_HD std::uint32_t& entry(unsigned b) { return box_[b * kWeakKeyLanes]; }

  FUGU_HD void note(unsigned b) {
    notes_ = notes_ << 8 | b;
    ++noted_;
  }

  FUGU_HD bool any_noted_was_seen() {
    bool found = false;
    for (; noted_ > 0; --noted_, notes_ >>= 8) {
      const auto last = static_cast<unsigned>(notes_ & 0xff);
      const std::uint32_t value = entry(last);
      for (unsigned b = 0; b < last; ++b) found |= entry(b) == value;
    }
    return found;
  }

  std::uint32_t* box_;  // this lane's
  const std::uint32_t* initial_;
  unsigned lane_;
  std::uint64_t notes_ = 0;  // entries possibly seen before, a byte each, the last one lowest
  unsigned noted_ = 0;
};

// The keys of a group with a suspect box: bit k for key k.
FUGU_HD std::uint8_t suspect_keys(std::uint32_t suspect_lanes) {
  std::uint32_t keys = suspect_lanes | suspect_lanes >> 16;
  keys |= keys >> 8;
  return static_cast<std::uint8_t>(keys);
}
static_assert(kWeakKeysPerWarp == 8 && kWeakKeyLanes == 32);

}  // namespace fugu::kernels
