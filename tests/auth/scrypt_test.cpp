// RFC 7914's own vectors.
#include "fugu/auth/derived_keys.hpp"
#include "fugu/auth/kdf.hpp"
#include "support/errors.hpp"
#include "support/hex.hpp"
#include "support/pattern.hpp"
#include "support/testing.hpp"

// AddressSanitizer would end the program where malloc() fails.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace fugu::auth {
namespace {

using test::Bytes;
using test::bytes_of;
using test::bytes_of_hex;

Bytes derive(const std::string& passphrase, const std::string& salt, const ScryptCost& cost,
             std::size_t bytes) {
  const SecretBytes key = scrypt(SecretBytes(passphrase), bytes_of(salt), cost, bytes);
  return {key.span().begin(), key.span().end()};
}

std::optional<Errc> refusal_of(const ScryptCost& cost) {
  return test::code_of([&] { derive("p", "salt", cost, 32); });
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

// OpenSSL's own limit is 1025 MiB unless another is set.
TEST(Scrypt, TakesAsMuchMemoryAsItsCostSays) {
  EXPECT_EQ(refusal_of({16, 130, 1}), std::nullopt);
}

TEST(Scrypt, BoundsAreRefused) {
  for (const ScryptCost cost :
       {ScryptCost{0, 8, 1}, ScryptCost{64, 8, 1}, ScryptCost{10, 0, 1}, ScryptCost{10, 8, 0},
        ScryptCost{16, 1, 1}, ScryptCost{1, 1u << 15, 1u << 15}})
    EXPECT_EQ(refusal_of(cost), Errc::usage) << cost.log2_n << ", " << cost.r << ", " << cost.p;
}

TEST(Scrypt, ReportsMemoryThatItCannotAllocate) {
  for (const unsigned log2_n : {40U, 63U}) EXPECT_EQ(refusal_of({log2_n, 8, 1}), Errc::memory);
}

// What is remembered belongs to its salt, cost and passphrase: another answer at a prompt is derived anew.
TEST(DerivedKeys, AreThoseOfTheirSaltCostAndPassphrase) {
  DerivedKeys keys(true);
  const DerivedKeys::Salt other{std::byte{1}};
  const auto expect_right = [&](std::string_view passphrase, const DerivedKeys::Salt& salt, unsigned log2_n) {
    const SecretBytes secret(passphrase);
    const ScryptCost cost{.log2_n = log2_n};
    EXPECT_TRUE(
        std::ranges::equal(keys.scrypt(secret, salt, cost).span(), scrypt(secret, salt, cost, 32).span()));
  };
  for (int round = 0; round < 2; ++round) {
    expect_right("one", keys.new_salt(), 4);
    expect_right("one", other, 4);
    expect_right("one", other, 5);
    expect_right("another", other, 4);
  }
  EXPECT_NE(keys.new_salt(), DerivedKeys(true).new_salt());
}

}  // namespace
}  // namespace fugu::auth
