// Expected values: RFC 1320 (MD4), RFC 1321 (MD5), FIPS 180-4, the RIPEMD-160 page of its authors, RFC 4231.
#include "fugu/auth/digest.hpp"

#include "fugu/error.hpp"
#include "support/hex.hpp"
#include "support/pattern.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

using test::bytes_of;

TEST(Digest, PublishedValues) {
  const std::pair<const char*, const char*> of_abc[] = {
      {"md4", "a448017aaf21d8525fc10ae87aa6729d"},
      {"md5", "900150983cd24fb0d6963f7d28e17f72"},
      {"sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
      {"SHA256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}};
  for (const auto& [name, value] : of_abc) {
    EXPECT_EQ(test::hex_of(digest(name, {bytes_of("a"), {}, bytes_of("bc")}).span()), value) << name;
  }
}

TEST(Digest, BeginsAnewAfterItsEnd) {
  Digest hash("md5");
  std::array<std::byte, 16> out;
  hash.update(bytes_of("something else")).finish(out);
  hash.update(bytes_of("abc")).finish(out);
  EXPECT_EQ(test::hex_of(out), "900150983cd24fb0d6963f7d28e17f72");
}

TEST(Digest, UnknownNamesAreRefused) {
  EXPECT_THROW(Digest("no-such-digest"), Error);
  EXPECT_THROW(Digest("NULL"), Error);
  EXPECT_THROW(Hmac("no-such-digest", bytes_of("key")), Error);
}

// RFC 4231, test case 2.
TEST(Hmac, PublishedValue) {
  Hmac hmac("sha256", bytes_of("Jefe"));
  for (int message = 0; message < 2; ++message) {
    std::array<std::byte, 32> mac;
    hmac.update(bytes_of("what do ya want for nothing?")).finish(mac);
    EXPECT_EQ(test::hex_of(mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }
}

}  // namespace
}  // namespace fugu::auth
