// Parameters are found by trial, never by guessing. encrypt_openssl writes the files; cli/openssl_test.py
// compares it with the `openssl` program.
#include <gtest/gtest.h>

#include <random>

#include "fugu/auth/kdf.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/format/detail/recipe.hpp"
#include "fugu/format/evidence.hpp"
#include "fugu/format/openssl/detail/parameters.hpp"
#include "openssl_files.hpp"
#include "support/many_cases.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing
using mode::Mode;

// Returns what `openssl enc` writes by default, now and formerly, and with -pbkdf2, also with the key lengths
// of OpenSSL 3.0.0 to 3.0.3.
std::vector<OpensslParameters> what_files_use() {
  std::vector<OpensslParameters> all;
  for (const Mode mode : {Mode::cbc, Mode::ecb, Mode::cfb64, Mode::ofb}) {
    for (const std::size_t key_bytes : {16u, 8u}) {
      if (key_bytes == 8 && mode::is_padded(mode)) continue;
      all.push_back({mode, "sha256", 0, key_bytes, true});
      all.push_back({mode, "md5", 0, key_bytes, true});
      all.push_back({mode, "sha256", kDefaultPbkdf2Iterations, key_bytes, true});
    }
  }
  return all;
}

TEST(OpensslTrial, FindsEveryCandidate) {
  std::size_t number = 0;
  for (const OpensslParameters& parameters : what_files_use()) {
    for (const std::size_t bytes : {20u, 64u, 1000u, 200'000u}) {
      for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
        if (number++ % test::step(5) != 0) continue;
        const Result result = decrypt(encrypt(text(bytes), parameters), {}, seekable);
        EXPECT_EQ(result.plaintext, text(bytes)) << parameters.describe() << " " << bytes;
        EXPECT_EQ(result.decryption.parameters.describe(), parameters.describe());
        EXPECT_TRUE(result.decryption.by_trial);
        EXPECT_GE(result.decryption.evidence_bits, kSufficientEvidenceBits);
      }
    }
  }
}

// OpenSSL 3.0.0 to 3.0.3 gave bf-cfb and bf-ofb 8 bytes of key and the next 8 as the IV (openssl issue
// 18359). No later release writes such files, so the test gives OpenSSL's cipher these two itself.
TEST(OpensslTrial, OpensFilesOfShortKeys) {
  const Bytes plaintext = text(300);
  for (const auto& [mode, reference] :
       {std::pair{Mode::cfb64, auth::ReferenceMode::cfb64}, std::pair{Mode::ofb, auth::ReferenceMode::ofb}}) {
    const auto stream = auth::bytes_to_key("sha256", passphrase(), kSalt, 16);
    std::array<std::byte, 8> iv;
    std::ranges::copy(stream.span().last(8), iv.begin());
    Bytes ciphertext(plaintext.size());
    auth::ReferenceBlowfish(reference, true, stream.span().first(8), iv).update(plaintext, ciphertext);
    Bytes file = bytes_of("Salted__");
    file.insert(file.end(), kSalt.begin(), kSalt.end());
    file.insert(file.end(), ciphertext.begin(), ciphertext.end());

    const Result result = decrypt(file);
    EXPECT_EQ(result.plaintext, plaintext);
    EXPECT_EQ(result.decryption.parameters.key_bytes, 8u);
    EXPECT_EQ(result.decryption.parameters.mode, mode);
    OpensslDecryptRequest request{mode, "sha256", 0u, 8u, true, SaltPlace::header, {}};
    EXPECT_EQ(decrypt(file, request).plaintext, plaintext);
  }
}

// For a single block cfb and ofb are the same, so nothing needs to tell them apart. Eight bytes are not
// enough evidence, so the user accepts it.
TEST(OpensslTrial, OneBlockDoesNotHaveToTellCfbFromOfb) {
  const Bytes plaintext = bytes_of("%PDF-1.4");
  const Bytes file = encrypt(plaintext, {Mode::ofb, "sha256", 0, 16, true});
  EXPECT_EQ(failure(file).value().code(), Errc::unknown_format);
  OpensslDecryptRequest request;
  request.accept_weak_evidence = true;
  EXPECT_EQ(decrypt(file, request).plaintext, plaintext);
}

