// Damaged files: what is said of them, and what comes of them where the caller salvages. The expected bytes
// are those of the original, which the damage left.
#include "foreign_samples.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/guess/guess.hpp"
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"
#include "fugu/stream/memory.hpp"
#include "openssl_files.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

using Span = std::span<const std::byte>;

constexpr std::size_t kPlaces = test::kSanitized ? 20 : 200;

struct Saved {
  std::optional<Error> error;
  Opened opened;
  Bytes plaintext;
};

class Opener {
 public:
  Opener(std::string_view codec, GivenOptions options, Bytes secret)
      : secret_(secret_kind_of(codec, options) == SecretKind::key ? Secret::key(secret)
                                                                  : Secret::passphrase(text_of(secret))) {
    with_.format = find_codec(codec)->name;
    with_.options.assign(options.begin(), options.end());
    static const std::unique_ptr<engine::Engine> engine = engine::make("auto");
    with_.engine = engine.get();  // its threads are started once
  }
  explicit Opener(const Sample& sample) : Opener(sample.codec(), options_for(sample), sample.passphrase) {}

  Saved open(Span file, bool salvages, std::optional<TextEncoding> encoding = {}) const {
    OpenOptions with = with_;
    with.salvage = salvages;
    with.encoding = encoding;
    Saved saved;
    stream::MemorySink sink;
    try {
      saved.opened = fugu::open(std::make_unique<stream::MemorySource>(file), sink, secret_, with);
      saved.plaintext = sink.take();
    } catch (const Error& error) {
      saved.error = error;
    }
    return saved;
  }

 private:
  Secret secret_;
  OpenOptions with_;
};

// Lines of English, which tell a right passphrase.
Bytes text_of_lines(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i)
    text += "line " + std::to_string(i) + " of a letter that somebody wrote long ago\n";
  return bytes_of(text);
}

const GivenOptions kOpenssl{{"cipher", "bf-cbc"}, {"md", "sha256"}, {"no-pbkdf2", ""}, {"key-bytes", "16"}};

struct Written {
  Bytes plain = text_of_lines(90);
  Bytes file = seal_with("openssl", plain, bytes_of("secret"), kOpenssl);
  Opener opener{"openssl", kOpenssl, bytes_of("secret")};
};

std::size_t equal_bytes(Span a, Span b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) equal += a[i] == b[i] ? 1U : 0U;
  return equal;
}

Bytes with_returns(Span file) {
  Bytes converted;
  for (const std::byte byte : file) {
    if (byte == std::byte{'\n'}) converted.push_back(std::byte{'\r'});
    converted.push_back(byte);
  }
  return converted;
}

TEST(Salvage, ACutOpensslFileGivesItsWholeBlocks) {
  const Written all;
  for (std::size_t size = 100; size < all.file.size(); size += all.file.size() / kPlaces + 1) {
    const Span cut = Span(all.file).first(size);
    const Saved strict = all.opener.open(cut, false);
    ASSERT_TRUE(strict.error) << size;
    EXPECT_NE(strict.error->code(), Errc::wrong_key) << size << strict.error->text();
    EXPECT_TRUE(strict.error->text().find("the passphrase fits") != std::string::npos)
        << strict.error->text();
    const Saved saved = all.opener.open(cut, true);
    ASSERT_FALSE(saved.error) << size << saved.error->text();
    EXPECT_EQ(saved.plaintext, slice(all.plain, 0, (size - 16) / 8 * 8)) << size;
    EXPECT_FALSE(saved.opened.salvage.whole());
    EXPECT_FALSE(saved.opened.authenticated || saved.opened.all_content);
  }
}

