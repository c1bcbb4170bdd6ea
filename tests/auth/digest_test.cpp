// Expected values: RFC 1320 (MD4), RFC 1321 (MD5), FIPS 180-4, the RIPEMD-160 page of its authors, RFC 4231,
// RFC 5869, RFC 8439.
#include "fugu/auth/digest.hpp"

#include <openssl/rand.h>

#include "fugu/auth/exchange.hpp"
#include "fugu/auth/reference.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

using test::Bytes;
using test::bytes_of;
using test::bytes_of_hex;
using test::flipped;
using test::hex_of;

TEST(Digest, PublishedValues) {
  const std::pair<const char*, const char*> of_abc[] = {
      {"md4", "a448017aaf21d8525fc10ae87aa6729d"},
      {"md5", "900150983cd24fb0d6963f7d28e17f72"},
      {"sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
      {"SHA256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}};
  for (const auto& [name, value] : of_abc)
    EXPECT_EQ(hex_of(digest(name, {bytes_of("a"), {}, bytes_of("bc")}).span()), value) << name;
}

TEST(Digest, BeginsAnewAfterItsEnd) {
  Digest hash("md5");
  std::array<std::byte, 16> out;
  hash.update(bytes_of("something else")).finish(out);
  hash.update(bytes_of("abc")).finish(out);
  EXPECT_EQ(hex_of(out), "900150983cd24fb0d6963f7d28e17f72");
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
    EXPECT_EQ(hex_of(mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }
}

TEST(Sha256, Fips180Example) {
  EXPECT_EQ(hex_of(sha256(bytes_of("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HmacSha256, Rfc4231Cases2And6) {
  EXPECT_EQ(hex_of(hmac_sha256(bytes_of("Jefe"), bytes_of("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex_of(hmac_sha256(Bytes(131, std::byte{0xaa}),
                               bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

void expect_hkdf(const Bytes& salt, const Bytes& ikm, const Bytes& info, std::string_view expected) {
  Bytes okm(expected.size() / 2);
  hkdf_expand(hkdf_extract(salt, ikm).span(), info, okm);
  EXPECT_EQ(hex_of(okm), expected);
}

// Case 2 takes three blocks, case 3 neither salt nor info.
TEST(Hkdf, Rfc5869Cases1To3) {
  const Bytes short_ikm(22, std::byte{0x0b}), short_salt = bytes_of_hex("000102030405060708090a0b0c");
  EXPECT_EQ(hex_of(hkdf_extract(short_salt, short_ikm).span()),
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
  expect_hkdf(short_salt, short_ikm, bytes_of_hex("f0f1f2f3f4f5f6f7f8f9"),
              "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  expect_hkdf({}, short_ikm, {},
              "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
  Bytes ikm, salt, info;
  for (int i = 0; i < 80; ++i) {
    ikm.push_back(static_cast<std::byte>(i));
    salt.push_back(static_cast<std::byte>(0x60 + i));
    info.push_back(static_cast<std::byte>(0xb0 + i));
  }
  expect_hkdf(salt, ikm, info,
              "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
              "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87");
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
    EXPECT_EQ(hex_of(mac.finish()), "a8061dc1305136c6c22b8baf0c0127a9") << cut;
  }
}

TEST(EqualConstantTime, ComparesSizeAndEveryByte) {
  const Bytes a = bytes_of_hex("00112233");
  EXPECT_TRUE(equal_constant_time(a, bytes_of_hex("00112233")));
  EXPECT_TRUE(equal_constant_time({}, {}));
  EXPECT_FALSE(equal_constant_time(a, bytes_of_hex("001122")));
  EXPECT_FALSE(equal_constant_time(bytes_of_hex("001122"), a));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_FALSE(equal_constant_time(a, flipped(a, i, 0x80)));
}

// Compares the reference with published values: the 34 ECB vectors of B. Schneier and E. Young, and the
// chains of SSLeay's `bftest`. Other tests may therefore take the reference for Blowfish.

std::string once(ReferenceMode mode, bool encrypt, const std::string& key, const std::string& input) {
  ReferenceBlowfish reference(mode, encrypt, bytes_of_hex(key));
  Bytes bytes = bytes_of_hex(input);
  reference.update(bytes, bytes);
  return hex_of(bytes);
}

TEST(Reference, PublishedBlocks) {
  EXPECT_EQ(once(ReferenceMode::ecb, true, "0000000000000000", "0000000000000000"), "4ef997456198dd78");
  EXPECT_EQ(once(ReferenceMode::ecb, true, "ffffffffffffffff", "ffffffffffffffff"), "51866fd5b85ecb8a");
  EXPECT_EQ(once(ReferenceMode::ecb, false, "0123456789abcdef", "61f9c3802281b096"), "1111111111111111");
  EXPECT_EQ(once(ReferenceMode::ecb, true, "f0", "fedcba9876543210"), "f9ad597c49db005e");
}

TEST(Reference, TakesEveryKeyLengthUpTo72) {
  const Bytes zeros(72);
  Bytes expected = bytes_of_hex("4ef997456198dd78");  // all keys of zero bytes have one schedule
  for (std::size_t bytes = 1; bytes <= 72; ++bytes) {
    Bytes block(8);
    ReferenceBlowfish(ReferenceMode::ecb, true, std::span(zeros).first(bytes)).update(block, block);
    EXPECT_EQ(block, expected) << bytes;
  }
}

TEST(Reference, RefusesWhatOpensslCannotDo) {
  const Bytes key(73);
  EXPECT_THROW(ReferenceBlowfish(ReferenceMode::ecb, true, key), Error);
  EXPECT_THROW(ReferenceBlowfish(ReferenceMode::ecb, true, {}), Error);
  Bytes odd(9);
  ReferenceBlowfish cbc(ReferenceMode::cbc, true, std::span(key).first(16));
  EXPECT_THROW(cbc.update(odd, odd), Error);
  ReferenceBlowfish ofb(ReferenceMode::ofb, true, std::span(key).first(16));
  EXPECT_NO_THROW(ofb.update(odd, odd));
}

// Published values: RFC 7748, 6.1 and RFC 8439, 2.8.2.

constexpr std::string_view kAlicesKey = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
constexpr std::string_view kBobsKey = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb";
constexpr std::string_view kShared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";

SecretBytes secret_of_hex(std::string_view hex) {
  return SecretBytes(bytes_of_hex(hex));
}

TEST(X25519, Rfc7748) {
  const SecretBytes alice = secret_of_hex(kAlicesKey);
  const SecretBytes bob = secret_of_hex(kBobsKey);
  const X25519PublicKey of_alice = x25519_public_key(alice);
  const X25519PublicKey of_bob = x25519_public_key(bob);
  EXPECT_EQ(hex_of(of_alice), "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  EXPECT_EQ(hex_of(of_bob), "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  EXPECT_EQ(hex_of(x25519(alice, of_bob).value().span()), kShared);
  EXPECT_EQ(hex_of(x25519(bob, of_alice).value().span()), kShared);
}

TEST(X25519, KeysThatGiveNoSecretAreRefused) {
  const SecretBytes alice = secret_of_hex(kAlicesKey);
  EXPECT_FALSE(x25519(alice, X25519PublicKey{}));
  EXPECT_FALSE(x25519(alice, X25519PublicKey{std::byte{1}}));
  EXPECT_THROW(x25519_public_key(SecretBytes(std::size_t{31})), Error);
}

// ---- RFC 8439, 2.8.2 ----

constexpr std::string_view kText =
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen "
    "would be it.";
constexpr std::string_view kEncrypted =
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a"
    "9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9d"
    "e576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691";

struct Rfc8439 {
  SecretBytes key = secret_of_hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
  AeadNonce nonce = {};
  Bytes associated_data = bytes_of_hex("50515253c0c1c2c3c4c5c6c7");

  Rfc8439() { std::ranges::copy(bytes_of_hex("070000004041424344454647"), nonce.begin()); }
};

TEST(ChaCha20Poly1305, Rfc8439BothWays) {
  const Rfc8439 given;
  const auto text = std::as_bytes(std::span(kText));
  Bytes out(text.size() + kAeadTagBytes);
  chacha20_poly1305_encrypt(given.key, given.nonce, given.associated_data, text, out);
  EXPECT_EQ(hex_of(out), kEncrypted);
  Bytes back(text.size());
  EXPECT_TRUE(chacha20_poly1305_decrypt(given.key, given.nonce, given.associated_data, out, back));
  EXPECT_TRUE(std::ranges::equal(back, text));
}

TEST(ChaCha20Poly1305, WhatWasChangedIsRefusedAndNotGivenOut) {
  const Rfc8439 given;
  const Bytes encrypted = bytes_of_hex(kEncrypted);
  Bytes plain(kText.size());
  for (const std::size_t place : {std::size_t{0}, kText.size() - 1, kText.size(), encrypted.size() - 1}) {
    EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, given.nonce, given.associated_data,
                                           flipped(encrypted, place), plain));
    EXPECT_EQ(plain, Bytes(kText.size()));
  }
  EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, given.nonce, {}, encrypted, plain));
  EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, {}, given.associated_data, encrypted, plain));
}

TEST(ChaCha20Poly1305, EmptyTextsHaveATag) {
  const Rfc8439 given;
  Bytes tag(kAeadTagBytes);
  chacha20_poly1305_encrypt(given.key, given.nonce, {}, {}, tag);
  EXPECT_TRUE(chacha20_poly1305_decrypt(given.key, given.nonce, {}, tag, {}));
  EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, given.nonce, {}, flipped(tag, 3), {}));
}

TEST(ChaCha20Poly1305, SizesAreChecked) {
  const Rfc8439 given;
  Bytes out(20);
  EXPECT_THROW(chacha20_poly1305_encrypt(given.key, given.nonce, {}, Bytes(5), out), Error);
  EXPECT_THROW(chacha20_poly1305_encrypt(SecretBytes(std::size_t{16}), given.nonce, {}, Bytes(4), out),
               Error);
  EXPECT_THROW(static_cast<void>(chacha20_poly1305_decrypt(given.key, given.nonce, {}, Bytes(3), out)),
               Error);
}

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
