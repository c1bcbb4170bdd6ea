// Tests of KWallet, Password Safe and LUKS1 in addition to those of every sample: digests, salts beside a
// wallet, ranges, damage.
#include "foreign_samples.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

Bytes message_of(std::size_t bytes) {
  Bytes message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<std::byte>(i * 7);
  return message;
}

TEST(Sha1Variants, UnalteredIsOpensslsSha1) {
  for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
    const Bytes message = message_of(bytes);
    const auth::SecretBytes expected = auth::digest("sha1", {message});
    EXPECT_TRUE(std::ranges::equal(sha1_variant(message, {}), expected.span())) << bytes;
  }
}

// The values are those of a Python program written by FIPS 180-4 (vectors/SOURCES.md, kwallet.kit), which
// agrees with Python's SHA-1 if it is not altered.
TEST(Sha1Variants, AlteredAsAnotherImplementationHasThem) {
  struct Row {
    std::size_t bytes;
    const char* little;
    const char* zero_state;
  };
  constexpr Row kRows[] = {
      {0, "1ef84498ecf608147d1332b9cfd7be33a318f5dc", "0ffd8d43b4e33c7c53461bd10f27a5461050d90d"},
      {55, "e3b5cc97009e2d1ee526643cb5d894c6df8047ef", "2f3ea790ea70ea234de7c1ce69b127f5f5c67b48"},
      {56, "6f97c6465cc6b3251fe5e90a1cd4fdc51ed7730c", "28c5d64ff26547e0b50abfb152457319f8bd0ccb"},
      {64, "671c81d2ef6b2c27d156d843d50a03958d914fda", "942ac714e8567eb596c9ee809905dec346e076b6"},
      {200, "79c29e34034686e5510656f67f14790ee03a63e4", "88c82c92cabf227279f4ff18e0207d92012709b0"},
  };
  for (const Row& row : kRows) {
    const Bytes message = message_of(row.bytes);
    EXPECT_EQ(test::hex_of(sha1_variant(message, {.words = core::ByteOrder::little})), row.little);
    EXPECT_EQ(test::hex_of(sha1_variant(message, {.zero_state = true})), row.zero_state);
  }
}

TEST(KWallet, AnotherSaltIsAWrongPassphrase) {
  const Sample& sample = sample_named("kwallet/kf6.kwl");
  GivenOptions options = options_for(sample);
  options["wallet-salt"] = std::string(112, '0');
  EXPECT_EQ(code_of([&] { open_sample(sample, {.options = options}); }), Errc::wrong_key);
}

TEST(KWallet, GnupgWalletsAreNamed) {
  const Bytes file = flipped(sample_named("kwallet/kf6.kwl").bytes, 14);
  expect_error(Errc::unknown_format, "GnuPG",
               error_of([&] { open_with("kwallet", file, bytes_of("hello world")); }));
}

// A wallet of KDE Frameworks 6 made anew: its first entry has a type that KWallet does not have.
TEST(KWallet, OtherTypesAreWrittenAsTheirNumber) {
  const Sample& sample = sample_named("kwallet/kf6.kwl");
  const GivenOptions options{{"wallet-salt", options_for(sample).at("wallet-salt")}};
  const auth::SecretBytes key =
      auth::pbkdf2("sha512", auth::SecretBytes(std::span<const std::byte>(sample.passphrase)),
                   *parse_hex(options.at("wallet-salt")), 50000, 56);
  const Bytes payload = bytes_of_hex("000000020046000000010000000200650000000700000003616263");
  Bytes content(8);
  for (int shift = 24; shift >= 0; shift -= 8)
    content.push_back(static_cast<std::byte>(payload.size() >> shift));
  content = content + payload;
  content.resize((content.size() + 20 + 7) / 8 * 8 - 20);
  content = content + sha1_variant(payload, {.words = core::ByteOrder::little});
  const Bytes file =
      bytes_of_hex("4b57414c4c45540a0d000d0a0001030200000000") + openssl_cbc(key.span(), {}, content);
  EXPECT_EQ(testing::text_of(open_with("kwallet", file, sample.passphrase, {.options = options}).plaintext),
            "{\n \"F\": {\n  \"e\": {\n   \"type\": 7,\n   \"base64\": \"YWJj\"\n  }\n }\n}");
}

