#include "fugu/auth/secret.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "fugu/auth/random.hpp"

namespace fugu::auth {
namespace {

std::string text_of(const SecretBytes& secret) {
  const auto bytes = secret.span();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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

}  // namespace
}  // namespace fugu::auth
