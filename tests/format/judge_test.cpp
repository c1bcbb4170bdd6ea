// The five principles of the judge, each with what opened wrong, or lost bytes, before it held.
#include "fugu/format/judge/judge.hpp"

#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/recipes.hpp"
#include "fugu/format/guess/detail/axes.hpp"
#include "fugu/format/guess/guess.hpp"
#include "openssl_files.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

Bytes encrypted(const Bytes& key, const mode::Settings& settings, Bytes plaintext) {
  const std::size_t bytes = plaintext.size();
  plaintext.resize(bytes + mode::kMaxPaddingBytes);
  const auto schedule = schedule_of(key);
  mode::CipherStream cipher(engine::local_engine(), schedule, settings, core::Direction::encrypt);
  plaintext.resize(cipher.process(plaintext, bytes, true));
  return plaintext;
}

Bytes cbc_of(const Bytes& key, const mode::Iv& iv, Bytes plaintext) {
  return encrypted(key, {.mode = Mode::cbc, .iv = iv}, std::move(plaintext));
}

std::vector<Tried> tried(std::span<const std::byte> ciphertext, const std::vector<Recipe>& recipes,
                         std::span<const std::byte> key,
                         const RecipeInput& input = {.salt = {}, .iv = mode::Iv()}) {
  stream::MemorySource memory(ciphertext);
  Lookahead source(memory);
  return try_recipes(engine::local_engine(), recipes, auth::SecretBytes(key), input, source);
}

Bits bits_of(const std::vector<TrialMessage>& messages, const std::vector<Recipe>& recipes,
             const Bytes& key) {
  const auth::SecretBytes secret{std::span<const std::byte>(key)};
  return try_recipes(engine::local_engine(), recipes, secret, messages, false).front().bits;
}

// What is decided among all modes and paddings of Crypt::CBC, the key known.
Verdict judged(Mode mode, const Bytes& padded, bool accepted = false) {
  const Bytes key(16, std::byte{0x42});
  std::vector<Recipe> recipes;
  add_crypt_cbc_recipes({.derivation = Derivation::literal}, {.key_bytes = key.size()}, recipes);
  const mode::Settings settings{.mode = mode, .padding = mode::Padding::none, .iv = mode::Iv()};
  return choose_recipe(tried(encrypted(key, settings, padded), recipes, key), accepted);
}

// So many bytes or some more, in whole blocks.
Bytes prose_of(std::mt19937_64& random, std::size_t bytes) {
  Bytes prose;
  while (prose.size() % 8 != 0 || prose.size() < bytes) {
    constexpr std::array kWords{"than ", "when ", "other ", "people ", "into ", "which ", "there ", "said, "};
    for (const char letter : std::string_view(kWords[random() % kWords.size()]))
      prose.push_back(static_cast<std::byte>(letter));
  }
  return prose;
}

// A name, zeros and a number each.
Bytes records(std::size_t count) {
  Bytes all;
  for (std::size_t i = 0; i < count; ++i) {
    Bytes one = bytes_of(i % 3 == 0 ? "other" : i % 7 < 3 ? "time" : "people");
    one.resize(16);
    one[12] = static_cast<std::byte>(i);
    one[13] = static_cast<std::byte>(i >> 8);
    all = joined({all, one});
  }
  return all;
}

Fit first_guess(const Bytes& data, const Bytes& secret, SecretKind kind = SecretKind::key) {
  stream::MemorySource source(data);
  const Fits fits = guess(source, kind, auth::SecretBytes(std::span(secret)), {});
  return fits.best.empty() ? Fit() : fits.best.front();
}