TEST(KWallet, EveryBitOfTheCiphertextCounts) {
  const Sample& sample = sample_named("kwallet/kde4_17.kwl");
  const How how{.options = options_for(sample)};
  const std::size_t size = sample.bytes.size();
  for (std::size_t at = size - 40; at < size; ++at) {
    const Bytes file = flipped(sample.bytes, at);
    const auto failure = error_of([&] { open_with("kwallet", file, sample.passphrase, how); });
    // The digest covers the payload. The random bytes before it may change.
    EXPECT_TRUE(failure || at < size - 24) << at;
  }
}

// --- LUKS1

const Sample& image() {
  return sample_named("luks1/essiv_sha512.luks");
}

// Applies dm-crypt's rules to OpenSSL's Blowfish, sector by sector. `plain` drops the upper half of the
// number.
TEST(Luks1, SectorIvsBeyond32Bits) {
  constexpr std::uint64_t kFirst = 0xffffffff;
  const Bytes key = message_of(20);
  const auth::SecretBytes essiv_key = auth::digest("sha256", {key});
  for (const SectorIv rule : {SectorIv::plain, SectorIv::plain64, SectorIv::essiv}) {
    const Bytes ciphertext = message_of(3 * kSectorBytes);
    Bytes expected = ciphertext;
    for (std::size_t i = 0; i < 3; ++i) {
      auto iv = iv_of(little_endian(kFirst + i, rule == SectorIv::plain ? 4 : 8) + Bytes(4));
      if (rule == SectorIv::essiv)
        auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, essiv_key.span()).update(iv, iv);
      const auto sector = std::span(expected).subspan(i * kSectorBytes, kSectorBytes);
      auth::ReferenceBlowfish(auth::ReferenceMode::cbc, false, key, iv).update(sector, sector);
    }
    Bytes sectors = ciphertext;
    SectorCipher({rule, "sha256"}, key).decrypt(scalar_engine(), sectors, kFirst);
    EXPECT_EQ(sectors, expected) << static_cast<int>(rule);
  }
}

TEST(Luks1, EverySlotOpens) {
  const Sample& sample = sample_named("luks1/last_slot.luks");
  for (int slot = 0; slot < 8; ++slot) {
    const Result result = open_with("luks1", sample.bytes, bytes_of("passphrase " + std::to_string(slot)));
    EXPECT_EQ(sha256_hex(result.plaintext), sample.plaintext_sha256) << slot;
    EXPECT_TRUE(result.opened.parameters.ends_with("slot " + std::to_string(slot)))
        << result.opened.parameters;
  }
}

TEST(Luks1, TruncationsInsideOfASectorAreDamage) {
  const Sample& sample = sample_named("luks1/tiny.luks");
  const std::size_t payload = sample.bytes.size() - 1024;
  const auto next = [&](std::size_t bytes) {
    if (bytes >= 600 && bytes <= payload - 10) return bytes + 97;
    const bool at_a_sector = bytes + 8 >= payload && (bytes + 8 - payload) % 512 < 16;
    return bytes + (at_a_sector ? 1 : test::step(7));
  };
  for (std::size_t bytes = 0; bytes < sample.bytes.size(); bytes = next(bytes)) {
    for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
      const auto cut = std::span(sample.bytes).first(bytes);
      const auto failure =
          error_of([&] { open_with("luks1", cut, sample.passphrase, {.seekable = seekable}); });
      const bool is_whole = bytes > payload && (bytes - payload) % 512 == 0;
      ASSERT_EQ(!failure, is_whole) << bytes;
      if (failure && bytes >= 72) {
        EXPECT_EQ(failure->code(), Errc::damaged) << bytes << failure->text();
      }
    }
  }
}

TEST(Luks1, LengthsOfAFileAreNotBelieved) {
  const Sample& sample = sample_named("luks1/tiny.luks");
  for (const std::size_t field : {104u, 108u, 164u, 208u + 4, 208u + 40, 208u + 44}) {
    Bytes file = sample.bytes;
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(field), 4, std::byte{0xff});
    EXPECT_EQ(code_of([&] { open_with("luks1", file, sample.passphrase); }), Errc::damaged) << field;
  }
}

