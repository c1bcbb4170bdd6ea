// Published values: RFC 7748, 6.1 and RFC 8439, 2.8.2.
#include "fugu/auth/exchange.hpp"

#include "fugu/error.hpp"
#include "support/hex.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

using Bytes = std::vector<std::byte>;
using test::bytes_of_hex;
using test::hex_of;

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
    "would "
    "be it.";
constexpr std::string_view kEncrypted =
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a"
    "9e060b29"
    "05d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d265"
    "86cec64b"
    "61161ae10b594f09e26a7e902ecbd0600691";

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
    Bytes changed = encrypted;
    changed[place] ^= std::byte{1};
    EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, given.nonce, given.associated_data, changed, plain));
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
  tag[3] ^= std::byte{1};
  EXPECT_FALSE(chacha20_poly1305_decrypt(given.key, given.nonce, {}, tag, {}));
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

}  // namespace
}  // namespace fugu::auth
