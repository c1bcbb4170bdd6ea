#include "fugu/format/raw/raw.hpp"

#include <gtest/gtest.h>

#include "fugu/auth/reference.hpp"
#include "memory.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing

Bytes encrypt(const Bytes& plaintext, const RawParameters& parameters, const auth::SecretBytes& key) {
  return run_job(plaintext, [&](const Job& job) { encrypt_raw(job, parameters, key); });
}

Bytes decrypt(const Bytes& ciphertext, const RawParameters& parameters, const auth::SecretBytes& key) {
  return run_job(ciphertext, [&](const Job& job) { decrypt_raw(job, parameters, key); });
}

TEST(Raw, EveryKeyLengthIsOpenssls) {
  RawParameters parameters;
  parameters.settings.mode = mode::Mode::ofb;
  parameters.settings.iv.emplace().fill(std::byte{0x5a});
  const Bytes plaintext = test::pattern(203);
  for (std::size_t bytes = 1; bytes <= cipher::kMaxClassicKeyBytes; ++bytes) {
    const auth::SecretBytes key{std::span<const std::byte>(test::pattern(bytes))};
    Bytes expected(plaintext.size());
    auth::ReferenceBlowfish(auth::ReferenceMode::ofb, true, key.span(), *parameters.settings.iv)
        .update(plaintext, expected);
    EXPECT_EQ(encrypt(plaintext, parameters, key), expected) << bytes;
    EXPECT_EQ(decrypt(expected, parameters, key), plaintext) << bytes;
  }
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
  EXPECT_EQ(failure(given, auth::SecretBytes(std::size_t{73})), Errc::usage);
  prefixed.settings.mode = mode::Mode::ecb;
  EXPECT_EQ(failure(prefixed, key), Errc::usage);
}

}  // namespace
}  // namespace fugu::format