// 1. All stories explain the same bytes: an IV in front is not 8 bytes less to explain.
TEST(Judge, TheFirstGuessKeepsTheFirstBlock) {
  std::mt19937_64 random(1);
  for (const std::size_t bytes : {30u, 300u, 3000u}) {
    const Bytes key = test::random_bytes(random, 16);
    const Fit zero = first_guess(cbc_of(key, {}, text(bytes)), key);
    EXPECT_EQ(zero.options, "⟦format raw⟧ ⟦mode cbc⟧ ⟦iv zero⟧");
    EXPECT_EQ(zero.plaintext_bytes, bytes);
    const Bytes iv = test::random_bytes(random, 8);
    const Fit prefix = first_guess(joined({iv, cbc_of(key, iv_of(iv), text(bytes))}), key);
    EXPECT_EQ(prefix.options, "⟦format raw⟧ ⟦mode cbc⟧ ⟦iv prefix⟧");
    EXPECT_EQ(prefix.plaintext_bytes, bytes);
    const Bytes header = test::random_bytes(random, 12);
    EXPECT_EQ(first_guess(joined({header, cbc_of(key, {}, text(bytes))}), key).options,
              "⟦format raw⟧ ⟦mode cbc⟧ ⟦iv zero⟧ ⟦skip 12⟧");
  }
}

// Here the first line could be a message that zeros fill; the others then have no salt, and are unexplained.
TEST(Judge, TheFirstLineOfAWrappedTextIsNoMessage) {
  const Bytes file = encrypt(joined({text(27), Bytes(5), text(500)}));
  EXPECT_EQ(first_guess(base64_of(file), kPassphrase, SecretKind::passphrase).options,
            "⟦a⟧ ⟦format openssl⟧ ⟦cipher bf-cbc⟧ ⟦md sha256⟧ ⟦no-pbkdf2⟧");
}

// In a large file, too, bytes before the ciphertext do not make the judge look at more behind them.
TEST(Judge, WhatStandsBeforeCountsAsLookedAt) {
  std::mt19937_64 random(21);
  const Bytes key = test::random_bytes(random, 16), ciphertext = cbc_of(key, {}, text(5000));
  const auto seen = [&](std::size_t before) {
    const std::vector<Recipe> recipes{{.derivation = Derivation::literal, .prior = 1}};
    const RecipeInput input{.salt = {}, .iv = mode::Iv(), .bytes_before = before, .depth = Depth::first};
    return before + tried(ciphertext, recipes, key, input)[0].seen[0].reading->beginning.size();
  };
  for (const std::size_t before : {8u, 16u, 256u}) EXPECT_EQ(seen(before), seen(0)) << before;
}

TEST(Judge, ABlankIsAByteAsAny) {
  EXPECT_EQ(first_guess(bytes_of(" "), Bytes(16)).options, "");
  EXPECT_EQ(error_of([] { first_guess({}, Bytes(16)); }).value().code(), Errc::damaged);
}

// 2. What repeats in the ciphertext repeats under every key: no evidence.
TEST(Judge, AWrongKeyGainsNothingFromRepeatedBlocks) {
  std::mt19937_64 random(2);
  const Bytes block = test::random_bytes(random, 8);
  Bytes ciphertext;
  for (int i = 0; i < 60; ++i) ciphertext = joined({ciphertext, block});
  std::vector<Recipe> recipes;
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb64, Mode::pcbc})
    recipes.push_back(
        {.derivation = Derivation::literal, .mode = mode, .padding = TailPadding::none, .prior = 0.25});
  const int wrong = test::cases(10'000);
  for (const double bits : {4.0, 8.0}) {
    int reached = 0;
    for (int i = 0; i < wrong; ++i) {
      double all = -100;
      for (const Tried& one : tried(ciphertext, recipes, test::random_bytes(random, 16)))
        all = log2_sum(all, one.bits.sure);
      reached += all >= bits;
    }
    EXPECT_LE(reached, wrong / std::exp2(bits) + 3 * std::sqrt(wrong / std::exp2(bits))) << bits;
  }
}

