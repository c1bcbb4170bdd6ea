// RFC 7914's own vectors, and OpenSSL's scrypt.
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/auth/detail/scrypt_mix.hpp"
#include "fugu/auth/kdf.hpp"
#include "support/errors.hpp"
#include "support/hex.hpp"
#include "support/many_cases.hpp"

namespace fugu::auth {
namespace {

using Bytes = std::vector<std::byte>;
using test::bytes_of_hex;

constexpr const char* kSalsaIn =
    "7e879a214f3ec9867ca940e641718f26baee555b8c61c1b50df846116dcd3b1d"
    "ee24f319df9b3d8514121e4b5ac5aa3276021d2909c74829edebc68db8b8c25e";
constexpr const char* kSalsaOut =
    "a41f859c6608cc993b81cacb020cef05044b2181a2fd337dfd7b1c6396682f29"
    "b4393168e3c9e6bcfe6bc5b7a06d96bae424cc102c91745c24ad673dc7618f81";
constexpr const char* kMixIn =
    "f7ce0b653d2d72a4108cf5abe912ffdd777616dbbb27a70e8204f3ae2d0f6fad"
    "89f68f4811d1e87bcc3bd7400a9ffd29094f0184639574f39ae5a1315217bcd7"
    "894991447213bb226c25b54da86370fbcd984380374666bb8ffcb5bf40c254b0"
    "67d27c51ce4ad5fed829c90b505a571b7f4d1cad6a523cda770e67bceaaf7e89";
constexpr const char* kBlockMixOutSecond =
    "20edc975323881a80540f64c162dcd3c21077cfe5f8d5fe2b1a4168f953678b7"
    "7d3b3d803b60e4ab920996e59b4d53b65d2a225877d5edf5842cb9f14eefe425";
constexpr const char* kRoMixOut =
    "79ccc193629debca047f0b70604bf6b62ce3dd4a9626e355fafc6198e6ea2b46"
    "d58413673b99b029d665c357601fb426a0b2f4bba200ee9f0a43d19b571a9c71"
    "ef1142e65d5a266fddca832ce59faa7cac0b9cf1be2bffca300d01ee387619c4"
    "ae12fd4438f203a0e4e1c47ec314861f4e9087cb33396a6873e8f9d2539a4b8e";

SalsaBlock block_at(const Bytes& bytes, std::size_t at) {
  return load_salsa(std::span(bytes).subspan(at).first<kSalsaBytes>());
}

Bytes bytes_of(const SalsaBlock& block) {
  Bytes bytes(kSalsaBytes);
  store_salsa(block, std::span(bytes).first<kSalsaBytes>());
  return bytes;
}

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes derive(const std::string& passphrase, const std::string& salt, const ScryptCost& cost,
             std::size_t bytes) {
  const SecretBytes key = scrypt(SecretBytes(passphrase), bytes_of(salt), cost, bytes);
  return {key.span().begin(), key.span().end()};
}

Bytes derive_by_openssl(const std::string& passphrase, const std::string& salt, const ScryptCost& cost,
                        std::size_t bytes) {
  Bytes key(bytes);
  EXPECT_EQ(EVP_PBE_scrypt(passphrase.data(), passphrase.size(),
                           reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                           std::uint64_t{1} << cost.log2_n, cost.r, cost.p, std::uint64_t{1} << 30,
                           reinterpret_cast<unsigned char*>(key.data()), key.size()),
            1);
  return key;
}

std::optional<Errc> refusal_of(const ScryptCost& cost) {
  return test::code_of([&] { derive("p", "salt", cost, 32); });
}

TEST(Salsa208, Rfc7914Section8) {
  EXPECT_EQ(bytes_of(salsa20_8(block_at(bytes_of_hex(kSalsaIn), 0))), bytes_of_hex(kSalsaOut));
}

TEST(ScryptBlockMix, Rfc7914Section9) {
  const Bytes in = bytes_of_hex(kMixIn);
  std::vector<SalsaBlock> out(2);
  block_mix([&](std::size_t i) { return block_at(in, kSalsaBytes * i); }, out);
  EXPECT_EQ(bytes_of(out[0]), bytes_of_hex(kSalsaOut));
  EXPECT_EQ(bytes_of(out[1]), bytes_of_hex(kBlockMixOutSecond));
}

TEST(ScryptRoMix, Rfc7914Section10) {
  Bytes lane = bytes_of_hex(kMixIn);
  std::vector<SalsaBlock> memory((16 + 2) * 2);
  ro_mix(lane, 16, memory);
  EXPECT_EQ(lane, bytes_of_hex(kRoMixOut));
}

// The fourth vector takes 1 GiB of memory.
TEST(Scrypt, Rfc7914Section12) {
  EXPECT_EQ(derive("", "", {4, 1, 1}, 64),
            bytes_of_hex("77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                         "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"));
  EXPECT_EQ(derive("password", "NaCl", {10, 8, 16}, 64),
            bytes_of_hex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                         "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"));
  EXPECT_EQ(derive("pleaseletmein", "SodiumChloride", {14, 8, 1}, 64),
            bytes_of_hex("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                         "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"));
}

TEST(Scrypt, EqualsOpenssls) {
  std::mt19937_64 random(7914);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int i = 0; i < test::cases(400); ++i) {
    const ScryptCost cost{.log2_n = 1 + below(9), .r = 1 + below(17), .p = 1 + below(5)};
    const std::string passphrase(below(100), static_cast<char>('a' + below(26)));
    const std::string salt(below(40), static_cast<char>('a' + below(26)));
    const std::size_t bytes = 1 + below(200);
    EXPECT_EQ(derive(passphrase, salt, cost, bytes), derive_by_openssl(passphrase, salt, cost, bytes))
        << "N = 2^" << cost.log2_n << ", r = " << cost.r << ", p = " << cost.p;
  }
}

TEST(Scrypt, EqualsOpensslsWithMuchMemory) {
  for (const ScryptCost cost : {ScryptCost{15, 1, 1}, ScryptCost{16, 8, 1}, ScryptCost{1, 5000, 1}})
    EXPECT_EQ(derive("p", "salt", cost, 32), derive_by_openssl("p", "salt", cost, 32));
}

TEST(Scrypt, BoundsAreRefused) {
  for (const ScryptCost cost :
       {ScryptCost{0, 8, 1}, ScryptCost{64, 8, 1}, ScryptCost{10, 0, 1}, ScryptCost{10, 8, 0},
        ScryptCost{16, 1, 1}, ScryptCost{1, 1u << 15, 1u << 15}})
    EXPECT_EQ(refusal_of(cost), Errc::usage) << cost.log2_n << ", " << cost.r << ", " << cost.p;
}

TEST(Scrypt, ReportsMemoryThatItCannotAllocate) {
  EXPECT_EQ(refusal_of({63, 8, 1}), Errc::memory);
}

}  // namespace
}  // namespace fugu::auth