// Behind zeros cfb goes on with zeros as cbc does. The name before them, as of a tar file, tells.
TEST(Salvage, ZerosThatWereCutAreSavedAsCbc) {
  const Opener opener("openssl", {}, bytes_of("secret"));
  for (const std::string name : {"no0.txt", "licence"}) {
    Bytes plain = bytes_of(name);
    plain.resize(200);
    const Bytes file = seal_with("openssl", plain, bytes_of("secret"), kOpenssl);
    for (const std::size_t size : {43U, 50U, 55U, 79U, 102U, 111U}) {
      const Span cut = Span(file).first(size);
      EXPECT_TRUE(opener.open(cut, false).error) << name << size;
      const Saved saved = opener.open(cut, true);
      ASSERT_FALSE(saved.error) << name << size << saved.error->text();
      EXPECT_EQ(saved.plaintext, slice(plain, 0, (size - 16) / 8 * 8)) << name << size;
    }
  }
}

TEST(Salvage, AnOpensslFileWhoseLastBlockChangedKeepsTheOthersAndLosesNoBytes) {
  Written all;
  all.file.back() ^= std::byte{0x40};
  EXPECT_NE(all.opener.open(all.file, false).error->code(), Errc::wrong_key);
  const Saved saved = all.opener.open(all.file, true);
  EXPECT_EQ(saved.plaintext.size(), all.file.size() - 16);
  EXPECT_GE(equal_bytes(saved.plaintext, all.plain), all.plain.size() / 8 * 8);
}

TEST(Salvage, AnOpensslFileWhoseMagicIsDamagedComesWhole) {
  Written all;
  for (const std::size_t changed : {1U, 2U, 3U}) {
    all.file[2 * changed - 1] ^= std::byte{0x20};
    EXPECT_EQ(all.opener.open(all.file, false).error->code(), Errc::damaged) << changed;
    const Saved saved = all.opener.open(all.file, true);
    EXPECT_EQ(saved.plaintext, all.plain) << changed;
    EXPECT_FALSE(saved.opened.salvage.whole() || saved.opened.all_content) << changed;
  }
  all.file[0] ^= std::byte{0x20};  // too little is left to call it damaged
  EXPECT_EQ(all.opener.open(all.file, false).error->code(), Errc::unknown_format);
  EXPECT_EQ(all.opener.open(all.file, true).plaintext, all.plain);
}

const Opener kWrong("openssl", {}, bytes_of("another"));

TEST(Salvage, AWrongPassphraseSavesNothing) {
  const Written all;
  for (const std::size_t size : {all.file.size(), all.file.size() - 3, all.file.size() - 8})
    EXPECT_TRUE(kWrong.open(Span(all.file).first(size), true).error) << size;
}

// As openssl enc -d -nopad does, whatever comes out.
TEST(Salvage, WithAllParametersGivenNoiseComesToo) {
  Written all;
  test::Random random(1);
  all.plain = test::random_bytes(random, 800);
  all.file = seal_with("openssl", all.plain, bytes_of("secret"), kOpenssl);
  for (const std::size_t size : {16U + 400U, 16U + 405U}) {
    const Span cut = Span(all.file).first(size);
    const Saved strict = all.opener.open(cut, false);
    EXPECT_EQ(strict.error->code(), size % 8 == 0 ? Errc::wrong_key : Errc::damaged) << size;
    EXPECT_TRUE(Opener("openssl", {}, bytes_of("secret")).open(cut, true).error) << size;
    const Saved saved = all.opener.open(cut, true);
    EXPECT_EQ(saved.plaintext, slice(all.plain, 0, 400)) << size;
    EXPECT_EQ(saved.opened.salvage.damage.empty(), false) << size;
    EXPECT_FALSE(is_sufficient(saved.opened.evidence)) << size;
  }
}