// Messages under one keystream differ by the same bytes under every key: the first alone is evidence.
TEST(Judge, AnotherMessageUnderOneKeystreamIsNoEvidence) {
  std::mt19937_64 random(3);
  const Bytes key = test::random_bytes(random, 16);
  const mode::Iv another = iv_of(Bytes(8, std::byte{1}));
  for (const Mode mode : {Mode::ofb, Mode::ctr, Mode::ofb8}) {
    const std::vector<Recipe> recipes{
        {.derivation = Derivation::literal, .mode = mode, .padding = TailPadding::none, .prior = 1}};
    const auto bits_of_both = [&](const mode::Iv& iv) {
      const Bytes first = encrypted(key, {.mode = mode, .iv = mode::Iv()}, text(64));
      const Bytes second =
          encrypted(key, {.mode = mode, .iv = iv},
                    bytes_of("Quite another text of as many bytes as the first one has, or so."));
      const std::vector<TrialMessage> messages{{first, {.salt = {}, .iv = mode::Iv()}},
                                               {second, {.salt = {}, .iv = iv}}};
      return bits_of(messages, recipes, key).sure;
    };
    EXPECT_GT(bits_of_both(another), bits_of_both(mode::Iv()) + 60) << mode::name_of(mode);
  }
}

TEST(Judge, AMessageCountsOnceAndOneMayBeDamaged) {
  std::mt19937_64 random(18);
  const Bytes key = test::random_bytes(random, 16);
  const RecipeInput input{.salt = {}, .iv = mode::Iv()};
  const std::vector<Recipe> recipes{{.derivation = Derivation::literal, .prior = 1}};
  const auto of = [&](const Bytes& content) { return TrialMessage{content, input}; };
  const Bytes one = cbc_of(key, {}, text(30)), other = cbc_of(key, {}, text(61)),
              cut = slice(one, 0, one.size() - 3);
  const auto all = [&](const std::vector<TrialMessage>& messages) {
    return bits_of(messages, recipes, key).all;
  };
  EXPECT_EQ(all({of(one), of(one)}), all({of(one)}));
  EXPECT_NEAR(all({of(one), of(cut), of(other)}), all({of(one), of(other)}), 8);
}

