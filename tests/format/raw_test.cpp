#include "fugu/format/raw/raw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "fugu/auth/reference.hpp"
#include "fugu/format/codec.hpp"
#include "memory.hpp"
#include "support/hex.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing

Bytes encrypt(const Bytes& plaintext, const RawParameters& parameters, const auth::SecretBytes& key) {
  return run_job(plaintext, [&](const Job& job) { encrypt_raw(job, parameters, key); });
}

Bytes decrypt(const Bytes& ciphertext, const RawParameters& parameters, const auth::SecretBytes& key) {
  return run_job(ciphertext, [&](const Job& job) { decrypt_raw(job, parameters, key); });
}

TEST(Raw, PrefixIsTheIvThatWasUsed) {
  RawParameters prefixed;
  prefixed.iv_place = IvPlace::prefix;
  const auth::SecretBytes key(std::string_view("key"));
  const Bytes plaintext = test::pattern(100);
  const Bytes first = encrypt(plaintext, prefixed, key);
  EXPECT_NE(first, encrypt(plaintext, prefixed, key)) << "an iv was drawn twice";
  ASSERT_EQ(first.size(), 8u + 104u);
  EXPECT_EQ(decrypt(first, prefixed, key), plaintext);

  RawParameters given;
  std::copy_n(first.begin(), 8, given.settings.iv.emplace().begin());
  EXPECT_EQ(decrypt(Bytes(first.begin() + 8, first.end()), given, key), plaintext);
}

// The block was encrypted by OpenSSL 3.0 (vectors/key_lengths.vec ends at 72 too).
TEST(Raw, TheFirst72BytesOfAKeyCount) {
  RawParameters parameters;
  parameters.settings = {.mode = mode::Mode::ecb, .padding = mode::Padding::none};
  Bytes key(200);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  EXPECT_EQ(encrypt(Bytes(8), parameters, auth::SecretBytes{std::span<const std::byte>(key)}),
            test::bytes_of_hex("ed131748f2bc8932"));
}

TEST(Raw, KeysAreHashedThenFilled) {
  const auto is = [](const RawParameters& parameters, std::string_view hex) {
    const auth::SecretBytes key = raw_key(parameters, auth::SecretBytes(std::string_view("abc")));
    EXPECT_EQ(test::hex_of(key.span()), hex);
  };
  is({.settings = {}, .key_fill = 2}, "616263");
  is({.settings = {}, .key_fill = 6}, "616263000000");
  is({.settings = {}, .key_hash = "md5"}, "900150983cd24fb0d6963f7d28e17f72");  // RFC 1321
  is({.settings = {}, .key_hash = "sha1", .key_fill = 22},
     "a9993e364706816aba3e25717850c26c9cd0d89d0000");  // FIPS 180
}

TEST(Raw, APartOfTheData) {
  RawParameters prefixed;
  prefixed.iv_place = IvPlace::prefix;
  const auth::SecretBytes key(std::string_view("key"));
  const Bytes plaintext = test::pattern(std::size_t{5} << 20);  // several stretches
  Bytes file = encrypt(plaintext, prefixed, key);
  const std::size_t size = file.size();
  file.insert(file.begin(), 5000, std::byte{1});
  file.insert(file.end(), 9, std::byte{2});
  prefixed.skip = 5000;
  prefixed.length = size;
  EXPECT_EQ(decrypt(file, prefixed, key), plaintext);
  prefixed.length = ~std::uint64_t{0};
  EXPECT_EQ(error_of([&] { decrypt(file, prefixed, key); }).value().code(), Errc::damaged) << "9 bytes more";
}

// Else --rm could remove the only copy of what was left out.
TEST(Raw, SaysWhetherAllContentIsThere) {
  const Codec& raw = *find_codec("raw");
  const auth::SecretBytes key(std::string_view("key"));
  const auto is_all = [&](std::initializer_list<std::pair<const char*, const char*>> given) {
    OptionValues options(raw.options);
    options.set("mode", "ecb");
    for (const auto& [name, value] : given) options.set(name, value);
    bool all = false;
    run_job(Bytes(16), [&](const Job& job) {
      all = raw.open(job, {options, AskSecret(SecretKind::key, key)}).all_content;
    });
    return all;
  };
  EXPECT_TRUE(is_all({{"pad", "none"}}));
  EXPECT_FALSE(is_all({{"pad", "zero"}}));
  EXPECT_FALSE(is_all({{"pad", "rijndael_compat"}}));
  EXPECT_FALSE(is_all({{"pad", "none"}, {"skip", "8"}}));
  EXPECT_FALSE(is_all({{"pad", "none"}, {"length", "8"}}));
}

TEST(Raw, EncryptedZeroIsTheFirstBlockOfOfb) {
  RawParameters parameters;
  parameters.iv_place = IvPlace::encrypted_zero;
  parameters.settings = {.mode = mode::Mode::cfb64, .padding = mode::Padding::none};
  const auth::SecretBytes key(std::string_view("key"));
  Bytes iv(8);
  auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, key.span()).update(iv, iv);
  RawParameters given = parameters;
  given.iv_place = IvPlace::given;
  std::ranges::copy(iv, given.settings.iv.emplace().begin());
  const Bytes plaintext = test::pattern(21);
  EXPECT_EQ(encrypt(plaintext, parameters, key), encrypt(plaintext, given, key));
  EXPECT_EQ(decrypt(encrypt(plaintext, given, key), parameters, key), plaintext);
}

TEST(Raw, RefusesWhatCannotBe) {
  RawParameters prefixed;
  prefixed.iv_place = IvPlace::prefix;
  const auth::SecretBytes key(std::string_view("key"));
  const auto failure = [&](const RawParameters& parameters, const auth::SecretBytes& with) {
    return error_of([&] { decrypt(Bytes(7), parameters, with); }).value().code();
  };
  EXPECT_EQ(failure(prefixed, key), Errc::damaged);
  EXPECT_EQ(error_of([&] { decrypt(Bytes(7), prefixed, key); }).value().text(),
            "the data ends inside the iv, its first 8 bytes");
  EXPECT_EQ(failure({}, key), Errc::usage) << "no iv";
  RawParameters given;
  given.settings.iv.emplace();
  EXPECT_EQ(failure(given, key), Errc::damaged);
  EXPECT_EQ(failure(given, auth::SecretBytes()), Errc::usage);
  RawParameters filled = given;
  filled.key_fill = 73;
  EXPECT_EQ(failure(filled, key), Errc::usage);
  RawParameters skipping = given;
  skipping.skip = 8;
  EXPECT_EQ(failure(skipping, key), Errc::damaged);
  prefixed.settings.mode = mode::Mode::ecb;
  EXPECT_EQ(failure(prefixed, key), Errc::usage);
}

}  // namespace
}  // namespace fugu::format
