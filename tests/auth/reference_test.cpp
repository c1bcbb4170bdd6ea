// Compares the reference with published values: the 34 ECB vectors of B. Schneier and E. Young, and the
// chains of SSLeay's `bftest`. Other tests may therefore take the reference for Blowfish.
#include "fugu/auth/reference.hpp"

#include "fugu/error.hpp"
#include "support/hex.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

std::vector<std::byte> once(ReferenceMode mode, bool encrypt, const std::string& key,
                            const std::string& input) {
  ReferenceBlowfish reference(mode, encrypt, test::bytes_of_hex(key));
  std::vector<std::byte> bytes = test::bytes_of_hex(input);
  reference.update(bytes, bytes);
  return bytes;
}

TEST(Reference, PublishedBlocks) {
  EXPECT_EQ(once(ReferenceMode::ecb, true, "0000000000000000", "0000000000000000"),
            test::bytes_of_hex("4ef997456198dd78"));
  EXPECT_EQ(once(ReferenceMode::ecb, true, "ffffffffffffffff", "ffffffffffffffff"),
            test::bytes_of_hex("51866fd5b85ecb8a"));
  EXPECT_EQ(once(ReferenceMode::ecb, false, "0123456789abcdef", "61f9c3802281b096"),
            test::bytes_of_hex("1111111111111111"));
  EXPECT_EQ(once(ReferenceMode::ecb, true, "f0", "fedcba9876543210"), test::bytes_of_hex("f9ad597c49db005e"));
}

TEST(Reference, TakesEveryKeyLengthUpTo72) {
  const std::vector<std::byte> zeros(72);
  std::vector<std::byte> expected =
      test::bytes_of_hex("4ef997456198dd78");  // all keys of zero bytes have one schedule
  for (std::size_t bytes = 1; bytes <= 72; ++bytes) {
    std::vector<std::byte> block(8);
    ReferenceBlowfish(ReferenceMode::ecb, true, std::span(zeros).first(bytes)).update(block, block);
    EXPECT_EQ(block, expected) << bytes;
  }
}

TEST(Reference, RefusesWhatOpensslCannotDo) {
  const std::vector<std::byte> key(73);
  EXPECT_THROW(ReferenceBlowfish(ReferenceMode::ecb, true, key), Error);
  EXPECT_THROW(ReferenceBlowfish(ReferenceMode::ecb, true, {}), Error);
  std::vector<std::byte> odd(9);
  ReferenceBlowfish cbc(ReferenceMode::cbc, true, std::span(key).first(16));
  EXPECT_THROW(cbc.update(odd, odd), Error);
  ReferenceBlowfish ofb(ReferenceMode::ofb, true, std::span(key).first(16));
  EXPECT_NO_THROW(ofb.update(odd, odd));
}

}  // namespace
}  // namespace fugu::auth