// The bound is one in 2^32 at most, so none of 10 000 wrong passphrases should be accepted.
TEST(OpensslTrial, NeverAcceptsAWrongPassphrase) {
  std::mt19937_64 random(20260101);
  OpensslDecryptRequest request;
  request.pbkdf2_iterations = 0;  // for speed, since the bound holds for any set of candidates
  for (int i = 0; i < test::cases(10'000); ++i) {
    // Nothing rules out cfb and ofb. Without them only the evidence refuses.
    request.mode = i % 4 < 2 ? std::optional(Mode::cbc) : std::nullopt;
    const Bytes plaintext = random_data(random, static_cast<std::size_t>(1 + random() % 200));
    Salt salt;
    std::ranges::copy(random_data(random, 8), salt.begin());
    const Bytes file = encrypt(plaintext, {Mode::cbc, "sha256", 0, 16, true}, salt);
    const auth::SecretBytes wrong("wrong " + std::to_string(i));
    const auto error = failure(file, request, i % 2 == 0 ? Seekable::yes : Seekable::no, wrong);
    ASSERT_TRUE(error) << i;
    EXPECT_TRUE(error->code() == Errc::wrong_key || error->code() == Errc::unknown_format) << error->text();
  }
}

// Under Crypt::CBC's pcbc the content would be the running sum of its blocks, which looks even more like a
// file.
TEST(OpensslTrial, CbcOfARegularPatternIsNotPcbc) {
  for (const std::size_t bytes : {64u, 794u, 3000u, 200'000u}) {
    Bytes plaintext(bytes);
    for (std::size_t i = 0; i < bytes; ++i) plaintext[i] = static_cast<std::byte>(i & 63);
    const Result result = decrypt(encrypt(plaintext, {Mode::cbc, "sha256", 0, 16, true}));
    EXPECT_EQ(result.plaintext, plaintext) << bytes;
    EXPECT_EQ(result.decryption.parameters.mode, Mode::cbc);
  }
}

// Two recipes fit nearly as well. A small lead makes the better one likely, but not likely enough.
TEST(OpensslTrial, ALeadOfAByteDecidesAndLessDoesNot) {
  const auto chosen = [&](double lead_bits) {
    std::vector<Tried> tried(2);
    tried[0].recipe.mode = Mode::cfb64;
    tried[1].recipe.mode = Mode::ofb;
    tried[0].bits = 40;
    tried[1].bits = 40 - lead_bits;
    for (Tried& one : tried) one.recipe.key_bytes = 16;
    return choose_recipe(std::move(tried), false, {describe_salted, salted_flags}).recipe.mode;
  };
  EXPECT_EQ(chosen(8), Mode::cfb64);
  try {
    chosen(7.9);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unknown_format);
    EXPECT_EQ(error.text().find("the passphrase fits bf-cfb"), 0u) << error.text();
    EXPECT_NE(error.text().find(" and also bf-ofb"), std::string::npos) << error.text();
  }
}

TEST(OpensslTrial, PaddingCountsWhatItIsWorth) {
  std::mt19937_64 random(7);
  for (std::size_t padding = 1; padding <= 8; padding += test::step(3)) {
    const Bytes plaintext = random_data(random, 800 - padding);
    const Bytes file = encrypt(plaintext, {Mode::cbc, "md5", 0, 16, true});
    const auto error = failure(file);
    if (padding >= 5) {
      EXPECT_FALSE(error) << padding << ": " << error->text();
      continue;
    }
    ASSERT_TRUE(error) << padding;
    // With this number of candidates, one byte of padding appears under a wrong passphrase in one of 15
    // files.
    EXPECT_EQ(error->code(), padding == 1 ? Errc::wrong_key : Errc::unknown_format);
    const bool hints = error->text().find("--cipher bf-cbc --md md5 --no-pbkdf2") != std::string::npos;
    EXPECT_EQ(hints, padding > 1) << error->text();
    OpensslDecryptRequest flags;
    flags.mode = Mode::cbc;
    flags.digest = "md5";
    flags.pbkdf2_iterations = 0;
    const Result result = decrypt(file, flags);
    EXPECT_EQ(result.plaintext, plaintext);
    EXPECT_FALSE(result.decryption.by_trial);
    EXPECT_LT(result.decryption.evidence_bits, kSufficientEvidenceBits);
  }
}

TEST(OpensslTrial, APipeIsJudgedByItsBeginning) {
  std::mt19937_64 random(8);
  const OpensslParameters parameters{Mode::cbc, "sha256", 0, 16, true};
  const Bytes noise = encrypt(random_data(random, 100'000), parameters);
  const auto error = failure(noise, {}, Seekable::no);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::unknown_format);
  EXPECT_NE(error->text().find("give a file"), std::string::npos) << error->text();
  EXPECT_FALSE(failure(noise, {}, Seekable::yes));

  Bytes archive = random_data(random, 100'000);
  std::ranges::copy(bytes_of("7zXZ"), archive.begin() + 1);
  archive[0] = std::byte{0xfd};
  archive[5] = std::byte{0};
  EXPECT_EQ(decrypt(encrypt(archive, parameters), {}, Seekable::no).plaintext, archive);
}

TEST(OpensslTrial, ADigestAloneIsTriedWithBothDerivations) {
  OpensslDecryptRequest request;
  request.digest = "sha512";
  for (const std::uint32_t iterations : {0u, kDefaultPbkdf2Iterations}) {
    const Bytes file = encrypt(text(500), {Mode::cbc, "sha512", iterations, 16, true});
    const Result result = decrypt(file, request);
    EXPECT_EQ(result.plaintext, text(500));
    EXPECT_EQ(result.decryption.parameters.pbkdf2_iterations, iterations);
  }
}

// For openssl enc, -iter alone means -pbkdf2 with SHA-256.
TEST(OpensslTrial, FlagsMeanWhatTheyMeanToOpenssl) {
  OpensslDecryptRequest iterations;
  iterations.mode = Mode::cbc;
  iterations.pbkdf2_iterations = 77;
  const Result by_iterations = decrypt(encrypt(text(50), {Mode::cbc, "sha256", 77, 16, true}), iterations);
  EXPECT_EQ(by_iterations.plaintext, text(50));
  EXPECT_FALSE(by_iterations.decryption.by_trial);
}

// If all parameters of openssl enc are given, noise in a stream mode is decrypted as by openssl enc, without
// --key-bytes.
TEST(OpensslGiven, NoiseOfAStreamModeIsDecrypted) {
  std::mt19937_64 random(12);
  const Bytes noise = random_data(random, 5000);
  for (const Mode mode : {Mode::cfb64, Mode::ofb}) {
    OpensslDecryptRequest request;
    request.mode = mode;
    request.digest = "sha256";
    request.pbkdf2_iterations = 1000;
    const Result result = decrypt(encrypt(noise, {mode, "sha256", 1000, 16, true}), request);
    EXPECT_EQ(result.plaintext, noise);
    EXPECT_FALSE(result.decryption.by_trial);
  }
}

// If all parameters are given, the padding shows a wrong passphrase before anything is written.
TEST(OpensslGiven, WrongPassphraseIsRefusedByThePadding) {
  OpensslDecryptRequest request;
  request.mode = Mode::cbc;
  request.digest = "sha256";
  request.pbkdf2_iterations = 0;
  const Bytes file = encrypt(text(100'000), {Mode::cbc, "sha256", 0, 16, true});
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    BytesSource source(file);
    BytesSink sink;
    const auth::SecretBytes wrong("wrong " + std::to_string(i));
    const auto error = error_of([&] {
      static_cast<void>(decrypt_openssl({scalar_engine(), source, sink, 0, nullptr, {}}, request, wrong));
    });
    if (!error) continue;
    ++refused;
    EXPECT_EQ(error->code(), Errc::wrong_key);
    EXPECT_TRUE(sink.bytes.empty());
  }
  EXPECT_GE(refused, 195) << "one in 255 passes by chance";
}

}  // namespace
}  // namespace fugu::format
