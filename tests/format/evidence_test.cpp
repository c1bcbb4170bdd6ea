// Parameters are found by trial, never by guessing.
#include "fugu/auth/kdf.hpp"

#include "fugu/auth/reference.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/beginnings.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/recipes.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/judge/judge.hpp"
#include "openssl_files.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

// Returns what `openssl enc` writes by default, now and formerly, and with -pbkdf2, also with the key lengths
// of OpenSSL 3.0.0 to 3.0.3.
std::vector<GivenOptions> what_files_use() {
  std::vector<GivenOptions> all;
  for (const char* const cipher : {"bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"}) {
    for (const unsigned key_bytes : {16u, 8u}) {
      if (key_bytes == 8 && (std::string_view(cipher) == "bf-cbc" || std::string_view(cipher) == "bf-ecb"))
        continue;
      all.push_back(parameters(cipher, "sha256", 0, key_bytes));
      all.push_back(parameters(cipher, "md5", 0, key_bytes));
      all.push_back(parameters(cipher, "sha256", kDefaultPbkdf2Iterations, key_bytes));
    }
  }
  return all;
}

TEST(OpensslTrial, FindsEveryCandidate) {
  std::size_t number = 0;
  for (const GivenOptions& given : what_files_use()) {
    for (const std::size_t bytes : {20u, 64u, 1000u, 200'000u}) {
      for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
        if (number++ % test::step(5) != 0) continue;
        const Result result = decrypt(encrypt(text(bytes), given), {.seekable = seekable});
        EXPECT_EQ(result.plaintext, text(bytes)) << result.opened.parameters << " " << bytes;
        EXPECT_EQ(result.opened.parameters, decrypt(encrypt({}, given), {given}).opened.parameters);
        EXPECT_TRUE(result.opened.by_trial);
        EXPECT_GE(result.opened.evidence.bits, kSufficientEvidenceBits);
      }
    }
  }
}

// OpenSSL 3.0.0 to 3.0.3 gave bf-cfb and bf-ofb 8 bytes of key and the next 8 as the IV (openssl issue
// 18359). No later release writes such files, so the test gives OpenSSL's cipher these two itself.
TEST(OpensslTrial, OpensFilesOfShortKeys) {
  const Bytes plaintext = text(300);
  for (const auto& [cipher, reference] :
       {std::pair{"bf-cfb", auth::ReferenceMode::cfb64}, std::pair{"bf-ofb", auth::ReferenceMode::ofb}}) {
    const auto stream =
        auth::bytes_to_key("sha256", auth::SecretBytes(std::span(kPassphrase)), kFileSalt, 16);
    const mode::Iv iv = iv_of(stream.span().last(8));
    Bytes ciphertext(plaintext.size());
    auth::ReferenceBlowfish(reference, true, stream.span().first(8), iv).update(plaintext, ciphertext);
    const Bytes file = joined({bytes_of("Salted__"), kFileSalt, ciphertext});
    const Result result = decrypt(file);
    EXPECT_EQ(result.plaintext, plaintext);
    EXPECT_EQ(result.opened.parameters, std::string(cipher) + ", EVP_BytesToKey with SHA256, key of 8 bytes");
    EXPECT_EQ(decrypt(file, {parameters(cipher, "sha256", 0, 8)}).plaintext, plaintext);
  }
}

// For a single block cfb and ofb are the same, so nothing needs to tell them apart. Eight bytes are not
// enough evidence, so the user accepts it.
TEST(OpensslTrial, OneBlockDoesNotHaveToTellCfbFromOfb) {
  const Bytes plaintext = bytes_of("a letter");
  const Bytes file = encrypt(plaintext, parameters("bf-ofb", "sha256"));
  EXPECT_EQ(failure(file).value().code(), Errc::unknown_format);
  EXPECT_EQ(decrypt(file, {.accept_weak_evidence = true}).plaintext, plaintext);
}

