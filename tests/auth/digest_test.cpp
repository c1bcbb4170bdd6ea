// Expected values: RFC 1320 (MD4), RFC 1321 (MD5), FIPS 180-4, the RIPEMD-160 page of its authors, RFC 4231,
// RFC 5869, RFC 8439.
#include "fugu/auth/digest.hpp"

#include "fugu/error.hpp"
#include "support/hex.hpp"
#include "support/pattern.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

using test::Bytes;
using test::bytes_of;
using test::bytes_of_hex;

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

Bytes copy(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Sha256, Fips180Example) {
  EXPECT_EQ(copy(sha256(bytes_of("abc"))),
            bytes_of_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  EXPECT_EQ(copy(sha256({})),
            bytes_of_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

TEST(HmacSha256, Rfc4231Cases2And6) {
  EXPECT_EQ(copy(hmac_sha256(bytes_of("Jefe"), bytes_of("what do ya want for nothing?"))),
            bytes_of_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
  EXPECT_EQ(copy(hmac_sha256(Bytes(131, std::byte{0xaa}),
                             bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))),
            bytes_of_hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
}

TEST(Hkdf, Rfc5869Case1) {
  const SecretBytes prk =
      hkdf_extract(bytes_of_hex("000102030405060708090a0b0c"), Bytes(22, std::byte{0x0b}));
  EXPECT_EQ(copy(prk.span()),
            bytes_of_hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
  Bytes okm(42);
  hkdf_expand(prk.span(), bytes_of_hex("f0f1f2f3f4f5f6f7f8f9"), okm);
  EXPECT_EQ(okm, bytes_of_hex(
                     "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));
}

TEST(Hkdf, Rfc5869Case3NoSaltNoInfo) {
  const SecretBytes prk = hkdf_extract({}, Bytes(22, std::byte{0x0b}));
  Bytes okm(42);
  hkdf_expand(prk.span(), {}, okm);
  EXPECT_EQ(okm, bytes_of_hex(
                     "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"));
}

TEST(Hkdf, Rfc5869Case2ThreeBlocks) {
  Bytes ikm, salt, info;
  for (int i = 0; i < 80; ++i) {
    ikm.push_back(static_cast<std::byte>(i));
    salt.push_back(static_cast<std::byte>(0x60 + i));
    info.push_back(static_cast<std::byte>(0xb0 + i));
  }
  const SecretBytes prk = hkdf_extract(salt, ikm);
  Bytes okm(82);
  hkdf_expand(prk.span(), info, okm);
  EXPECT_EQ(
      okm,
      bytes_of_hex("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
                   "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"));
}

TEST(Hkdf, MoreThan255BlocksAreRefused) {
  Bytes out(8161);
  EXPECT_THROW(hkdf_expand(Bytes(32), {}, out), Error);
}

TEST(Poly1305, Rfc8439InAnyPieces) {
  const Bytes key = bytes_of_hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
  const Bytes message = bytes_of("Cryptographic Forum Research Group");
  for (std::size_t cut = 0; cut <= message.size(); ++cut) {
    Poly1305 mac(std::span<const std::byte>(key).first<kPoly1305KeyBytes>());
    mac.update(std::span<const std::byte>(message).first(cut));
    mac.update(std::span<const std::byte>(message).subspan(cut));
    EXPECT_EQ(copy(mac.finish()), bytes_of_hex("a8061dc1305136c6c22b8baf0c0127a9")) << cut;
  }
}

TEST(EqualConstantTime, ComparesSizeAndEveryByte) {
  const Bytes a = bytes_of_hex("00112233");
  EXPECT_TRUE(equal_constant_time(a, bytes_of_hex("00112233")));
  EXPECT_TRUE(equal_constant_time({}, {}));
  EXPECT_FALSE(equal_constant_time(a, bytes_of_hex("001122")));
  EXPECT_FALSE(equal_constant_time(bytes_of_hex("001122"), a));
  for (std::size_t i = 0; i < a.size(); ++i) {
    Bytes b = a;
    b[i] ^= std::byte{0x80};
    EXPECT_FALSE(equal_constant_time(a, b));
  }
}

}  // namespace
}  // namespace fugu::auth