TEST(Judge, TheMiddleOfALargeFileIsLookedAt) {
  std::mt19937_64 random(6);
  const Bytes noise = test::random_bytes(random, 150'000);
  const Bytes content = joined({noise, text(50'000), joined({noise, bytes_of("1234567")})});
  const auto error = failure(encrypt(content, parameters("bf-cbc", "md5")));
  EXPECT_FALSE(error) << error->text();
}

// 3. The set of stories is closed: pcbc is tried with every padding, and shares its last block with cbc.
TEST(Judge, APcbcFileIsNotOpenedAsCbc) {
  const Bytes file = *parse_hex(
      "52616e646f6d49567ca445a9780054b6d33be3c9ecb70d55ecb51ab82a4ffae9195522e178374aef3e2c12fab6a9fc67");
  std::optional<Result> result;
  const auto error = error_of([&] { result = open_with("cryptcbc", file, bytes_of("pw679")); });
  if (error) {
    EXPECT_EQ(error->code(), Errc::unknown_format) << error->text();
  } else {
    EXPECT_EQ(slice(result->plaintext, 0, 10), bytes_of("not + note"));
    EXPECT_NE(result->opened.parameters.find("pcbc"), std::string::npos);
  }
}

// In cbc its end is a byte of 01, and what stands before it is noise in both.
TEST(Judge, TheEndOfPcbcIsSeenBehindNoise) {
  std::mt19937_64 random(20);
  Bytes noise = test::random_bytes(random, 20'000);
  noise.back() = std::byte{9};
  const Verdict verdict = judged(Mode::pcbc, joined({noise, Bytes(8, std::byte{8})}));
  EXPECT_EQ(verdict.found.recipe.mode, Mode::pcbc);
  EXPECT_EQ(verdict.found.taken(), 8u);
}

// Records in pcbc look better in cbc, which shows their differences.
TEST(Judge, SumsAndDifferencesDecideNothing) {
  EXPECT_EQ(error_of([] { judged(Mode::pcbc, records(400)); }).value().code(), Errc::unknown_format);
  std::mt19937_64 random(7);
  const Bytes prose = prose_of(random, 3000);
  for (const Mode mode : {Mode::cbc, Mode::pcbc}) EXPECT_EQ(judged(mode, prose).found.recipe.mode, mode);
}

// In cbc this is the text twice, which begins with the text in pcbc: other bytes, and no other end.
TEST(Judge, WhatBeginsAsAnotherContentIsNotItsEnd) {
  expect_error(Errc::unknown_format, "pcbc, padding null and also", error_of([] {
                 judged(Mode::pcbc, joined({bytes_of("What on"), Bytes(9)}));
               }));
}

TEST(Judge, NothingIsSaidToFitThatDoesNot) {
  std::mt19937_64 random(9);
  const Verdict verdict =
      judged(Mode::cbc, joined({test::random_bytes(random, 799), Bytes{std::byte{1}}}), true);
  EXPECT_FALSE(verdict.all_content);
  for (const std::string& note : verdict.notes) EXPECT_EQ(note.find(" fits too"), std::string::npos) << note;
}

// In cbc the last block of cfb would be zeros as well, and padding.
TEST(Judge, ZerosThatEndCfbAreNotThePaddingOfCbc) {
  std::mt19937_64 random(11);
  for (const std::size_t zeros : {8u, 16u, 18u, 24u, 31u, 100u}) {
    const Bytes noise = test::random_bytes(random, 7000 + 8 - zeros % 8);
    const auto error = error_of([&] {
      EXPECT_EQ(judged(Mode::cfb64, joined({noise, Bytes(zeros)})).found.recipe.mode, Mode::cfb64) << zeros;
    });
    EXPECT_TRUE(!error || error->code() == Errc::unknown_format) << zeros;
  }
}

// Behind zeros ofb goes on as cfb does, and its end cannot be seen before all is decrypted.
TEST(Judge, AnEndThatOneModeShowsIsNoLead) {
  EXPECT_EQ(code_of([] { judged(Mode::cfb64, joined({Bytes(100'000), text(40)})); }), Errc::unknown_format);
}

// One length in eight is whole blocks where nothing is padded.
TEST(Judge, WholeBlocksAreSeldomAStream) {
  std::mt19937_64 random(17);
  const Bytes noise = test::random_bytes(random, 801);
  const std::vector<Recipe> recipes{
      {.derivation = Derivation::literal, .mode = Mode::ofb, .padding = TailPadding::none, .prior = 1}};
  const auto bits = [all = std::span<const std::byte>(noise), &recipes](std::size_t bytes) {
    return tried(all.first(bytes), recipes, all.first(16)).front().bits.all;
  };
  EXPECT_NEAR(bits(801) - bits(800), 3, 0.5);
}

// 4. Contents are decided: with 40 bits the input may go, with less it stays.
TEST(Judge, TheInputGoesOnlyWhereItsEndIsSure) {
  const auto opened = [](const Bytes& content) { return decrypt(encrypt(content)).opened; };
  EXPECT_TRUE(opened(text(804)).all_content);
  EXPECT_TRUE(opened(text(806)).all_content);
  EXPECT_FALSE(opened(text(807)).all_content) << "a byte of 01 may be data of openssl -nopad";
  EXPECT_TRUE(opened(text(808)).all_content);
  std::mt19937_64 random(4);
  const Bytes packed =
      joined({bytes_of("BZh91AY&SY"), test::random_bytes(random, 797)});  // noise may end in 01
  EXPECT_FALSE(opened(packed).all_content);
  EXPECT_FALSE(opened({}).all_content) << "eight bytes of 08 are padding to anyone";
  const Bytes prose = prose_of(random, 801);  // data padded by another program end so under Crypt::CBC's none
  EXPECT_FALSE(judged(Mode::cbc, joined({prose, Bytes(8, std::byte{8})})).all_content);
  const Bytes shorter = slice(prose, 0, prose.size() - 7);
  EXPECT_TRUE(judged(Mode::cbc, joined({shorter, Bytes(7, std::byte{7})})).all_content);
}

// 5. Nothing is taken off an end that may be data.
TEST(Judge, DataWithoutPaddingKeepItsEnd) {
  int opened = 0;
  for (const Bytes& end :
       {Bytes(8), Bytes(8, std::byte{' '}), Bytes{std::byte{0x80}, {}, {}, {}, {}, {}, {}, {}}}) {
    for (const std::size_t bytes : {120u, 4000u}) {
      const Bytes plaintext = joined({text(bytes), end});
      GivenOptions options = parameters("bf-cbc", "sha256");
      options["nopad"] = "";
      std::optional<Result> result;
      const auto error = error_of([&] { result = decrypt(encrypt(plaintext, options)); });
      if (error) {
        EXPECT_EQ(error->code(), Errc::unknown_format) << error->text();
        continue;
      }
      ++opened;
      EXPECT_EQ(result->plaintext, plaintext);
      EXPECT_FALSE(result->opened.all_content);
    }
  }
  EXPECT_GE(opened, 1);
}

// What the end of a gzip file says of its size outweighs a byte of padding.
TEST(Judge, AByteOfPaddingComesOffWhereTheContentEnds) {
  std::mt19937_64 random(5);
  const Bytes end{std::byte{0x0b}, std::byte{0x07}, {}, {}};  // 1803
  const Bytes packed =
      joined({bytes_of({"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10}), test::random_bytes(random, 785), end});
  const Bytes other = slice(packed, 0, packed.size() - 4) + test::random_bytes(random, 4);
  EXPECT_EQ(decrypt(encrypt(packed, parameters("bf-cbc", "md5"))).plaintext, packed);
  EXPECT_EQ(decrypt(encrypt(other, parameters("bf-cbc", "md5"))).plaintext,
            joined({other, Bytes{std::byte{1}}}));
}

TEST(Judge, ZerosBehindTheMarkOfPaddingAreNoData) {
  const Bytes padding{std::byte{0x80}, {}, {}, {}};
  const Verdict verdict = judged(Mode::cbc, joined({text(804), padding}));
  EXPECT_EQ(verdict.found.taken(), 4u);
  EXPECT_FALSE(verdict.all_content);
  EXPECT_EQ(judged(Mode::cbc, joined({text(808), joined({padding, Bytes(4)})})).found.taken(), 0u);
}

TEST(Judge, ZerosAndSpacesStay) {
  for (const std::size_t zeros : {1u, 4u, 8u}) {
    const Verdict verdict = judged(Mode::cbc, joined({text(800 - zeros), Bytes(zeros)}));
    EXPECT_EQ(verdict.found.taken(), 0u) << zeros;
    ASSERT_FALSE(verdict.notes.empty());
    EXPECT_NE(verdict.notes.back().find("may be padding, and w"), std::string::npos) << verdict.notes.back();
  }
  std::mt19937_64 random(10);
  const Bytes spaces(7, std::byte{' '});
  EXPECT_EQ(judged(Mode::cbc, joined({bytes_of("BZh91AY&SY"), test::random_bytes(random, 999), spaces}))
                .found.taken(),
            0u);
}

TEST(Judge, TheFirstGuessLosesNothingThatMayBeData) {
  std::mt19937_64 random(8);
  const Bytes key = test::random_bytes(random, 16);
  const Bytes noisy = joined({test::random_bytes(random, 8), prose_of(random, 3000)});
  for (const mode::Settings& unheaded :
       {mode::Settings{.mode = Mode::ecb},
        {.mode = Mode::ofb, .padding = mode::Padding::none, .iv = mode::Iv()}})
    EXPECT_EQ(first_guess(encrypted(key, unheaded, noisy), key).plaintext_bytes, noisy.size());
  EXPECT_EQ(first_guess(encrypted(key, {.mode = Mode::ecb}, noisy), key).remark,
            "the first 8 bytes are noise: if they are a header, add ⟦skip 8⟧");
  const Bytes archive = joined({text(300), Bytes(700)});
  const mode::Settings unpadded{.mode = Mode::cbc, .padding = mode::Padding::none, .iv = mode::Iv()};
  EXPECT_EQ(first_guess(encrypted(key, unpadded, archive), key).plaintext_bytes, archive.size());
  Bytes zero = joined({bytes_of("BZh91AY&SY"), test::random_bytes(random, 366)});
  zero.back() = {};
  EXPECT_EQ(first_guess(encrypted(key, unpadded, zero), key).plaintext_bytes, zero.size());
  Bytes packed = joined({bytes_of({"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10}), test::random_bytes(random, 365)});
  packed = joined({packed, Bytes{std::byte{0xf1}, std::byte{0x02}, {}, {}}});  // 753
  const mode::Settings filled{.mode = Mode::cbc, .padding = mode::Padding::zero, .iv = mode::Iv()};
  EXPECT_GE(first_guess(encrypted(key, filled, packed), key).plaintext_bytes, packed.size());
}

TEST(Judge, ACutFileIsNotAWrongPassphrase) {
  const Bytes file = encrypt(text(3000));
  for (const std::size_t cut : {1u, 3u, 8u, 1000u})
    expect_error(Errc::damaged, "the passphrase fits bf-cbc", failure(slice(file, 0, file.size() - cut)));
}

// Behind the name of a tar file, zeros look the same in cfb, which also has the rest of a block that was cut.
TEST(Judge, ZerosThatWereCutAreNotTakenForCfb) {
  for (const char* const name : {"no0.txt", "time0.txt"}) {
    const Bytes file = encrypt(joined({bytes_of(name), Bytes(100)}), parameters("bf-cbc", "md5"));
    for (const std::size_t left : {28u, 45u, 52u, 75u, 97u}) {
      const auto error = failure(slice(file, 0, 16 + left));
      ASSERT_TRUE(error) << name << left;
      EXPECT_NE(error->code(), Errc::wrong_key) << error->text();
      EXPECT_NE(error->text().find("bf-cbc"), std::string::npos) << error->text();
    }
  }
}

// Where the end is not seen before all is decrypted.
TEST(Judge, AnEndThatIsSeenLateIsDamageToo) {
  std::mt19937_64 random(14);
  const Bytes file = encrypt(text(100'000), parameters("bf-cbc", "md5"));
  const auto error = failure(slice(file, 0, file.size() - 8), {.seekable = Seekable::no});
  EXPECT_EQ(error.value().code(), Errc::damaged) << error->text();
  const auto stream = auth::bytes_to_key("md5", auth::SecretBytes(std::span(kPassphrase)), kFileSalt, 64, 1);
  const Bytes key = slice(stream.span(), 0, 56);
  const Bytes pcbc =
      encrypted(key, {.mode = Mode::pcbc, .iv = iv_of(stream.span().last(8))}, prose_of(random, 100'000));
  const auto of_pcbc = [&](std::size_t cut) {
    const Bytes part = slice(pcbc, 0, pcbc.size() - cut);
    return failure(joined({bytes_of("Salted__"), kFileSalt, part}), {.seekable = Seekable::yes});
  };
  EXPECT_FALSE(of_pcbc(0));
  expect_error(Errc::damaged, "; or it has no padding: then give ", of_pcbc(16));
}

// Nothing is damaged where another padding of Crypt::CBC fits an end that is seen late. With a key of 16
// bytes in cbc, openssl enc is likelier.
TEST(Judge, AnEndThatIsSeenLateMayHaveAnotherPadding) {
  std::mt19937_64 random(15);
  const auto stream = auth::bytes_to_key("md5", auth::SecretBytes(std::span(kPassphrase)), kFileSalt, 64, 1);
  const Bytes prose = prose_of(random, 100'000);
  for (const auto& [mode, key_bytes] : {std::pair{Mode::pcbc, 56u}, {Mode::cbc, 16u}}) {
    const Bytes key = slice(stream.span(), 0, key_bytes);
    const mode::Iv iv = iv_of(stream.span().subspan(key.size(), 8));
    const std::string name_of_mode = mode == Mode::cbc ? "cbc" : "pcbc";
    for (const auto& [padding, name] : {std::pair{TailPadding::always_space, "space"},
                                        {TailPadding::always_zero, "null"},
                                        {TailPadding::one_and_zeros, "oneandzeroes"}}) {
      const Bytes content = slice(prose, 0, prose.size() - 3);
      const Bytes file = joined({bytes_of("Salted__"), kFileSalt,
                                 encrypted(key, {.mode = mode, .padding = padding, .iv = iv}, content)});
      const auto error = failure(file, {.seekable = mode == Mode::cbc ? Seekable::no : Seekable::yes});
      ASSERT_TRUE(error) << name;
      EXPECT_EQ(error->code(), Errc::unknown_format) << error->text();
      EXPECT_TRUE(error->text().ends_with("⟦mode " + name_of_mode + "⟧ ⟦pad " + name + "⟧")) << error->text();
      const std::string bytes = std::to_string(key_bytes);
      EXPECT_EQ(open_with("cryptcbc", file, kPassphrase,
                          {.options = {{"key-bytes", bytes}, {"mode", name_of_mode}, {"pad", name}}})
                    .plaintext,
                content);
    }
  }
}

// Of two or three blocks in cfb nothing need show.
TEST(Judge, AShortFileIsNotCalledWrong) {
  std::mt19937_64 random(13);
  for (const std::size_t bytes : {8u, 16u, 24u})
    EXPECT_NE(failure(encrypt(test::random_bytes(random, bytes), parameters("bf-cfb", "md5"))).value().code(),
              Errc::wrong_key)
        << bytes;
}

// Crypt::CBC's cfb fills the last block, so that zeros at the end may be either.
TEST(Judge, TheInputStaysWhereItsEndMayBeFilled) {
  const Verdict filled = judged(Mode::cfb64, joined({text(803), Bytes(5)}));
  EXPECT_FALSE(keeps_all(filled.found, false));
  EXPECT_TRUE(keeps_all(judged(Mode::cfb64, text(808)).found, false));
}

// Compressed data, say: whether the passphrase is right cannot be told.
TEST(Judge, NoiseInAStreamModeIsNotAWrongPassphrase) {
  std::mt19937_64 random(3);
  for (const char* const cipher : {"bf-cfb", "bf-ofb"})
    EXPECT_EQ(failure(encrypt(test::random_bytes(random, 1001), parameters(cipher, "md5"))).value().code(),
              Errc::undecided);
}

TEST(Judge, AVimFileUnderAWrongPassphraseIsNotWritten) {
  const Bytes file = seal_with("vim", text(500), kPassphrase);
  EXPECT_EQ(open_with("vim", file, kPassphrase).plaintext, text(500));
  EXPECT_EQ(error_of([&] { open_with("vim", file, bytes_of("wrong")); }).value().code(), Errc::wrong_key);
}

// A sure story's bits are bounded by its prior: those of all that are tried together sum to 1 at most.
TEST(Judge, PriorsSumToOneInEachSet) {
  const auto sum_of = [](const std::vector<Recipe>& all) {
    double sum = 0;
    for (const Recipe& one : all) sum += one.prior;
    return sum;
  };
  for (const auto& digest : {std::optional<std::string>(), std::optional<std::string>("md5")}) {
    for (const std::optional<std::uint32_t> iterations : {std::optional<std::uint32_t>(), {0}, {5000}}) {
      for (const bool has_header : {false, true}) {
        for (const bool of_any_program : {false, true}) {
          const double sum = sum_of(openssl_recipes({.digest = digest,
                                                     .pbkdf2_iterations = iterations,
                                                     .has_header = has_header,
                                                     .of_any_program = of_any_program}));
          EXPECT_LE(sum, 1 + 1e-9);
          EXPECT_GT(sum, 0.9);
        }
      }
    }
  }
  for (const auto share : {&DerivationRow::openssl, &DerivationRow::crypt_cbc, &DerivationRow::random_iv,
                           &DerivationRow::others}) {
    EXPECT_NEAR(sum_of(derivations_of(share)), 1, 1e-9);
    std::vector<Recipe> all;
    for (const Recipe& one : derivations_of(share)) add_crypt_cbc_recipes(one, {.all_key_sizes = true}, all);
    EXPECT_LE(sum_of(all), 1 + 1e-9);
  }
  const auto is_dear = [](const DerivationRow& row) { return row.iterations > kDearIterations; };
  EXPECT_TRUE(std::ranges::is_partitioned(kDerivations, std::not_fn(is_dear))) << "they end the trials";
  double of_raw = 0;
  for (const GuessedIv& iv : ivs("")) {
    for (const core::ByteOrder words : {core::ByteOrder::big, core::ByteOrder::little})
      of_raw = std::max(of_raw, sum_of(raw_recipes(iv, words, 801, 1)));
  }
  EXPECT_LE(of_raw, 1 + 1e-9);
}

}  // namespace
}  // namespace fugu::format
