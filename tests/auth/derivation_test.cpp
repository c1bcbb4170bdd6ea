// Expected values for PBKDF2 are those of RFC 6070 and of its definition. For EVP_BytesToKey they come from
// its definition and OpenSSL's digests. tests/cli/openssl_test.py compares with the derivations of the
// `openssl` program.
#include "fugu/auth/kdf.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "fugu/auth/derived_keys.hpp"
#include "support/testing.hpp"

// AddressSanitizer would end the program where malloc() fails.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace fugu::auth {
namespace {

using test::bytes_of;
using test::code_of;

std::string hex(std::string_view text) {
  return test::hex_of(bytes_of(text));
}

std::string hex(const SecretBytes& secret) {
  return test::hex_of(secret.span());
}

std::string digest_of(const std::string& name, const std::string& input) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  std::size_t bytes = 0;
  EXPECT_EQ(EVP_Q_digest(nullptr, name.c_str(), nullptr, input.data(), input.size(),
                         reinterpret_cast<unsigned char*>(out.data()), &bytes),
            1);
  out.resize(bytes);
  return out;
}

std::string bytes_to_key_by_definition(const std::string& digest, const std::string& passphrase,
                                       const std::string& salt, std::size_t bytes) {
  std::string stream;
  std::string previous;
  while (stream.size() < bytes) {
    previous = digest_of(digest, previous + passphrase + salt);
    stream += previous;
  }
  return stream.substr(0, bytes);
}

TEST(BytesToKey, IsTheChainOfDigests) {
  for (const std::string digest : {"md5", "sha1", "sha256", "sha512", "SHA256"}) {
    for (const std::string passphrase : {"", "x", "correct horse battery staple"}) {
      for (const std::string salt : {"", "8 octets"}) {
        for (const std::size_t bytes : {0u, 1u, 8u, 16u, 24u, 32u, 33u, 48u, 56u, 64u}) {
          const SecretBytes key = bytes_to_key(digest, SecretBytes(passphrase), bytes_of(salt), bytes);
          EXPECT_EQ(hex(key), hex(bytes_to_key_by_definition(digest, passphrase, salt, bytes)))
              << digest << " of '" << passphrase << "'";
        }
      }
    }
  }
}

// OpenSSL's own function, with counts as in Ruby's pkcs5_keyivgen.
TEST(BytesToKey, CountsAsOpenssl) {
  for (const int count : {1, 2, 2048}) {
    for (const std::string salt : {"", "8 octets"}) {
      std::string key(EVP_MAX_KEY_LENGTH, '\0'), iv(EVP_MAX_IV_LENGTH, '\0');
      const auto* const salt_bytes =
          salt.empty() ? nullptr : reinterpret_cast<const unsigned char*>(salt.data());
      // Of this cipher only the sizes matter: 16 bytes of key, 16 of IV.
      ASSERT_EQ(EVP_BytesToKey(EVP_aes_128_cbc(), EVP_md5(), salt_bytes,
                               reinterpret_cast<const unsigned char*>("pass"), 4, count,
                               reinterpret_cast<unsigned char*>(key.data()),
                               reinterpret_cast<unsigned char*>(iv.data())),
                16);
      const SecretBytes ours = bytes_to_key("md5", SecretBytes(std::string_view("pass")), bytes_of(salt), 32,
                                            static_cast<std::uint32_t>(count));
      EXPECT_EQ(hex(ours), hex(key.substr(0, 16) + iv.substr(0, 16))) << count;
    }
  }
}

TEST(BytesToKey, RefusesWhatItCannotGive) {
  const SecretBytes passphrase(std::string_view("p"));
  EXPECT_THROW(bytes_to_key("no-such-digest", passphrase, {}, 16), Error);
  EXPECT_THROW(bytes_to_key("md5", passphrase, {}, kMaxBytesToKeyBytes + 1), Error);
  EXPECT_THROW(bytes_to_key("md5", passphrase, bytes_of("short"), 16), Error);
  EXPECT_THROW(bytes_to_key("md5", passphrase, {}, 16, 0), Error);
}

