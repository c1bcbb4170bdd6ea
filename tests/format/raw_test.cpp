#include "fugu/format/raw/raw.hpp"

#include "foreign_samples.hpp"
#include "fugu/auth/reference.hpp"

namespace fugu::format {
namespace {

const Bytes kKey = bytes_of("key");

Bytes encrypt(const Bytes& plaintext, const GivenOptions& options, const Bytes& key = kKey) {
  return seal_with("raw", plaintext, key, options);
}

Result decrypt(const Bytes& ciphertext, const GivenOptions& options, const Bytes& key = kKey) {
  return open_with("raw", ciphertext, key, {options});
}

TEST(Raw, PrefixIsTheIvThatWasUsed) {
  const GivenOptions prefixed{{"mode", "cbc"}, {"iv", "prefix"}};
  const Bytes plaintext = test::pattern(100);
  const Bytes first = encrypt(plaintext, prefixed);
  EXPECT_NE(first, encrypt(plaintext, prefixed)) << "an iv was drawn twice";
  ASSERT_EQ(first.size(), 8u + 104u);
  EXPECT_EQ(decrypt(first, prefixed).plaintext, plaintext);
  const std::string iv = hex_text(std::span(first).first(8));
  EXPECT_EQ(decrypt(slice(first, 8), {{"mode", "cbc"}, {"iv", iv}}).plaintext, plaintext);
}

// The block was encrypted by OpenSSL 3.0 (vectors/key_lengths.vec ends at 72 too).
TEST(Raw, TheFirst72BytesOfAKeyCount) {
  EXPECT_EQ(encrypt(Bytes(8), {{"mode", "ecb"}, {"pad", "none"}}, test::pattern(200)),
            bytes_of_hex("ed131748f2bc8932"));
}

TEST(Raw, KeysAreHashedThenFilled) {
  const auto is = [](const RawParameters& parameters, std::string_view hex) {
    const auth::SecretBytes key = raw_key(parameters, auth::SecretBytes(std::string_view("abc")));
    EXPECT_EQ(test::hex_of(key.span()), hex);
  };
  is({.settings = {}, .key_steps = "fill2"}, "616263");
  is({.settings = {}, .key_steps = "fill6"}, "616263000000");
  is({.settings = {}, .key_steps = "md5"}, "900150983cd24fb0d6963f7d28e17f72");  // RFC 1321
  is({.settings = {}, .key_steps = "sha1,fill22"},
     "a9993e364706816aba3e25717850c26c9cd0d89d0000");  // FIPS 180
}

TEST(Raw, APartOfTheData) {
  GivenOptions prefixed{{"mode", "cbc"}, {"iv", "prefix"}};
  const Bytes plaintext = test::pattern(std::size_t{5} << 20);  // several stretches
  Bytes file = encrypt(plaintext, prefixed);
  prefixed["skip"] = "5000";
  prefixed["length"] = std::to_string(file.size());
  file.insert(file.begin(), 5000, std::byte{1});
  file.insert(file.end(), 9, std::byte{2});
  EXPECT_EQ(decrypt(file, prefixed).plaintext, plaintext);
  prefixed["length"] = std::to_string(~std::uint64_t{0});
  EXPECT_EQ(code_of([&] { decrypt(file, prefixed); }), Errc::damaged) << "9 bytes more";
}

// Else --rm could remove the only copy of what was left out.
TEST(Raw, SaysWhetherAllContentIsThere) {
  const auto is_all = [](GivenOptions given) {
    given["mode"] = "ecb";
    return decrypt(Bytes(16), given).opened.all_content;
  };
  EXPECT_TRUE(is_all({{"pad", "none"}}));
  EXPECT_FALSE(is_all({{"pad", "zero"}}));
  EXPECT_FALSE(is_all({{"pad", "rijndael_compat"}}));
  EXPECT_FALSE(is_all({{"pad", "none"}, {"skip", "8"}}));
  EXPECT_FALSE(is_all({{"pad", "none"}, {"length", "8"}}));
}

TEST(Raw, EncryptedZeroIsTheFirstBlockOfOfb) {
  Bytes iv(8);
  auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, kKey).update(iv, iv);
  const GivenOptions named{{"mode", "cfb"}, {"iv", "encrypted-zero"}};
  const GivenOptions given{{"mode", "cfb"}, {"iv", hex_text(iv)}};
  const Bytes plaintext = test::pattern(21);
  EXPECT_EQ(encrypt(plaintext, named), encrypt(plaintext, given));
  EXPECT_EQ(decrypt(encrypt(plaintext, given), named).plaintext, plaintext);
}

TEST(Raw, RefusesWhatCannotBe) {
  const auto failure = [&](const GivenOptions& options, const Bytes& key = kKey) {
    return error_of([&] { decrypt(Bytes(7), options, key); }).value();
  };
  EXPECT_EQ(failure({{"mode", "cbc"}, {"iv", "prefix"}}).text(),
            "the data ends inside the IV, its first 8 bytes");
  EXPECT_EQ(failure({{"mode", "cbc"}}).code(), Errc::usage) << "no iv";
  EXPECT_EQ(failure({{"mode", "cbc"}, {"iv", "zero"}}).code(), Errc::damaged);
  EXPECT_EQ(failure({{"mode", "cbc"}, {"iv", "zero"}}, {}).code(), Errc::usage);
  EXPECT_EQ(failure({{"mode", "cbc"}, {"iv", "zero"}, {"key-fill", "73"}}).code(), Errc::usage);
  EXPECT_EQ(failure({{"mode", "cbc"}, {"iv", "zero"}, {"skip", "8"}}).code(), Errc::damaged);
  EXPECT_EQ(failure({{"mode", "ecb"}, {"iv", "prefix"}}).code(), Errc::usage);
}

}  // namespace
}  // namespace fugu::format
