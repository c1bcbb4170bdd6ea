// Damaged files: what is said of them, and what comes of them where the caller salvages. The expected bytes
// are those of the original, which the damage left.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "foreign_samples.hpp"
#include "fugu/fugu.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/memory.hpp"
#include "support/many_cases.hpp"

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
      : secret_(find_codec(codec)->takes(SecretKind::passphrase) ? Secret::passphrase(text_of(secret))
                                                                 : Secret::key(secret)) {
    with_.format = find_codec(codec)->name;
    with_.options.assign(options.begin(), options.end());
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

bool begins(Span whole, Span part) {
  return part.size() <= whole.size() && std::ranges::equal(whole.first(part.size()), part);
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
    const Bytes expected(all.plain.begin(),
                         all.plain.begin() + static_cast<std::ptrdiff_t>((size - 16) / 8 * 8));
    EXPECT_EQ(saved.plaintext, expected) << size;
    EXPECT_FALSE(saved.opened.salvage.whole());
    EXPECT_FALSE(saved.opened.authenticated || saved.opened.all_content);
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

TEST(Salvage, AWrongPassphraseSavesNothing) {
  const Written all;
  const Opener wrong("openssl", kOpenssl, bytes_of("another"));
  for (const std::size_t size : {all.file.size(), all.file.size() - 3, all.file.size() - 8})
    EXPECT_TRUE(wrong.open(Span(all.file).first(size), true).error) << size;
}

struct Way {
  const char* said;
  std::function<Bytes(Span)> goes;
};

Bytes followed(Span file, std::size_t bytes, char by) {
  Bytes longer(file.begin(), file.end());
  longer.insert(longer.end(), bytes, static_cast<std::byte>(by));
  return longer;
}

TEST(Salvage, WhatHappenedOnTheWayIsToldAndUndone) {
  const Written all;
  const Way ways[] = {{"every line feed became CR LF", with_returns},
                      {"1 byte follows", [](Span file) { return followed(file, 1, '\n'); }},
                      {"488 bytes follow", [](Span file) { return followed(file, 488, 0); }}};
  for (const Way& way : ways) {
    const Bytes file = way.goes(all.file);
    const Saved strict = all.opener.open(file, false);
    ASSERT_TRUE(strict.error) << way.said;
    EXPECT_EQ(strict.error->code(), Errc::damaged) << way.said;
    EXPECT_NE(strict.error->text().find(way.said), std::string::npos) << strict.error->text();
    const Saved saved = all.opener.open(file, true);
    EXPECT_EQ(saved.plaintext, all.plain) << way.said;
    EXPECT_FALSE(saved.opened.salvage.whole() || saved.opened.all_content) << way.said;
    const Opener wrong("openssl", kOpenssl, bytes_of("another"));
    EXPECT_TRUE(wrong.open(file, true).error) << way.said;
  }
}

Bytes base64_of(Span file) {
  stream::MemorySink text;
  const auto encoder = stream::base64_encoder(text, stream::TextLines::wrapped);
  encoder->write(file);
  encoder->finish();
  return text.take();
}

TEST(Salvage, DamagedBase64GivesWhatDecodes) {
  const Written all;
  const Bytes text = base64_of(all.file);
  for (const std::size_t size : {text.size() - 1, text.size() - 3, text.size() / 2, text.size() / 2 + 1}) {
    const Saved saved = all.opener.open(Span(text).first(size), true, TextEncoding::base64);
    ASSERT_FALSE(saved.error) << size << saved.error->text();
    EXPECT_TRUE(begins(all.plain, saved.plaintext)) << size;
    EXPECT_GE(saved.plaintext.size() + 64, size / 65 * 48) << size;
  }
  Bytes changed = text;
  for (const char stranger : {'*', '='}) {
    changed[700] = static_cast<std::byte>(stranger);
    EXPECT_EQ(all.opener.open(changed, false, TextEncoding::base64).error->code(), Errc::damaged);
    const Saved saved = all.opener.open(changed, true, TextEncoding::base64);
    ASSERT_FALSE(saved.error);
    EXPECT_GE(equal_bytes(saved.plaintext, all.plain), all.plain.size() - 24);
  }
}

TEST(Salvage, BlanksInBase64WerePluses) {
  const Written all;
  Bytes text = base64_of(all.file);
  std::ranges::replace(text, std::byte{'+'}, std::byte{' '});
  const Saved strict =
      all.opener.open(text, false, TextEncoding::base64);  // read as it is where whole blocks tell
  if (strict.error) {
    EXPECT_NE(strict.error->text().find("a blank stands for every '+'"), std::string::npos);
  } else {
    EXPECT_EQ(strict.plaintext, all.plain);
  }
  EXPECT_EQ(all.opener.open(text, true, TextEncoding::base64).plaintext, all.plain);
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
      EXPECT_TRUE(begins(plain, saved.plaintext)) << sample.file << size;
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

// Derivations are slow on purpose in these.
std::size_t places_of(std::string_view codec) {
  constexpr std::string_view kDear[] = {"cryptcbc", "kwallet",   "luks1", "mcrypt", "nppcrypt",
                                        "openpgp",  "truecrypt", "vnd",   "vim"};
  const bool is_dear = std::ranges::find(kDear, codec) != std::end(kDear);
  return is_dear ? 1 : test::kSanitized ? 3 : 10;
}

class EveryCodec : public ::testing::TestWithParam<std::string_view> {
 protected:
  void compare(const Sample& sample, Span file, const std::string& what) const {
    const Opener opener(sample);
    const Saved strict = opener.open(file, false);
    const Saved saved = opener.open(file, true);
    for (const auto& error : {strict.error, saved.error}) {
      const bool is_of_a_file = !error || error->doubts_secret() || error->code() == Errc::damaged ||
                                error->code() == Errc::unknown_format || error->code() == Errc::usage;
      EXPECT_TRUE(is_of_a_file) << sample.file << ", " << what << ": " << error->text();
    }
    if (!strict.error) {
      EXPECT_FALSE(saved.error) << sample.file << ", " << what;
      EXPECT_EQ(saved.plaintext, strict.plaintext) << sample.file << ", " << what;
      EXPECT_TRUE(saved.opened.salvage.whole()) << sample.file << ", " << what;
    } else if (!saved.error) {
      EXPECT_FALSE(saved.opened.salvage.whole()) << sample.file << ", " << what;
      EXPECT_FALSE(saved.opened.all_content) << sample.file << ", " << what;
    }
  }
};

// What opens, salvage opens alike; what does not, it never calls whole.
TEST_P(EveryCodec, SalvageAgreesWithOpening) {
  for (const Sample& sample : samples()) {
    if (sample.codec() != GetParam() || !find_codec(sample.codec())->can(Ability::salvage) ||
        is_refused(sample))
      continue;
    const std::size_t size = std::min<std::size_t>(sample.bytes.size(), std::size_t{64} << 10);
    for (std::size_t at = size * 2 / 3; at < size; at += size / (3 * places_of(GetParam())) + 1) {
      compare(sample, Span(sample.bytes).first(at), "cut at " + std::to_string(at));
      Bytes changed = sample.bytes;
      changed[at] ^= std::byte{0x10};
      compare(sample, changed, "changed at " + std::to_string(at));
    }
    compare(sample, sample.bytes, "whole");
  }
}

INSTANTIATE_TEST_SUITE_P(Salvage, EveryCodec, ::testing::ValuesIn(codecs_of(samples())),
                         [](const auto& codec) { return std::string(codec.param); });

}  // namespace
}  // namespace fugu::format
