// Compares the key schedule with OpenSSL's by encrypting blocks: each block depends on how all words of the
// schedule were made.
#include "fugu/cipher/schedule.hpp"

#include "fugu/cipher/tables.hpp"
#include "support/openssl_blowfish.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::cipher {
namespace {

// So many blocks look up every S-box entry with near certainty, so that no wrong entry stays unseen.
constexpr std::size_t kBlocks = 64;

test::Bytes encrypt(const Schedule& schedule, const test::Bytes& in) {
  test::Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); i += 8) {
    const core::Block block = core::to_block<core::ByteOrder::big>(core::load_u64_big(in.data() + i));
    std::uint32_t left[1] = {block.left};
    std::uint32_t right[1] = {block.right};
    core::run_blocks<core::Direction::encrypt>(ScheduleTables(schedule), left, right);
    core::store_u64_big(out.data() + i, core::from_block<core::ByteOrder::big>({left[0], right[0]}));
  }
  return out;
}

TEST(Schedule, EveryKeyLengthAgreesWithOpenSsl) {
  test::Random random(1);
  for (std::size_t bytes = kMinKeyBytes; bytes <= kMaxClassicKeyBytes; ++bytes) {
    const test::Bytes key = test::random_bytes(random, bytes);
    const test::Bytes in = test::random_bytes(random, 8 * kBlocks);
    Schedule schedule;
    expand(key, schedule);
    EXPECT_EQ(encrypt(schedule, in), test::OpenSslBlowfish("BF-ECB", true, key).apply(in))
        << bytes << " key bytes";
  }
}

TEST(Schedule, EveryKeyLengthAgreesWithBotan) {
  std::size_t bytes = 0;
  for (const test::Vector& vector : test::read_vectors("key_lengths.vec")) {
    ASSERT_EQ(vector.key.size(), ++bytes) << vector.where;
    Schedule schedule;
    expand(vector.key, schedule);
    EXPECT_EQ(encrypt(schedule, vector.plaintext), vector.ciphertext) << vector.where;
  }
  EXPECT_EQ(bytes, kMaxClassicKeyBytes);
}

TEST(Schedule, KeysExpandedTogetherAreThoseExpandedAlone) {
  test::Random random(2);
  for (std::size_t count = 0; count <= 2 * kMaxKeysAtOnce + 1; ++count) {
    std::vector<test::Bytes> keys;
    for (std::size_t i = 0; i < count; ++i)
      keys.push_back(test::random_bytes(random, static_cast<std::size_t>(1 + random() % 72)));
    const std::vector<std::span<const std::byte>> spans(keys.begin(), keys.end());
    std::vector<Schedule> together(count);
    expand(spans, together);
    for (std::size_t i = 0; i < count; ++i) {
      const test::Bytes in = test::random_bytes(random, 8 * kBlocks);
      EXPECT_EQ(encrypt(together[i], in), test::OpenSslBlowfish("BF-ECB", true, keys[i]).apply(in))
          << i << " of " << count;
    }
  }
}

TEST(Schedule, RefusesKeysOfOtherLengths) {
  Schedule schedule;
  for (const std::size_t bytes : {std::size_t{0}, kMaxClassicKeyBytes + 1}) {
    const test::Bytes key(bytes);
    EXPECT_EQ(test::code_of([&] { expand(key, schedule); }), Errc::usage) << bytes;
  }
}

TEST(Schedule, RefusesCountsThatDiffer) {
  const test::Bytes key(8);
  const std::span<const std::byte> one_key(key);
  std::array<Schedule, 2> two;
  EXPECT_THROW(expand({&one_key, 1}, two), Error);
}

TEST(Schedule, LeavesNothingBehind) {
  alignas(Schedule) std::array<std::byte, sizeof(Schedule)> memory;
  auto* schedule = new (memory.data()) Schedule;
  expand(test::pattern(16), *schedule);
  schedule->~Schedule();
  EXPECT_EQ(std::count(memory.begin(), memory.end(), std::byte{0}),
            static_cast<std::ptrdiff_t>(memory.size()));
}

}  // namespace
}  // namespace fugu::cipher