// The bound is one in 2^32 at most, so none of 10 000 wrong passphrases should be accepted.
TEST(OpensslTrial, NeverAcceptsAWrongPassphrase) {
  std::mt19937_64 random(20260101);
  for (int i = 0; i < test::cases(10'000); ++i) {
    // Nothing rules out cfb and ofb. Without them only the evidence refuses.
    How how{.options = {{"no-pbkdf2", ""}},  // for speed, since the bound holds for any set of candidates
            .seekable = i % 2 == 0 ? Seekable::yes : Seekable::no};
    if (i % 4 < 2) how.options["cipher"] = "bf-cbc";
    const Bytes plaintext = test::random_bytes(random, static_cast<std::size_t>(1 + random() % 200));
    const Bytes file = encrypt(plaintext, parameters("bf-cbc", "sha256"), test::random_bytes(random, 8));
    const auto error = failure(file, how, bytes_of("wrong " + std::to_string(i)));
    ASSERT_TRUE(error) << i;
    EXPECT_TRUE(error->doubts_secret() || error->code() == Errc::unknown_format) << error->text();
  }
}

// Under Crypt::CBC's pcbc the content would be the running sum of its blocks, which looks even more like a
// file. (With fewer blocks nothing decides: after 64 bytes the sum is 0, and both end in the same padding.)
TEST(OpensslTrial, CbcOfARegularPatternIsNotPcbc) {
  for (const std::size_t bytes : {200u, 794u, 3000u, 200'000u}) {
    Bytes plaintext(bytes);
    for (std::size_t i = 0; i < bytes; ++i) plaintext[i] = static_cast<std::byte>(i & 63);
    const Result result = decrypt(encrypt(plaintext));
    EXPECT_EQ(result.plaintext, plaintext) << bytes;
    EXPECT_EQ(result.opened.parameters, "bf-cbc, EVP_BytesToKey with SHA256");
  }
}

// Zeros are the same in cbc, cfb and ofb up to the first block that is not zero.
TEST(OpensslTrial, ZerosInFrontDoNotDecideTheMode) {
  std::mt19937_64 random(3);
  for (const std::size_t zeros : {64u, 1024u, 70'000u}) {
    const Bytes content = joined({Bytes(zeros), text(900)});
    const Bytes noise =
        joined({Bytes(zeros), test::random_bytes(random, 900)});  // in cbc with a padding of 4 bytes
    const Bytes file = encrypt(noise, parameters("bf-cbc", "md5"));
    EXPECT_EQ(decrypt(file).plaintext, noise) << zeros;
    EXPECT_TRUE(failure(slice(file, 0, file.size() - 800))) << zeros;
    for (const char* const cipher : {"bf-cfb", "bf-ofb"}) {
      const bool differs_soon = zeros < kLookaheadBytes;
      EXPECT_EQ(failure(encrypt(content, parameters(cipher, "md5"))).has_value(), !differs_soon) << zeros;
      expect_error(Errc::unknown_format, "", failure(encrypt(noise, parameters(cipher, "md5"))));
    }
  }
}

// In cbc a pcbc file is the differences of its blocks: zeros at the end, UTF-16 and repeated bytes look
// right.
TEST(OpensslTrial, PcbcIsNotTakenForCbc) {
  Bytes utf16;
  for (const std::byte letter : text(700)) utf16 = joined({utf16, Bytes{letter, std::byte{0}}});
  const Recipe recipe{.mode = Mode::pcbc, .is_crypt_cbc = true};
  for (const Bytes& plaintext : {joined({text(960), Bytes(64)}), utf16, Bytes(1003, std::byte{0x90})}) {
    stream::MemorySource source(plaintext);
    stream::MemorySink sink;
    seal_recipe({engine::local_engine(), source, sink}, recipe, auth::SecretBytes(std::span(kPassphrase)),
                {.salt = kFileSalt, .iv = {}});
    const Bytes file = joined({bytes_of("Salted__"), kFileSalt, sink.take()});
    if (const std::optional<Error> error = failure(file)) {
      EXPECT_EQ(error->code(), Errc::unknown_format) << error->text();
    } else {
      EXPECT_EQ(decrypt(file).plaintext, plaintext);
    }
  }
}

// Two recipes fit nearly as well. A small lead makes the better one likely, but not likely enough.
TEST(OpensslTrial, ALeadOfTwentyBitsDecidesAndLessDoesNot) {
  const auto chosen = [&](double lead_bits) {
    std::vector<Tried> tried(2);
    tried[0].recipe.mode = Mode::cfb64;
    tried[1].recipe.mode = Mode::ofb;
    tried[0].bits = {40, 40};
    tried[1].bits = {40 - lead_bits, 40 - lead_bits};
    for (Tried& one : tried) {
      one.recipe.key_bytes = 16;
      one.seen.push_back({std::make_shared<Reading>(), 0});
    }
    return choose_recipe(std::move(tried), false).found.recipe.mode;
  };
  EXPECT_EQ(chosen(20), Mode::cfb64);
  const auto error = error_of([&] { chosen(19.9); });
  expect_error(Errc::unknown_format, " and also bf-ofb", error);
  EXPECT_EQ(error->text().find("the passphrase fits bf-cfb"), 0u) << error->text();
}

TEST(OpensslTrial, PaddingCountsWhatItIsWorth) {
  std::mt19937_64 random(7);
  for (std::size_t padding = 1; padding <= 8; padding += test::step(3)) {
    const Bytes plaintext = test::random_bytes(random, 800 - padding);
    const Bytes file = encrypt(plaintext, parameters("bf-cbc", "md5"));
    const auto error = failure(file);
    if (padding >= 5) {
      EXPECT_FALSE(error) << padding << ": " << error->text();
      continue;
    }
    ASSERT_TRUE(error) << padding;
    // A byte of padding is no proof, but neither is the passphrase wrong.
    EXPECT_EQ(error->code(), Errc::unknown_format);
    EXPECT_NE(error->text().find("⟦cipher bf-cbc⟧ ⟦md md5⟧ ⟦no-pbkdf2⟧"), std::string::npos) << error->text();
    for (const char* const words : {"looks like noise, and only its end fits", "⟦yes⟧"})
      EXPECT_EQ(error->text().find(words) != std::string::npos, (padding == 1) != (words[0] != 'l'))
          << error->text();
    const Result result = decrypt(file, {parameters("bf-cbc", "md5")});
    EXPECT_EQ(result.plaintext, plaintext);
    EXPECT_FALSE(result.opened.by_trial);
    EXPECT_LT(result.opened.evidence.bits, kSufficientEvidenceBits);
  }
}

TEST(OpensslTrial, APipeIsJudgedByItsBeginning) {
  std::mt19937_64 random(8);
  const Bytes noise = encrypt(test::random_bytes(random, 100'000));
  expect_error(Errc::unknown_format, "give a file", failure(noise, {.seekable = Seekable::no}));
  EXPECT_FALSE(failure(noise));

  Bytes archive = test::random_bytes(random, 100'000);
  std::ranges::copy(bytes_of("7zXZ"), archive.begin() + 1);
  archive[0] = std::byte{0xfd};
  archive[5] = std::byte{0};
  EXPECT_EQ(decrypt(encrypt(archive), {.seekable = Seekable::no}).plaintext, archive);
}

TEST(OpensslTrial, ADigestAloneIsTriedWithBothDerivations) {
  for (const unsigned iterations : {0u, kDefaultPbkdf2Iterations}) {
    const GivenOptions given = parameters("bf-cbc", "sha512", iterations);
    const Result result = decrypt(encrypt(text(500), given), {{{"md", "sha512"}}});
    EXPECT_EQ(result.plaintext, text(500));
    EXPECT_EQ(result.opened.parameters.starts_with("bf-cbc, PBKDF2"), iterations != 0);
  }
}

// For openssl enc, -iter alone means -pbkdf2 with SHA-256.
TEST(OpensslTrial, FlagsMeanWhatTheyMeanToOpenssl) {
  const Result by_iterations = decrypt(encrypt(text(50), parameters("bf-cbc", "sha256", 77)),
                                       {{{"cipher", "bf-cbc"}, {"iter", "77"}}});
  EXPECT_EQ(by_iterations.plaintext, text(50));
  EXPECT_FALSE(by_iterations.opened.by_trial);
}

// If all parameters of openssl enc are given, noise in a stream mode is decrypted as by openssl enc, without
// --key-bytes.
TEST(OpensslGiven, NoiseOfAStreamModeIsDecrypted) {
  std::mt19937_64 random(12);
  const Bytes noise = test::random_bytes(random, 5000);
  for (const char* const cipher : {"bf-cfb", "bf-ofb"}) {
    const Result result = decrypt(encrypt(noise, parameters(cipher, "sha256", 1000)),
                                  {{{"cipher", cipher}, {"md", "sha256"}, {"iter", "1000"}}});
    EXPECT_EQ(result.plaintext, noise);
    EXPECT_FALSE(result.opened.by_trial);
  }
}

// If all parameters are given, the padding shows a wrong passphrase before anything is written.
TEST(OpensslGiven, WrongPassphraseIsRefusedByThePadding) {
  const Bytes file = encrypt(text(100'000));
  const Codec& codec = *find_codec("openssl");
  const OptionValues values = values_for(codec, parameters("bf-cbc", "sha256"));
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    BytesSource source(file);
    BytesSink sink;
    const auth::SecretBytes wrong("wrong " + std::to_string(i));
    const AskSecret secret(SecretKind::passphrase, wrong);
    const auto error = error_of([&] { codec.open({scalar_engine(), source, sink}, {values, secret}); });
    if (!error) continue;
    ++refused;
    EXPECT_EQ(error->code(), Errc::wrong_key);
    EXPECT_TRUE(sink.bytes.empty());
  }
  EXPECT_GE(refused, 195) << "one in 255 passes by chance";
}

// The openssl format: what it refuses, and what a watcher sees.

TEST(OpensslFormat, RefusesWhatIsNotAFile) {
  const Bytes file = encrypt(text(100));
  const auto code = [](const Bytes& bytes, const GivenOptions& given = {}) {
    return code_of([&] { decrypt(bytes, {given}); });
  };
  for (std::size_t bytes = 0; bytes < 16; ++bytes)
    EXPECT_EQ(code(slice(file, 0, bytes)), Errc::damaged) << bytes;
  EXPECT_EQ(code(text(100)), Errc::unknown_format);
  EXPECT_EQ(code(bytes_of("U2FsdGVkX18BAgMEBQYHCA==\n")), Errc::unknown_format);
  const GivenOptions cbc{{"cipher", "bf-cbc"}};
  const auto cut = [&](std::size_t bytes) { return slice(file, 0, file.size() - bytes); };
  EXPECT_EQ(code(slice(file, 0, 16), cbc), Errc::damaged) << "nothing after the salt";
  EXPECT_EQ(code(cut(3), cbc), Errc::damaged);
  const GivenOptions all = parameters("bf-cbc", "sha256");
  EXPECT_EQ(code(cut(3), all), Errc::damaged);
  EXPECT_EQ(code(cut(8), all), Errc::damaged) << "the last block is gone";
}

TEST(OpensslFormat, RefusesWhatCannotBeCombined) {
  for (const GivenOptions& given :
       {GivenOptions{{"nosalt", ""}, {"salt", "0102030405060708"}}, GivenOptions{{"md", "sha257"}},
        GivenOptions{{"pbkdf2", ""}, {"no-pbkdf2", ""}}, GivenOptions{{"cipher", "bf-ofb"}, {"nopad", ""}}}) {
    EXPECT_EQ(code_of([&] { seal_with("openssl", {}, kPassphrase, given); }), Errc::usage);
    EXPECT_EQ(failure(bytes_of("Salted__"), {given}).value().code(), Errc::usage);
  }
}

class FirstSight final : public Watcher {
 public:
  explicit FirstSight(const BytesSink& sink) : sink_(sink) {}
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override {
    mode = settings.mode;
    key_bytes = key.size();
    written_before = sink_.bytes.size();
  }
  void chunk(std::span<const std::byte>, std::span<const std::byte>) override {}

  std::optional<mode::Mode> mode;
  std::size_t key_bytes = 0;
  std::size_t written_before = 1;

 private:
  const BytesSink& sink_;
};

TEST(OpensslFormat, AWatcherIsToldTheParametersBeforeTheFirstByte) {
  const Bytes file = encrypt(text(1000));
  const Codec& codec = *find_codec("openssl");
  const auth::SecretBytes passphrase{std::span<const std::byte>(kPassphrase)};
  BytesSource source(file);
  BytesSink sink;
  FirstSight seen(sink);
  codec.open({scalar_engine(), source, sink, 0, nullptr, &seen},
             {OptionValues(codec.options), AskSecret(SecretKind::passphrase, passphrase)});
  EXPECT_EQ(seen.mode, Mode::cbc);
  EXPECT_EQ(seen.key_bytes, 16u);
  EXPECT_EQ(seen.written_before, 0u);
}

// The evidence that decrypted bytes are the beginning of a file.

// By Markov's inequality; a larger share would break every bound that is built on it.
TEST(Evidence, NoiseReachesKBitsOnceInTwoToTheK) {
  std::mt19937_64 random(11);
  const int draws = test::cases(1'000'000);
  const std::array<int, 4> bits{4, 8, 12, 16};
  std::array<int, 4> reached{};
  for (int i = 0; i < draws; ++i) {
    const double found = evidence_bits(test::random_bytes(random, 8 + 8 * (random() % 3)));
    ASSERT_GE(found, -2.0);
    for (std::size_t k = 0; k < bits.size(); ++k) reached[k] += found >= bits[k];
  }
  for (std::size_t k = 0; k < bits.size(); ++k) EXPECT_LE(reached[k], draws >> bits[k]) << bits[k];
}

TEST(Evidence, MuchNoiseIsNoEvidenceEither) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 8; ++i) EXPECT_LT(evidence_of(test::random_bytes(random, 65536)).going_on[0].all, 16);
}

// A byte that a row leaves open is noise.
TEST(Evidence, ARowIsWorthItsOwnBytesAlone) {
  std::mt19937_64 random(13);
  const auto filled = [&](std::string_view row) {
    Bytes bytes = test::random_bytes(random, row.size() + 64);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != '?') bytes[i] = static_cast<std::byte>(row[i]);
    }
    return bytes;
  };
  for (const auto& [row, says] : kBeginnings) {
    const auto known = row.size() - static_cast<std::size_t>(std::ranges::count(row, '?'));
    EXPECT_LE(evidence_bits(filled(row)), 8 * static_cast<double>(known) + 4) << row;
  }
}

TEST(Evidence, FilesArePlausible) {
  EXPECT_GT(evidence_bits(text(64)), 64);
  EXPECT_GT(evidence_bits(bytes_of("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")), 24);
  EXPECT_GT(evidence_bits(bytes_of("Съешь же ещё этих мягких французских булок")), 16);
  EXPECT_GT(evidence_bits(Bytes(64)), 64) << "a disk image";
  EXPECT_GT(evidence_bits(bytes_of("BZh91AY&SY")), 16);
  EXPECT_LT(evidence_bits({}), 1);
}

}  // namespace
}  // namespace fugu::format
