// The search for weak keys on a GPU finds the keys that OpenSSL's schedule found, and those that the CPU
// finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "fugu/engine/cuda/weak_keys.hpp"
#include "fugu/error.hpp"
#include "support/gpu.hpp"
#include "support/weak_keys.hpp"

namespace fugu::engine {
namespace {

using cipher::WeakKey;

class WeakKeysOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    FUGU_NEED_GPU(1);
    context_.emplace(0);
    stream_.emplace(*context_);
  }

  // All device memory must have been released.
  void TearDown() override {
    if (!context_) return;
    EXPECT_EQ(context_->stats().live_device_bytes, 0u);
    EXPECT_EQ(context_->stats().failed_wipes, 0u);
  }

  std::vector<WeakKey> find(std::uint64_t first, std::uint64_t count,
                            const std::function<void(std::uint64_t)>& done = {}) {
    return cuda::find_weak_keys(first, count, *stream_, done);
  }

 private:
  std::optional<device::Context> context_;
  std::optional<device::Stream> stream_;
};

// compute-sanitizer runs this test: a group of keys and a part of one, also beyond 2^64 - 1.
TEST_F(WeakKeysOnGpu, some_warps) {
  const WeakKey weak = fugu::test::known_weak_keys()[0];
  EXPECT_EQ(find(weak.key - 30, 61), std::vector{weak});
  EXPECT_EQ(find(weak.key, 1), std::vector{weak});
  EXPECT_TRUE(find(weak.key + 1, 2).empty());
  EXPECT_TRUE(find(weak.key - 1, 1).empty());
  EXPECT_TRUE(find(~std::uint64_t{0} - 2, 3).empty());
  EXPECT_TRUE(find(weak.key, 0).empty());
}

TEST_F(WeakKeysOnGpu, the_first_million) {
  std::uint64_t keys = 0;
  const auto found = find(0, 1 << 20, [&keys](std::uint64_t more) { keys += more; });
  EXPECT_EQ(keys, 1u << 20);
  EXPECT_EQ(found.size(), 26u);  // the first line of vectors/sbox/weak_keys.txt
  for (const WeakKey& weak : fugu::test::known_weak_keys())
    EXPECT_NE(std::ranges::find(found, weak), found.end()) << std::hex << weak.key;
}

TEST_F(WeakKeysOnGpu, the_answers_of_the_cpu) {
  for (const std::uint64_t first : {std::uint64_t{0x0123456789abcdef}, ~std::uint64_t{99'999}}) {
    const auto expected = cipher::find_weak_keys(first, 100'000);
    EXPECT_GT(expected.size(), 0u);
    EXPECT_EQ(find(first, 100'000), expected);
  }
}

// There are several parts, the last one short. Results are in the order of the keys.
TEST_F(WeakKeysOnGpu, many_parts) {
  constexpr std::uint64_t kKeys = (std::uint64_t{5} << 22) + 12'345;
  std::vector<std::uint64_t> parts;
  const auto found = find(1u << 30, kKeys, [&parts](std::uint64_t keys) { parts.push_back(keys); });
  EXPECT_EQ(parts, (std::vector<std::uint64_t>{1 << 22, 1 << 22, 1 << 22, 1 << 22, 1 << 22, 12'345}));
  EXPECT_TRUE(std::ranges::is_sorted(found));
  for (const WeakKey& weak : found) {
    const auto again = cipher::find_weak_keys(weak.key, 1);
    EXPECT_NE(std::ranges::find(again, weak), again.end());
  }
}

TEST_F(WeakKeysOnGpu, can_be_ended) {
  struct Enough {};
  EXPECT_THROW(find(0, std::uint64_t{1} << 40, [](std::uint64_t) { throw Enough(); }), Enough);
}

TEST_F(WeakKeysOnGpu, refuses_keys_beyond_the_last) {
  EXPECT_THROW(find(~std::uint64_t{0}, 2), Error);
}

}  // namespace
}  // namespace fugu::engine
