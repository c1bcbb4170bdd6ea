// The search for weak keys, run lane by lane on the host: its key schedules are compared with OpenSSL's, and
// it finds equal entries anywhere in a box.
#define OPENSSL_SUPPRESS_DEPRECATED  // only BF_set_key() shows its tables

#include <gtest/gtest.h>
#include <openssl/blowfish.h>

#include <array>
#include <random>
#include <vector>

#include "fugu/cipher/schedule.hpp"
#include "kernels/blowfish/blowfish_policy.hpp"
#include "kernels/blowfish/weak_keys_agent.hpp"
#include "support/many_cases.hpp"
#include "support/weak_keys.hpp"

namespace fugu::test {
namespace {

using kernels::kWeakKeyLanes;
using kernels::kWeakKeysPerWarp;
using kernels::WeakKeyLane;
using Box = std::array<std::uint32_t, core::kSboxEntries>;

// One warp and its shared memory. The lanes run in an order that the device does not promise, either.
class Warp {
 public:
  explicit Warp(bool backward) : backward_(backward), shared_(kernels::kWeakKeyWords, 0xdeadbeefu) {
    for (unsigned lane = 0; lane < kWeakKeyLanes; ++lane)
      lanes_.emplace_back(shared_.data(), cipher::initial_words().data(), lane);
  }

  void expand(std::uint64_t first_key) {
    for_lanes([](WeakKeyLane& lane) { lane.fill(); });
    for_lanes([&](WeakKeyLane& lane) {
      if (lane.is_first_box()) lane.expand(first_key);
    });
  }

  unsigned suspects() {
    std::uint32_t lanes = 0;
    for_lanes([&](WeakKeyLane& lane) {
      if (lane.is_suspect()) lanes |= 1u << (&lane - lanes_.data());
    });
    return kernels::suspect_keys(lanes);
  }

  void wipe() {
    for_lanes([](WeakKeyLane& lane) { lane.wipe(); });
  }

  std::uint32_t& entry(unsigned box, unsigned key, unsigned b) {
    return shared_[b * kWeakKeyLanes + box * kWeakKeysPerWarp + key];
  }
  const std::vector<std::uint32_t>& shared() const { return shared_; }

 private:
  template <class Phase>
  void for_lanes(Phase phase) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) phase(lanes_[backward_ ? lanes_.size() - 1 - i : i]);
  }

  bool backward_;
  std::vector<std::uint32_t> shared_;
  std::vector<WeakKeyLane> lanes_;
};

std::array<std::uint8_t, 8> bytes_of(std::uint64_t key) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(key >> (56 - 8 * i));
  return bytes;
}

TEST(WeakKeysAgent, key_schedules_are_those_of_openssl) {
  for (const bool backward : {false, true}) {
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}, ~std::uint64_t{3}}) {
      Warp warp(backward);
      warp.expand(first);
      for (unsigned key = 0; key < kWeakKeysPerWarp; ++key) {
        BF_KEY expected;
        BF_set_key(&expected, 8, bytes_of(first + key).data());
        for (unsigned i = 0; i < core::kSboxes * core::kSboxEntries; ++i)
          ASSERT_EQ(warp.entry(i / 256, key, i % 256), expected.S[i]) << "key " << key << ", entry " << i;
      }
    }
  }
}

TEST(WeakKeysAgent, finds_the_weak_keys_that_openssl_finds) {
  for (const cipher::WeakKey& weak : known_weak_keys()) {
    for (const unsigned place : {0u, 3u, 7u}) {
      Warp warp(place == 3);
      warp.expand(weak.key - place);
      EXPECT_EQ(warp.suspects(), 1u << place) << std::hex << weak.key;
    }
  }
}

// Takes every distance between the two entries, in both halves of a box.
TEST(WeakKeysAgent, equal_entries_anywhere) {
  std::mt19937 random(1);
  Warp warp(false);
  for (unsigned x = 0; x < core::kSboxEntries; x += kSanitized ? 15 : 1) {
    for (unsigned y = x + 1; y < core::kSboxEntries; y += 1 + x % 5) {
      for (unsigned i = 0; i < kWeakKeyLanes * core::kSboxEntries; ++i)
        warp.entry(i / 256 / kWeakKeysPerWarp, i / 256 % kWeakKeysPerWarp, i % 256) = i * 0x9e3779b1u;
      const unsigned box = random() % core::kSboxes, key = random() % kWeakKeysPerWarp;
      warp.entry(box, key, y) = warp.entry(box, key, x);
      ASSERT_EQ(warp.suspects(), 1u << key) << x << " and " << y;
    }
  }
}

TEST(WeakKeysAgent, boxes_of_entries_alike_are_suspect_and_never_passed_over) {
  Warp warp(false);
  for (unsigned box = 0; box < core::kSboxes; ++box) {
    for (unsigned b = 0; b < core::kSboxEntries; ++b) {
      for (unsigned key = 0; key < kWeakKeysPerWarp; ++key) warp.entry(box, key, b) = b;
      warp.entry(box, 0, b) = 7;        // all are equal
      warp.entry(box, 1, b) = b << 24;  // all fall on the same bits
      warp.entry(box, 2, b) = b % 255;  // the last one is the first one again
    }
  }
  EXPECT_EQ(warp.suspects(), 0b111u);
}

TEST(WeakKeysAgent, leaves_nothing_in_shared_memory) {
  Warp warp(false);
  warp.expand(1);
  warp.wipe();
  for (const std::uint32_t word : warp.shared()) ASSERT_EQ(word, 0u);
}

TEST(WeakKeysAgent, as_many_warps_as_shared_memory_has_room_for) {
  EXPECT_EQ(kernels::weak_key_warps(227 << 10), 7u);
  EXPECT_EQ(kernels::weak_key_warps(99 << 10), 3u);
  EXPECT_EQ(kernels::weak_key_warps(64 << 10), 2u);
}

}  // namespace
}  // namespace fugu::test
