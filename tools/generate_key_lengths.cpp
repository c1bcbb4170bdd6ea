// Prints vectors/key_lengths.vec: a text under a key of each length that fugu takes, from Botan 2 and
// OpenSSL, which must agree. Nothing of this project computes a value here.
//
// Botan's set_key() ends at 56 bytes. Its schedule for bcrypt takes 72, and with a salt of zeros and no
// repetitions it is the plain one, which is checked for keys that both take.
#define OPENSSL_SUPPRESS_DEPRECATED  // BF_set_key() alone takes any length

#include <botan/blowfish.h>
#include <botan/version.h>
#include <openssl/blowfish.h>
#include <openssl/crypto.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSetKeyBytes = 56, kMaxKeyBytes = 72, kBlockBytes = 8, kBlocks = 4;

// As in tools/generate_vectors.
Bytes pattern(std::size_t size, std::size_t start) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>((start + i) % 251);
  return bytes;
}

Bytes encrypt(const Botan::Blowfish& cipher, const Bytes& plaintext) {
  Bytes out(plaintext.size());
  cipher.encrypt_n(plaintext.data(), out.data(), kBlocks);
  return out;
}

Bytes by_botan(const Bytes& key, const Bytes& plaintext) {
  constexpr std::uint8_t kSalt[16] = {};
  Botan::Blowfish cipher;
  cipher.salted_set_key(key.data(), key.size(), kSalt, sizeof kSalt, 0);
  Bytes out = encrypt(cipher, plaintext);
  if (key.size() <= kSetKeyBytes) {
    Botan::Blowfish plain;
    plain.set_key(key.data(), key.size());
    if (encrypt(plain, plaintext) != out) throw std::runtime_error("Botan's two schedules differ");
  }
  return out;
}

Bytes by_openssl(const Bytes& key, const Bytes& plaintext) {
  BF_KEY schedule;
  BF_set_key(&schedule, static_cast<int>(key.size()), key.data());
  Bytes out(plaintext.size());
  for (std::size_t at = 0; at < out.size(); at += kBlockBytes)
    BF_ecb_encrypt(plaintext.data() + at, out.data() + at, &schedule, BF_ENCRYPT);
  return out;
}

void print(const char* field, const Bytes& bytes) {
  std::printf("%s = ", field);
  for (const std::uint8_t byte : bytes) std::printf("%02x", byte);
  std::printf("\n");
}

void print_record(std::size_t key_bytes) {
  const Bytes key = pattern(key_bytes, 7 * key_bytes), plaintext = pattern(kBlocks * kBlockBytes, key_bytes);
  const Bytes ciphertext = by_botan(key, plaintext);
  if (ciphertext != by_openssl(key, plaintext)) throw std::runtime_error("Botan and OpenSSL differ");
  std::printf("\nmode = ecb\n");
  print("key", key);
  print("plaintext", plaintext);
  print("ciphertext", ciphertext);
}

}  // namespace

int main() {
  try {
    std::printf("# Written by tools/generate_key_lengths.cpp; format and origin: SOURCES.md.\n");
    for (std::size_t bytes = 1; bytes <= kMaxKeyBytes; ++bytes) print_record(bytes);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "generate_key_lengths: %s\n", failure.what());
    return 1;
  }
  std::fprintf(stderr, "%s, %s\n", Botan::version_cstr(), OpenSSL_version(OPENSSL_VERSION));
}