// Only what such files begin with tells the right passphrase.
TEST(Salvage, CompressedDataThatWasCutIsNotAWrongPassphrase) {
  test::Random random(2);
  for (const Bytes& magic :
       {bytes_of({"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10}), bytes_of({"PK\x03\x04\x14\0", 6}),
        bytes_of("\x28\xb5\x2f\xfd"), bytes_of({"\xff\xd8\xff\xe0\0\x10JFIF", 10}),
        bytes_of({"\3757zXZ\0", 6}), bytes_of("BZh91AY&SY"), bytes_of("%PDF-")}) {
    Bytes plain = test::random_bytes(random, 800);
    std::ranges::copy(magic, plain.begin());
    for (const char* const cipher : {"bf-cbc", "bf-ecb"}) {
      const bool is_ecb = cipher == std::string_view("bf-ecb");
      if (test::kSanitized && is_ecb != (magic.size() == 10)) continue;  // each magic in one mode
      const GivenOptions open_ones{{"no-pbkdf2", ""}}, all_given = testing::parameters(cipher, "sha256");
      const Bytes file = testing::encrypt(plain, all_given);
      for (const std::size_t size : {416U, 421U, 816U}) {
        const Span cut = Span(file).first(size);
        for (const GivenOptions& given : {open_ones, all_given}) {
          const Opener opener("openssl", given, testing::kPassphrase);
          const Saved strict = opener.open(cut, false);
          EXPECT_EQ(strict.error.value().code(), Errc::damaged) << strict.error->text();
          EXPECT_TRUE(strict.error->text().starts_with("the passphrase fits")) << strict.error->text();
          EXPECT_EQ(opener.open(cut, true).plaintext, slice(plain, 0, size / 8 * 8 - 16));
        }
        const Opener wrong("openssl", open_ones, bytes_of("another"));
        EXPECT_TRUE(wrong.open(cut, false).error.value().doubts_secret());
      }
      EXPECT_NE(Opener("openssl", open_ones, bytes_of("another")).open(file, false).error.value().code(),
                Errc::damaged);
    }
  }
}

TEST(Salvage, GuessOffersDataWithoutPaddingBeforeCutData) {
  test::Random random(2);
  Bytes plain = test::random_bytes(random, 800);
  std::ranges::copy(bytes_of({"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10}), plain.begin());
  for (const char* const cipher : {"bf-cbc", "bf-ecb"}) {
    const Bytes file = testing::encrypt(plain, testing::parameters(cipher, "sha256"));
    stream::MemorySource blocks(Span(file).first(416));
    const auth::SecretBytes secret{Span(testing::kPassphrase)};
    const Fit best = guess(blocks, SecretKind::passphrase, secret, {}).best.at(0);
    EXPECT_TRUE(best.options.ends_with(" ⟦nopad⟧")) << best.options;
    EXPECT_TRUE(best.remark.starts_with("or the file was cut")) << best.remark;
  }
}

// As in tar, which in pcbc looks nearly as regular, and whose zeros may be padding where it is cut.
TEST(Salvage, ADamagedFileOfCryptCbcComesInItsOwnModeToItsEnd) {
  Bytes plain;
  for (const std::size_t lines : {3U, 20U, 5U, 30U}) {
    plain.resize((plain.size() + 511) / 512 * 512);
    plain = plain + text_of_lines(lines);
  }
  plain.resize(10'240);
  const Bytes file = seal_with("cryptcbc", plain, bytes_of("secret"), {{"pbkdf", "opensslv2"}});
  const Opener opener("cryptcbc", {{"pbkdf", "opensslv2"}}, bytes_of("secret"));
  for (const std::size_t bytes : {504U, 800U, 6000U, 8208U})
    EXPECT_EQ(opener.open(Span(file).first(16 + bytes), true).plaintext, slice(plain, 0, bytes)) << bytes;
  for (const std::size_t at : {200U, 1000U, 3000U, 8000U}) {
    Bytes changed = file;
    changed[at] ^= std::byte{1};
    EXPECT_GE(equal_bytes(opener.open(changed, true).plaintext, plain), plain.size() - 9) << at;
  }
}

TEST(Salvage, AChangedMessageOfFishIsNotAWrongPassphrase) {
  const Sample& sample = sample_named("fish/eggdrop_cbc_23.txt");
  EXPECT_EQ(Opener("fish", {}, bytes_of("another")).open(sample.bytes, false).error.value().code(),
            Errc::wrong_key);
  Bytes changed = sample.bytes;
  changed[changed.size() / 2] ^= std::byte{16};
  const auto error = Opener(sample).open(changed, false).error;
  EXPECT_EQ(error.value().code(), Errc::damaged) << error->text();
}

// Under a wrong key equal blocks give equal blocks, which look more regular than text.
TEST(Salvage, EqualBlocksAreNotReadUnderAnotherKey) {
  GivenOptions ecb = kOpenssl;
  ecb["cipher"] = "bf-ecb";
  std::string plain;
  for (int i = 0; i < 100; ++i) plain += "AAAAAAA\n";
  const Bytes file = seal_with("openssl", bytes_of(plain), bytes_of("secret"), ecb);
  for (const std::size_t size : {800U, 803U}) {
    const Saved saved = Opener("openssl", {}, bytes_of("secret")).open(Span(file).first(size), true);
    EXPECT_EQ(text_of(saved.plaintext), plain.substr(0, 784)) << size;
  }
}

struct Way {
  const char* said;
  std::function<Bytes(Span)> goes;
};

// Of a file that grows by a multiple of 8 bytes the end still fits, and its middle is noise. One byte of
// padding may be data where the padding is not given.
Written written_for(std::string_view codec, const GivenOptions& options, bool grows_by_blocks) {
  Written all;
  all.opener = Opener(codec, options, bytes_of("secret"));
  do {
    all.plain.insert(all.plain.begin(), std::byte{'>'});
    all.file = seal_with(codec, all.plain, bytes_of("secret"), options);
  } while (all.plain.size() % 8 == 7 ||
           (std::ranges::count(all.file, std::byte{'\n'}) % 8 == 0) != grows_by_blocks);
  return all;
}

void expect_mended(const Written& all, const Way& way) {
  const Bytes file = way.goes(all.file);
  const Saved strict = all.opener.open(file, false);
  ASSERT_TRUE(strict.error) << way.said;
  EXPECT_EQ(strict.error->code(), Errc::damaged) << way.said;
  EXPECT_NE(strict.error->text().find(way.said), std::string::npos) << strict.error->text();
  const Saved saved = all.opener.open(file, true);
  EXPECT_EQ(saved.plaintext, all.plain) << way.said;
  EXPECT_FALSE(saved.opened.salvage.whole() || saved.opened.all_content) << way.said;
}

TEST(Salvage, WhatHappenedOnTheWayIsToldAndUndone) {
  const struct {
    std::string_view codec;
    GivenOptions options;
  } rows[] = {{"openssl", kOpenssl},
              {"openssl", {{"cipher", "bf-cfb"}, {"md", "sha256"}, {"no-pbkdf2", ""}}},
              {"cryptcbc", {{"pbkdf", "opensslv2"}}},
              {"raw", {{"mode", "cbc"}, {"iv", "zero"}}},
              {"raw", {{"mode", "ctr"}, {"iv", "zero"}}},
              {"vim", {}}};
  const Way returns{"every line feed became CR LF", with_returns};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto& row = rows[i];
    for (const bool grows_by_blocks : {false, true}) {
      if (test::kSanitized && grows_by_blocks != (i % 2 == 0)) continue;
      SCOPED_TRACE(std::string(row.codec) + (grows_by_blocks ? ", by blocks" : ""));
      const Written all = written_for(row.codec, row.options, grows_by_blocks);
      expect_mended(all, returns);
    }
  }
  for (const Way& way : {Way{"1 byte follows",
                             [](Span file) {
                               return joined({file, bytes_of("\n")});
                             }},
                         Way{"488 bytes follow",
                             [](Span file) {
                               return joined({file, Bytes(488)});
                             }},
                         returns}) {
    const Written all = written_for("openssl", kOpenssl, true);
    expect_mended(all, way);
    EXPECT_TRUE(kWrong.open(way.goes(all.file), true).error) << way.said;
  }
}

// Few line feeds are no sign by themselves, but noise follows the first of them.
TEST(Salvage, AFewLineFeedsAreToldByWhatComes) {
  for (const char* const cipher : {"bf-cfb", "bf-ofb"}) {
    const GivenOptions options{{"cipher", cipher}, {"md", "sha256"}, {"no-pbkdf2", ""}};
    Written all;
    std::ptrdiff_t feeds = 0;
    std::ptrdiff_t returns = 0;
    while (feeds < 2 || feeds > 4 || returns != 0) {
      all.plain = text_of_lines(12);
      all.file = seal_with("openssl", all.plain, bytes_of("secret"), options);
      const auto middle = Span(all.file).first(all.file.size() / 2);
      feeds = std::ranges::count(all.file, std::byte{'\n'});
      returns = feeds - std::ranges::count(middle, std::byte{'\n'});
    }
    all.opener = Opener("openssl", options, bytes_of("secret"));
    expect_mended(all, {"every line feed became CR LF", with_returns});
  }
}

TEST(Salvage, DamagedBase64GivesWhatDecodes) {
  const Written all;
  const Bytes text = base64_of(all.file);
  for (const std::size_t size : {text.size() - 1, text.size() - 3, text.size() / 2, text.size() / 2 + 1}) {
    const Saved saved = all.opener.open(Span(text).first(size), true, TextEncoding::base64);
    ASSERT_FALSE(saved.error) << size << saved.error->text();
    EXPECT_EQ(saved.plaintext, slice(all.plain, 0, saved.plaintext.size())) << size;
    EXPECT_GE(saved.plaintext.size() + 64, size / 65 * 48) << size;
  }
  constexpr std::pair<std::size_t, char> kStrangers[] = {{700, '*'}, {700, '='}, {129, 'x'}};  // a line's end
  for (const auto& [at, stranger] : kStrangers) {
    Bytes changed = text;
    changed[at] = static_cast<std::byte>(stranger);
    EXPECT_EQ(all.opener.open(changed, false, TextEncoding::base64).error->code(), Errc::damaged);
    const Saved saved = all.opener.open(changed, true, TextEncoding::base64);
    ASSERT_FALSE(saved.error);
    EXPECT_GE(equal_bytes(saved.plaintext, all.plain), all.plain.size() - 24) << stranger;
    EXPECT_FALSE(saved.opened.salvage.whole() || saved.opened.all_content) << stranger;
  }
}

// Where 32 of them are missing, what is left are whole blocks, and the padding fits.
TEST(Salvage, BlanksInBase64WerePluses) {
  for (const std::ptrdiff_t rest : {0, 1}) {
    Written all;
    Bytes text;
    do {
      all.file = seal_with("openssl", all.plain, bytes_of("secret"), kOpenssl);
      text = base64_of(all.file);
    } while (std::ranges::count(text, std::byte{'+'}) % 32 != rest);
    std::ranges::replace(text, std::byte{'+'}, std::byte{' '});
    const Saved strict =
        all.opener.open(text, false, TextEncoding::base64);  // read as it is where whole blocks tell
    if (strict.error) {
      EXPECT_NE(strict.error->text().find("every '+' became a blank"), std::string::npos);
    } else {
      EXPECT_EQ(strict.plaintext, all.plain);
    }
    EXPECT_EQ(all.opener.open(text, true, TextEncoding::base64).plaintext, all.plain);
  }
}

// Under one random iv of fifty the rest of a block that was cut looks like text, and is taken for one.
TEST(Salvage, GuessSaysCutOrChanged) {
  const Bytes plain = text_of_lines(42);
  const Bytes key = bytes_of("0123456789abcdef");
  const GivenOptions how{{"mode", "cbc"}, {"iv", "zero"}};
  Bytes file = seal_with("raw", plain, key, how);
  const auth::SecretBytes secret{Span(key)};
  for (const std::size_t missing : {0U, 3U, 16U}) {
    stream::MemorySource cut(Span(file).first(file.size() - missing));
    const Fits fits = guess(cut, SecretKind::key, secret, {});
    ASSERT_FALSE(fits.best.empty()) << missing;
    const Fit& best = fits.best.front();
    EXPECT_NE(best.options.find("⟦mode cbc⟧"), std::string::npos) << best.options;
    EXPECT_EQ(best.remark.find("the file was cut") == std::string::npos, missing == 0) << best.remark;
    EXPECT_EQ((best.options + best.remark).ends_with(" ⟦salvage⟧"), missing != 0) << best.options;
    EXPECT_EQ(*best.plaintext_bytes, missing == 0 ? plain.size() : (file.size() - missing) / 8 * 8);
  }
  for (const std::size_t at : {600U, 608U, 616U}) file[at] ^= std::byte{1};
  stream::MemorySource changed(file);
  const Fit best = guess(changed, SecretKind::key, secret, {}).best.at(0);
  EXPECT_TRUE(best.remark.ends_with(": the file was changed there")) << best.remark;
  EXPECT_TRUE(best.options.ends_with(" ⟦salvage⟧")) << best.options;
}

// Long enough to tell damage from a wrong passphrase.
std::vector<Sample> messages() {
  std::vector<Sample> all;
  std::ranges::copy_if(samples(), std::back_inserter(all), [](const Sample& sample) {
    return sample.codec() == "openpgp" && sample.bytes.size() > 300;
  });
  return all;
}

TEST(Salvage, ACutOpenPgpMessageGivesABeginning) {
  std::size_t came = 0;
  for (const Sample& sample : messages()) {
    const Opener opener(sample);
    const Bytes plain = opener.open(sample.bytes, false).plaintext;
    for (const std::size_t size :
         {sample.bytes.size() / 2, sample.bytes.size() - 30, sample.bytes.size() - 5}) {
      const Span cut = Span(sample.bytes).first(size);
      const Saved strict = opener.open(cut, false);
      EXPECT_TRUE(strict.error && strict.error->code() == Errc::damaged) << sample.file << size;
      const Saved saved = opener.open(cut, true);
      if (saved.error) continue;  // nothing came
      EXPECT_EQ(saved.plaintext, slice(plain, 0, saved.plaintext.size())) << sample.file << size;
      EXPECT_FALSE(saved.opened.authenticated) << sample.file;
      came += saved.plaintext.size();
    }
  }
  EXPECT_GT(came, 0U);
}

// What has been changed neither opens as whole nor is it thrown away.
TEST(Salvage, AnOpenPgpMessageWithAChangedByteIsKept) {
  for (const Sample& sample : messages()) {
    const Opener opener(sample);
    const Saved whole = opener.open(sample.bytes, false);
    Bytes file = sample.bytes;
    file[file.size() - 60] ^= std::byte{1};
    const Saved saved = opener.open(file, true);
    if (saved.error) continue;
    EXPECT_FALSE(saved.opened.authenticated) << sample.file;
    if (whole.opened.authenticated) {
      EXPECT_FALSE(saved.opened.salvage.whole()) << sample.file;
    }
  }
}

// A check of the secret that is damaged is not a wrong secret where another, or the content, proves it.
TEST(Salvage, ADamagedCheckOfTheSecretIsDamage) {
  struct Check {
    const char* codec;
    std::size_t begin;
    std::size_t end;
  };
  constexpr Check kChecks[] = {
      {"bfa", 31, 35}, {"luks1", 112, 164}, {"oubliette", 12, 44}, {"pwsafe", 0, 28}, {"truecrypt", 64, 76}};
  constexpr std::string_view kWithoutContent[] = {"luks1/short_key.luks", "luks1/tiny.luks",
                                                  "pwsafe/v1_empty.dat"};  // no disk, no entry
  for (const Check& check : kChecks) {
    std::size_t seen = 0;
    for (const Sample& sample : samples()) {
      const bool has_proof = std::ranges::find(kWithoutContent, sample.file) == std::end(kWithoutContent);
      if (sample.codec() != check.codec || !has_proof) continue;
      const Opener opener(sample);
      const Bytes whole = opener.open(sample.bytes, false).plaintext;
      for (std::size_t at = check.begin; at < check.end; at += test::step(3)) {
        SCOPED_TRACE(sample.file + " at " + std::to_string(at));
        Bytes file = sample.bytes;
        file[at] ^= std::byte{4};
        const Saved strict = opener.open(file, false);
        ASSERT_TRUE(strict.error);
        EXPECT_EQ(strict.error->code(), Errc::damaged) << strict.error->text();
        const Saved saved = opener.open(file, true);
        EXPECT_EQ(saved.plaintext, whole);
        EXPECT_FALSE(saved.opened.salvage.whole() || saved.opened.authenticated);
        ++seen;
      }
    }
    EXPECT_GT(seen, 0U) << check.codec;
  }
}

// What is left of the content proves the passphrase.
TEST(Salvage, AStoreWhoseBeginningChangedIsNotAWrongPassphrase) {
  struct Beginning {
    const char* file;
    std::size_t begin;
    std::size_t end;
  };
  for (const Beginning& of :
       {Beginning{"gpass/own_04.gps", 0, 24}, Beginning{"kwallet/kde4_16.kwl", 288, 320}}) {
    const Sample& sample = sample_named(of.file);
    const Opener opener(sample);
    const Bytes whole = opener.open(sample.bytes, false).plaintext;
    for (std::size_t at = of.begin; at < of.end; ++at) {
      Bytes file = sample.bytes;
      file[at] ^= std::byte{4};
      EXPECT_EQ(opener.open(file, false).error->code(), Errc::damaged) << of.file << at;
      EXPECT_GE(equal_bytes(opener.open(file, true).plaintext, whole), whole.size() - 17) << of.file << at;
    }
  }
}

TEST(Salvage, AGPassStoreThatEndsInsideItsNameHoldsNoEntry) {
  const auth::SecretBytes key = auth::digest("sha1", {bytes_of("secret")});
  const Bytes content = joined({bytes_of("GPassFile versio"), Bytes(8, std::byte{8})});
  const Bytes file = openssl_cbc(key.span(), test::bytes_of_hex("0517017b0c03365e"), content);
  const Saved saved = Opener("gpass", {}, bytes_of("secret")).open(file, true);
  ASSERT_FALSE(saved.error) << saved.error->text();
  EXPECT_EQ(text_of(saved.plaintext), "[]\n");
}

// What is looked at of a codec's samples. Where a derivation is slow on purpose, few files are opened; with
// FUGU_EVERY_DAMAGE in the environment, every length and 200 places of every sample.
struct Row {
  std::string_view codec;
  std::size_t step = 1;        // of so many files one is opened
  std::size_t early = 64;      // bytes of the file that show whether the secret is right
  std::size_t header = early;  // of these, what is changed in every byte
};
constexpr Row kRows[] = {{"cryptcbc", 40},   {"kwallet", 40, 320}, {"luks1", 40, 1 << 16, 592},
                         {"mcrypt", 4, 100}, {"nppcrypt", 40},     {"openpgp", 40, 190},
                         {"truecrypt", 40},  {"vnd", 40},          {"vim", 40},
                         {"bfe", 1, 100},    {"odf", 100}};

Row row_of(std::string_view codec) {
  const Row* row = std::ranges::find(kRows, codec, &Row::codec);
  return row == std::end(kRows) ? Row{codec} : *row;
}

std::vector<Sample> salvageable() {
  std::vector<Sample> all = committed();
  std::erase_if(all, [&](const Sample& sample) {
    return is_refused(sample) || !find_codec(sample.codec())->can(Ability::salvage);
  });
  return all;
}

class EveryCodec : public ::testing::TestWithParam<std::string_view> {
 protected:
  // `at`: where the damage begins.
  void compare(const Sample& sample, Span file, std::size_t at, const std::string& what) {
    if (count_++ % (every_damage() != nullptr ? 1 : row_.step * test::step(3)) != 0) return;
    SCOPED_TRACE(sample.file + ", " + what);
    const Opener opener(sample);
    const Saved strict = opener.open(file, false);
    const Saved saved = opener.open(file, true);
    for (const auto& error : {strict.error, saved.error}) {
      if (error) expect_true_words(*error, sample, at);
    }
    if (!strict.error) {
      EXPECT_FALSE(saved.error);
      EXPECT_EQ(saved.plaintext, strict.plaintext);
      EXPECT_TRUE(saved.opened.salvage.whole());
      EXPECT_TRUE(strict.plaintext == whole_ || !strict.opened.authenticated);
    } else if (!saved.error) {
      EXPECT_FALSE(saved.opened.salvage.whole());
      EXPECT_FALSE(saved.opened.all_content || saved.opened.authenticated);
    }
  }

  void expect_true_words(const Error& error, const Sample& sample, std::size_t at) const {
    const std::string& text = error.text();
    const bool is_of_a_file = error.doubts_secret() || error.code() == Errc::damaged ||
                              error.code() == Errc::unknown_format || error.code() == Errc::usage;
    EXPECT_TRUE(is_of_a_file) << text;
    if (error.code() == Errc::damaged) {
      EXPECT_FALSE(text.starts_with("wrong")) << text;
    }
    const bool can_tell = at >= row_.early && whole_.size() >= row_.early && sample.codec() != "raw";
    EXPECT_FALSE(error.code() == Errc::wrong_key && can_tell) << text;
  }

  const Row row_ = row_of(GetParam());
  Bytes whole_;  // the plaintext
  std::size_t count_ = 0;
};

// What opens, salvage opens alike; what does not, it never calls whole, and nobody calls its secret wrong.
// Under sanitizers it is shown of one in three samples whose keys are dear.
TEST_P(EveryCodec, IsCutAndChangedAnywhere) {
  std::size_t seen = 0;
  for (const Sample& sample : salvageable()) {
    if (sample.codec() != GetParam()) continue;
    if (every_damage() != nullptr && sample.file.find(every_damage()) == std::string::npos) continue;
    if (row_.step > 1 && every_damage() == nullptr && seen++ % test::step(3) != 0) continue;
    const Saved whole = Opener(sample).open(sample.bytes, true);
    ASSERT_FALSE(whole.error) << sample.file << whole.error->text();
    EXPECT_TRUE(whole.opened.salvage.whole()) << sample.file;
    whole_ = whole.plaintext;
    const std::size_t size = std::min<std::size_t>(sample.bytes.size(), std::size_t{64} << 10);
    const std::size_t lengths = every_damage() != nullptr ? size : 60;
    for (std::size_t at = 0; at < size; at += std::max<std::size_t>(1, size / lengths))
      compare(sample, Span(sample.bytes).first(at), at, "cut to " + std::to_string(at));
    Bytes changed = sample.bytes;
    for (std::size_t at = 0; at < size; at += at < row_.header ? 1 : size / kPlaces + 1) {
      changed[at] ^= static_cast<std::byte>(1U << at % 8);
      compare(sample, changed, at, "changed at " + std::to_string(at));
      changed[at] = sample.bytes[at];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Salvage, EveryCodec, ::testing::ValuesIn(codecs_of(salvageable())),
                         [](const auto& codec) { return std::string(codec.param); });

}  // namespace
}  // namespace fugu::format