TEST(Luks1, WhatOnlyCryptsetupOpensIsNamed) {
  const auto expect_named = [](std::size_t at, std::string_view text) {
    Bytes file = image().bytes;
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at), 32, std::byte{0});
    std::ranges::copy(bytes_of(text), file.begin() + static_cast<std::ptrdiff_t>(at));
    expect_error(Errc::unknown_format, "cryptsetup",
                 error_of([&] { open_with("luks1", file, image().passphrase); }));
  };
  expect_named(8, "aes");
  expect_named(40, "xts-plain64");
  expect_named(40, "cbc-essiv:tiger");
  expect_named(72, "crc32");
}

// --- Password Safe

TEST(PasswordSafe, DamageInsideOfAFieldIsTold) {
  const Sample& sample = sample_named("pwsafe/v2.dat");
  for (std::size_t bytes = 56; bytes + 8 < sample.bytes.size(); bytes += 8) {
    const auto failure =
        error_of([&] { open_with("pwsafe", std::span(sample.bytes).first(bytes), sample.passphrase); });
    if (failure) {
      EXPECT_EQ(failure->code(), Errc::damaged) << bytes << ": " << failure->text();
    }
  }
}

TEST(PasswordSafe, ATableIsNotAllContent) {
  const Sample& sample = sample_named("pwsafe/v2.dat");
  for (const char* form : {"json", "csv"}) {
    const Result result = open_sample(sample, {.options = {{"to", form}}});
    EXPECT_EQ(result.opened.all_content, form == std::string("json"));
  }
}

// Formats without samples: the tests make files with OpenSSL's Blowfish by the sources of the programs.

constexpr std::string_view kText = "A text of a few words, and of a length that needs padding.\n";

Bytes encrypted_text(std::span<const std::byte> key, std::span<const std::byte> iv) {
  const std::size_t padding = 8 - kText.size() % 8;
  return openssl_cbc(key, iv, bytes_of(kText) + Bytes(padding, static_cast<std::byte>(padding)));
}

TEST(Presets, BurpsPasswordIsTheKey) {
  const Bytes iv = bytes_of("[lkd.$G\xa3");
  for (const std::string password :
       {"p", "password", "a password of more than fifty-six bytes, which is the cipher's limit"}) {
    const Bytes file = encrypted_text(bytes_of(password), iv);
    EXPECT_EQ(open_with("burp", file, bytes_of(password)).plaintext, bytes_of(kText));
    EXPECT_EQ(code_of([&] { open_with("burp", file, bytes_of("another")); }), Errc::wrong_key);
  }
}

// Python's hashlib computed the key, `openssl enc -bf-cbc -K -iv` the file.
TEST(Presets, BurpsNewerSchemeHasASalt) {
  const Bytes file = bytes_of_hex(
      "ee2d53e7148a31fdcaf79cd2d08059d7c4a0c417f53ef2c4e75c4958e81368d5"
      "2acf74374510df04c28ad40de6b60f6f0536391259af49d759528057b42b63ea");
  const GivenOptions salt{{"salt", "00000001a2b3c4d5"}};
  const Bytes password = bytes_of("a backup password");
  EXPECT_EQ(open_with("burp", file, password, {.options = salt}).plaintext, bytes_of(kText));
  const GivenOptions wrong{{"salt", "00000001a2b3c4d6"}};
  EXPECT_EQ(code_of([&] { open_with("burp", file, password, {.options = wrong}); }), Errc::wrong_key);
}

TEST(Presets, DeadboltEditIsALineAndOpenssl) {
  const Bytes salt = bytes_of("8 octets");
  const auth::SecretBytes stream =
      auth::bytes_to_key("md5", auth::SecretBytes(std::string_view("secret")), salt, 24);
  const Bytes ciphertext = encrypted_text(stream.span().first(16), stream.span().subspan(16));
  const Bytes file =
      joined({bytes_of("DeadboltEdit Encrypted ~~ Do Not Modify :0:d41d8cd98f00b204e9800998ecf8427e:\n"),
              base64_of(joined({bytes_of("Salted__"), salt, ciphertext}))});
  EXPECT_EQ(open_with("deadboltedit", file, bytes_of("secret")).plaintext, bytes_of(kText));
  EXPECT_EQ(code_of([&] { open_with("deadboltedit", file, bytes_of("wrong one")); }), Errc::wrong_key);
  EXPECT_EQ(recognise(file, file.size()).front()->name, "deadboltedit");
}

}  // namespace
}  // namespace fugu::format