// RFC 6070, 2.
TEST(Pbkdf2, PublishedVectors) {
  const auto derive = [](const std::string& passphrase, const std::string& salt, std::uint32_t iterations,
                         std::size_t bytes) {
    return hex(pbkdf2("sha1", SecretBytes(passphrase), bytes_of(salt), iterations, bytes));
  };
  EXPECT_EQ(derive("password", "salt", 1, 20), "0c60c80f961f0e71f3a9b524af6012062fe037a6");
  EXPECT_EQ(derive("password", "salt", 2, 20), "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
  EXPECT_EQ(derive("password", "salt", 4096, 20), "4b007901b765489abead49d926f721d065a429c1");
  EXPECT_EQ(derive("passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25),
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038");
}

// RFC 8018, 5.2, over OpenSSL's HMAC.
std::string pbkdf2_by_definition(const EVP_MD* digest, const std::string& passphrase, const std::string& salt,
                                 int iterations, std::size_t bytes) {
  std::string key;
  for (char number = 1; key.size() < bytes; ++number) {
    std::string u = salt + std::string(3, '\0') + number;
    std::string sum(static_cast<std::size_t>(EVP_MD_get_size(digest)), '\0');
    for (int i = 0; i < iterations; ++i) {
      std::string next(sum.size(), '\0');
      HMAC(digest, passphrase.data(), static_cast<int>(passphrase.size()),
           reinterpret_cast<const unsigned char*>(u.data()), u.size(),
           reinterpret_cast<unsigned char*>(next.data()), nullptr);
      u = next;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = static_cast<char>(sum[k] ^ u[k]);
    }
    key += sum;
  }
  key.resize(bytes);
  return key;
}

// Keys below, at and above a digest's block; outputs below, at and above its size.
TEST(Pbkdf2, FollowsItsDefinition) {
  int digests = 0;
  for (const char* const name : {"md5", "sha1", "ripemd160", "sha256", "sha512", "sha3-256", "blake2s256"}) {
    if (!digest_exists(name)) continue;  // some builds of OpenSSL lack some digests
    const EVP_MD* const digest = EVP_get_digestbyname(name);
    ++digests;
    const auto block = static_cast<std::size_t>(EVP_MD_get_block_size(digest));
    for (const std::size_t key : {std::size_t{0}, std::size_t{1}, block, block + 1}) {
      for (const std::size_t bytes : {0u, 1u, 20u, 64u, 200u}) {
        const std::string passphrase(key, 'k');
        const std::string salt(key % 5, 's');
        EXPECT_EQ(hex(pbkdf2(name, SecretBytes(passphrase), bytes_of(salt), 3, bytes)),
                  hex(pbkdf2_by_definition(digest, passphrase, salt, 3, bytes)))
            << name << ", a key of " << key;
      }
    }
  }
  EXPECT_GE(digests, 6);
}

TEST(Pbkdf2, RefusesWhatItCannotGive) {
  const SecretBytes passphrase(std::string_view("p"));
  EXPECT_THROW(pbkdf2("sha256", passphrase, {}, 0, 16), Error);
  EXPECT_THROW(pbkdf2("sha256", passphrase, {}, 0x80000000u, 16), Error);
  EXPECT_THROW(pbkdf2("no-such-digest", passphrase, {}, 1, 16), Error);
  const auto error = test::error_of([&] { pbkdf2("shake128", passphrase, {}, 1, 16); });
  ASSERT_TRUE(error) << "HMAC cannot use a digest of variable length";
  EXPECT_TRUE(error->text().ends_with("cannot use digest 'shake128'")) << error->text();
}

TEST(Pbkdf2, AsksFirstWhatIsFaster) {
  const SecretBytes passphrase(std::string_view("password"));
  const RuledDerivations rules(
      {.fast_pbkdf2 = [](const auto& digest, const auto& secret, auto salt, auto iterations, auto key) {
        std::ranges::fill(key, std::byte{'k'});
        return digest == "sha1" && hex(secret) == hex("password") && salt.size() == 4 && iterations == 3;
      }});
  EXPECT_EQ(hex(pbkdf2("sha1", passphrase, bytes_of("salt"), 3, 5)), hex("kkkkk"));
  EXPECT_EQ(hex(pbkdf2("sha1", passphrase, bytes_of("salt"), 2, 20)),
            "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
  EXPECT_THROW(pbkdf2("no-such-digest", passphrase, bytes_of("salt"), 3, 5), Error);
}

TEST(Digest, KnowsWhatOpensslKnows) {
  EXPECT_TRUE(digest_exists("md5"));
  EXPECT_TRUE(digest_exists("sha512"));
  EXPECT_FALSE(digest_exists("no-such-digest"));
  EXPECT_FALSE(digest_exists(""));
}

// RFC 7914's own vectors.

std::string derive(const std::string& passphrase, const std::string& salt, const ScryptCost& cost,
                   std::size_t bytes) {
  return hex(scrypt(SecretBytes(passphrase), bytes_of(salt), cost, bytes));
}

std::optional<Errc> refusal_of(const ScryptCost& cost) {
  return test::code_of([&] { derive("p", "salt", cost, 32); });
}

// The fourth vector takes 1 GiB of memory.
TEST(Scrypt, Rfc7914Section12) {
  EXPECT_EQ(derive("", "", {4, 1, 1}, 64),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
            "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906");
  EXPECT_EQ(derive("password", "NaCl", {10, 8, 16}, 64),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
            "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640");
  EXPECT_EQ(derive("pleaseletmein", "SodiumChloride", {14, 8, 1}, 64),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
            "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887");
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

// Key derivations hear of a stop before and after they run.

const SecretBytes& passphrase() {
  static const SecretBytes secret(std::string_view("password"));
  return secret;
}

void expect_end_once_begun(const std::function<void()>& derive) {
  std::stop_source stop;
  const unsigned before = key_derivations_under_way();
  std::jthread stopper([&] {
    while (key_derivations_under_way() == before) std::this_thread::yield();
    stop.request_stop();
  });
  const RuledDerivations stoppable({.stop = stop.get_token()});
  EXPECT_EQ(code_of(derive), Errc::interrupted);
  EXPECT_EQ(key_derivations_under_way(), before);
}

// They are finished first.
TEST(RuledDerivations, EndWhatHasBegun) {
  expect_end_once_begun([] { pbkdf2("sha1", passphrase(), {}, 1'000'000, 20); });
  expect_end_once_begun([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 2}, 32); });
}

TEST(RuledDerivations, DoNotBeginAfterAStop) {
  const RuledDerivations stoppable({.stop = test::stopped()});
  EXPECT_EQ(code_of([] { pbkdf2("sha1", passphrase(), {}, 0x7fffffff, 20 * 100); }), Errc::interrupted);
  EXPECT_EQ(code_of([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 4096}, 32); }),
            Errc::interrupted);
}

TEST(RuledDerivations, AreThoseOfOneThreadAndScope) {
  const auto derive = [] { return pbkdf2("sha1", passphrase(), {}, 2, 20); };
  {
    const RuledDerivations stoppable({.stop = test::stopped()});
    {
      const RuledDerivations inner({});
      EXPECT_EQ(derive().size(), 20u);
    }
    EXPECT_EQ(code_of(derive), Errc::interrupted);
    std::jthread([&] { EXPECT_EQ(derive().size(), 20u); });
  }
  EXPECT_EQ(derive().size(), 20u);
}

TEST(DerivationMemory, IsWaitedForUnlessNoneIsTaken) {
  DerivationMemory memory(std::uint64_t{1} << 20);
  memory.take(std::uint64_t{2} << 20);
  std::atomic<bool> is_given_back = false;
  std::jthread other([&] {
    const RuledDerivations rules({.memory = &memory});
    scrypt(passphrase(), {}, {.log2_n = 2, .r = 8, .p = 1}, 32);
    EXPECT_TRUE(is_given_back);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  is_given_back = true;
  memory.give_back(std::uint64_t{2} << 20);
}

}  // namespace
}  // namespace fugu::auth
