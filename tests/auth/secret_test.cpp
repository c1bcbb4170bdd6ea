#include "fugu/auth/secret.hpp"

#include <set>

#include <openssl/rand.h>

#include "support/pattern.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

std::string text_of(const SecretBytes& secret) {
  return test::text_of(secret.span());
}

TEST(SecretBytes, StartsZeroedAndCopiesWhatItIsGiven) {
  EXPECT_EQ(text_of(SecretBytes(std::size_t{3})), std::string(3, '\0'));
  EXPECT_EQ(text_of(SecretBytes(std::string_view("fugu"))), "fugu");
  EXPECT_TRUE(SecretBytes().empty());
  EXPECT_TRUE(SecretBytes(std::string_view()).empty());
}

TEST(SecretBytes, MovesLeaveNothingBehind) {
  SecretBytes first(std::string_view("first"));
  SecretBytes second(std::move(first));
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): this tests what a move leaves behind
  EXPECT_EQ(text_of(second), "first");
  SecretBytes third(std::string_view("third"));
  third = std::move(second);
  EXPECT_EQ(text_of(third), "first");
}

// Among 1000 draws of eight bytes two are equal with probability 2^-45.
TEST(Random, DrawsDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 500; ++i) {
    std::string drawn(8, '\0');
    random_bytes(std::as_writable_bytes(std::span(drawn)));
    seen.insert(drawn);
    seen.insert(text_of(random_secret(8)));
  }
  EXPECT_EQ(seen.size(), 1000u);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // nothing else replaces OpenSSL's generator
TEST(Random, ASecretIsNewWhenOpensslRepeatsItself) {
  static RAND_METHOD repeats{};
  repeats.bytes = [](unsigned char* out, int count) {
    std::fill_n(out, count, static_cast<unsigned char>(7));
    return 1;
  };
  const RAND_METHOD* const before = RAND_get_rand_method();
  ASSERT_EQ(RAND_set_rand_method(&repeats), 1);
  std::array<std::byte, 32> salt{};
  random_bytes(salt);
  const std::string first = text_of(random_secret(1000));
  const std::string second = text_of(random_secret(1000));
  ASSERT_EQ(RAND_set_rand_method(before), 1);
  EXPECT_EQ(salt[31], std::byte{7});  // so OpenSSL's generator did repeat
  for (std::size_t at = 0; at + 8 <= 1000; at += 8) {
    EXPECT_NE(first.substr(at, 8), std::string(8, 7)) << at;
    EXPECT_NE(first.substr(at, 8), second.substr(at, 8)) << at;
  }
}
#pragma GCC diagnostic pop

}  // namespace
}  // namespace fugu::auth
