// Tests of TrueCrypt volumes and of images of vnd, dm-crypt and LUKS1 in addition to those of every sample:
// ranges, threads, units, what is named and refused.
#include "foreign_samples.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

constexpr const char* kFiles[] = {"truecrypt/own_sha1.tc", "vnd/K1000_salt.img", "vnd/k_80chars.img",
                                  "plain/cbc_plain.img"};  // they work in units
constexpr const char* kAll[] = {"truecrypt/own_sha1.tc",  "vnd/K1000_salt.img",    "vnd/k_80chars.img",
                                "plain/cbc_plain.img",    "luks1/plain_sha1.luks", "luks1/ecb_sha256.luks",
                                "luks1/essiv_sha512.luks"};

Bytes open_range(const Sample& sample, const std::string& range, Seekable seekable = Seekable::yes) {
  GivenOptions options = options_for(sample);
  options["range"] = range;
  return open_sample(sample, {.options = options, .seekable = seekable}).plaintext;
}

Bytes whole_of(const Sample& sample) {
  return open_sample(sample, {.options = options_for(sample)}).plaintext;
}

TEST(Volumes, RangesAreParts) {
  for (const char* file : kAll) {
    const Sample& sample = sample_named(file);
    const Bytes whole = whole_of(sample);
    ASSERT_EQ(sha256_hex(whole), sample.plaintext_sha256);
    for (const std::size_t first :
         {std::size_t{0}, std::size_t{511}, std::size_t{512}, std::size_t{1500}, whole.size()}) {
      for (const std::size_t count : {0u, 1u, 513u, 20000u}) {
        const std::string range = std::to_string(first) + ":" + std::to_string(count);
        EXPECT_EQ(open_range(sample, range), slice(whole, first, first + count)) << file << " " << range;
      }
    }
  }
}

// --rm keeps an input of which a part alone was written.
TEST(Volumes, APartIsNotAllContent) {
  for (const char* file : kFiles) {
    const Sample& sample = sample_named(file);
    for (const bool is_part : {false, true}) {
      GivenOptions options = options_for(sample);
      if (is_part) options["range"] = "0:512";
      const Result result = open_sample(sample, {.options = options});
      EXPECT_EQ(result.opened.all_content, !is_part) << file;
    }
  }
}

TEST(Volumes, ARangeBeyondTheEndAndOfAPipeAreRefused) {
  for (const char* file : kAll) {
    const Sample& sample = sample_named(file);
    const std::string beyond = std::to_string(whole_of(sample).size() + 1) + ":1";
    EXPECT_EQ(code_of([&] { open_range(sample, beyond); }), Errc::usage);
    EXPECT_EQ(code_of([&] { open_range(sample, "0:1", Seekable::no); }), Errc::usage);
  }
}

TEST(Volumes, APipeThreadsAndChunksMakeNoDifference) {
  const auto engine = engine::make("cpu/scalar", {.threads = 3});
  for (const char* file : kAll) {
    const Sample& sample = sample_named(file);
    const Codec& codec = *find_codec(sample.codec());
    const auth::SecretBytes passphrase(sample.passphrase);
    const OptionValues options = values_for(codec, options_for(sample));
    for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
      for (const std::size_t chunk_bytes : {0u, 1u, 1024u, 100000u}) {
        BytesSource source(sample.bytes, seekable);
        BytesSink sink;
        codec.open({*engine, source, sink, chunk_bytes, nullptr, {}},
                   {options, AskSecret(SecretKind::passphrase, passphrase)});
        EXPECT_EQ(sha256_hex(sink.bytes), sample.plaintext_sha256) << file << " " << chunk_bytes;
      }
    }
  }
}

// An image of some units: its sectors repeat the sample's ciphertext, each under its own number.
TEST(Volumes, UnitsAreWhatOneProcessWrites) {
  for (const char* file : kFiles) {
    const Sample& sample = sample_named(file);
    const Codec& codec = *find_codec(sample.codec());
    Bytes image = sample.bytes;
    while (image.size() < 3 * kAloneChunkBytes) image = std::move(image) + sample.bytes;
    const auth::SecretBytes passphrase(sample.passphrase);
    const OptionValues options = values_for(codec, options_for(sample));
    BytesSource source(image);
    BytesSink none;
    Opened opened;
    const UnitPlan plan = codec.units->plan_open(
        {scalar_engine(), source, none}, {options, AskSecret(SecretKind::passphrase, passphrase)}, opened);
    const FileUnits units(plan, codec.units->work(plan));
    ASSERT_GE(units.count(), 3u);
    Bytes joined;
    for (std::uint64_t unit = 0; unit < units.count(); ++unit) {
      BytesSource again(image);
      BytesSink sink;
      Bytes memory(units.chunk_bytes());
      Job job{scalar_engine(), again, sink};
      job.memory = memory;
      EXPECT_EQ(units.output_offset(unit), joined.size());
      units.run(job, unit, unit + 1);
      joined = joined + sink.bytes;
    }
    EXPECT_EQ(joined,
              open_with(sample.codec(), image, sample.passphrase, {.options = options_for(sample)}).plaintext)
        << file;
  }
}

TEST(Volumes, AnImageThatEndsInsideASectorIsDamage) {
  for (const char* file : kFiles) {
    const Sample& sample = sample_named(file);
    for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
      const How how{.options = options_for(sample), .seekable = seekable};
      const Bytes cut = slice(sample.bytes, 0, 5000);
      EXPECT_EQ(code_of([&] { open_with(sample.codec(), cut, sample.passphrase, how); }), Errc::damaged);
    }
  }
}

// The header of a hidden volume stands 1536 bytes before the end.
TEST(TrueCrypt, AHiddenVolumeIsNamed) {
  const Sample& sample = sample_named("truecrypt/own_sha1.tc");
  Bytes image(8192, std::byte{0x5a});
  std::ranges::copy(std::span(sample.bytes).first(512), image.end() - 1536);
  expect_error(Errc::unknown_format, "hidden volume",
               error_of([&] { open_with("truecrypt", image, sample.passphrase); }));
}

TEST(TrueCrypt, WhatWasNotTriedIsNamed) {
  const Sample& sample = sample_named("truecrypt/own_sha1.tc");
  const auto failure = error_of([&] { open_with("truecrypt", sample.bytes, bytes_of("no")); });
  for (const char* part : {"LRW", "cascades", "key files"}) expect_error(Errc::wrong_key, part, failure);
}

// Behind the key, the header still holds bytes that only the checksum covers.
TEST(TrueCrypt, TheChecksumCoversTheWholeHeader) {
  const Sample& sample = sample_named("truecrypt/own_sha1.tc");
  const Bytes image = flipped(sample.bytes, 508);
  EXPECT_EQ(code_of([&] { open_with("truecrypt", image, sample.passphrase); }), Errc::damaged);
}

// vnconfig -K without -S, by its definition with OpenSSL.
TEST(Vnd, WithoutASaltFileTheSaltIsZero) {
  auth::SecretBytes filled(128);
  std::ranges::copy(bytes_of("passphrase"), filled.span().begin());
  const auth::SecretBytes key = auth::pbkdf2("sha1", filled, Bytes(128), 1000, 72);
  const Bytes plain(512, std::byte{'x'});
  std::array<std::byte, 8> iv{};  // sector 0
  auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, key.span()).update(iv, iv);
  const Bytes image = openssl_cbc(key.span(), iv, plain);
  EXPECT_EQ(open_with("vnd", image, bytes_of("passphrase"), {.options = {{"rounds", "1000"}}}).plaintext,
            plain);
}

TEST(Vnd, OnlyMagicNumbersAreEvidence) {
  const Sample& sample = sample_named("vnd/K1000_salt.img");
  const Result right = open_sample(sample, {.options = options_for(sample)});
  const bool boots = right.plaintext[510] == std::byte{0x55} && right.plaintext[511] == std::byte{0xaa};
  EXPECT_EQ(right.opened.evidence.bits >= 16, boots);
  const Result wrong = open_with("vnd", sample.bytes, bytes_of("wrong"), {.options = options_for(sample)});
  EXPECT_EQ(wrong.opened.evidence.bits, 0);
  EXPECT_NE(wrong.plaintext, right.plaintext);
}

// A passphrase without rounds is the key of -k: where no disk shows, it may be that of -K.
TEST(Vnd, WhereNoDiskShowsRoundsAreNamed) {
  const Sample& sample = sample_named("vnd/K1000_salt.img");
  const auto opening = [&](bool accepts) {
    return [&sample, accepts] { open_sample(sample, {.options = {}, .accept_weak_evidence = accepts}); };
  };
  expect_error(Errc::unknown_format, "give ⟦rounds⟧", error_of(opening(false)));
  EXPECT_FALSE(error_of(opening(true)));
}

// With a key nothing is left to give.
TEST(Images, AKeyIsTakenWhereNoDiskShows) {
  const auth::SecretBytes key(std::string_view("a key of 32 bytes, for dm-crypt."));
  const Bytes noise(512, std::byte{0x5a});
  const AskSecret asked(SecretKind::key, key);
  EXPECT_EQ(open_with("vnd", noise, asked).plaintext.size(), 512u);
  const GivenOptions options{{"cipher", "blowfish-cbc-plain"}, {"key-size", "256"}};
  EXPECT_EQ(open_with("plain", noise, asked, {.options = options}).plaintext.size(), 512u);
}

TEST(Vnd, ASaltNeedsRounds) {
  const Sample& sample = sample_named("vnd/K1000_salt.img");
  OptionValues options(find_codec("vnd")->options);
  options.set("salt-file", options_for(sample).at("salt-file"));
  EXPECT_EQ(code_of([&] { find_codec("vnd")->check(options, OptionUse::open); }), Errc::usage);
}

// vnconfig -K takes passphrases only; -k any key.
TEST(Vnd, AKeyMayBeGivenAsOne) {
  const Sample& sample = sample_named("vnd/k_80chars.img");
  const auth::SecretBytes key(sample.passphrase);
  EXPECT_EQ(sha256_hex(open_with("vnd", sample.bytes, AskSecret(SecretKind::key, key)).plaintext),
            sample.plaintext_sha256);
}

// --- dm-crypt

Result open_plain(const Bytes& image, const GivenOptions& options, std::string_view passphrase,
                  bool accept = false, Seekable seekable = Seekable::yes) {
  const auth::SecretBytes bytes(passphrase);
  return open_with("plain", image, AskSecret(SecretKind::passphrase, bytes),
                   {.options = options, .seekable = seekable, .accept_weak_evidence = accept});
}

TEST(Plain, TheDefaultsAreThoseOfOldCryptsetup) {  // as its sample was made, but for the cipher
  const Sample& sample = sample_named("plain/short_options.img");
  const Result result = open_plain(sample.bytes, {}, "correct horse");
  EXPECT_EQ(sha256_hex(result.plaintext), sample.plaintext_sha256);
  EXPECT_TRUE(is_sufficient(result.opened.evidence));
  EXPECT_EQ(result.opened.parameters, "blowfish-cbc-plain, 256 bits, ripemd160");
}

TEST(Plain, NoiseIsWrittenOnlyWhereAllIsGiven) {
  const Sample& sample = sample_named("plain/cbc_plain.img");
  const GivenOptions all = options_for(sample);
  EXPECT_EQ(open_plain(sample.bytes, all, "wrong").opened.evidence.bits, 0);
  EXPECT_EQ(open_plain(sample.bytes, {}, "wrong", true).opened.evidence.bits, 0);
  EXPECT_EQ(sha256_hex(open_plain(sample.bytes, all, "correct horse", false, Seekable::no).plaintext),
            sample.plaintext_sha256);
  for (const auto& [name, value] : all) {
    GivenOptions most = all;
    most.erase(name);
    expect_error(Errc::unknown_format, "⟦cipher⟧, ⟦key-size⟧ and ⟦hash⟧",
                 error_of([&] { open_plain(sample.bytes, most, "wrong"); }));
    EXPECT_TRUE(error_of([&] { open_plain(sample.bytes, most, "correct horse", false, Seekable::no); }))
        << name;
  }
}

// With another rule, all but the first block of a sector is right.
TEST(Plain, AnotherRuleForIvsIsSeen) {
  const Sample& sample = sample_named("plain/essiv_448.img");
  GivenOptions options = options_for(sample);
  options["cipher"] = "blowfish-cbc-plain";
  EXPECT_FALSE(is_sufficient(open_plain(sample.bytes, options, "correct horse").opened.evidence));
}

// The first sector's IV is zero by most rules: what it holds proves none.
TEST(Plain, TheFirstSectorProvesNothing) {
  const GivenOptions options{{"cipher", "blowfish-cbc-plain"}, {"key-size", "128"}, {"hash", "plain"}};
  const Bytes key = bytes_of("sixteen bytes of");
  for (const bool is_second : {false, true}) {
    const auto sector = [&](bool of_zeros) { return Bytes(512, of_zeros ? std::byte{0} : std::byte{'x'}); };
    const Bytes image =
        openssl_cbc(key, {}, sector(!is_second)) + openssl_cbc(key, Bytes{std::byte{1}}, sector(is_second));
    const Result result = open_plain(image, options, "sixteen bytes of");
    EXPECT_EQ(result.plaintext[0] == std::byte{0}, !is_second);
    EXPECT_EQ(result.opened.evidence.bits, is_second ? 63 : 0);
  }
}

TEST(Plain, NamesOfModes) {
  for (const char* name : {"", "plain", "cbc-plain"})
    EXPECT_EQ(sector_mode(name).value().iv, SectorIv::plain);
  EXPECT_EQ(sector_mode("cbc-plain64").value().iv, SectorIv::plain64);
  EXPECT_EQ(sector_mode("ecb").value().iv, SectorIv::none);
  EXPECT_EQ(sector_mode("cbc-essiv:sha1").value().iv, SectorIv::essiv);
  EXPECT_EQ(sector_mode("cbc-essiv:sha1").value().essiv_hash, "sha1");
  for (const char* name : {"cbc", "cbc-benbi", "xts-plain64", "cbc-plain6", "ecb-plain"})
    EXPECT_FALSE(sector_mode(name)) << name;
}

// Beside a header, the payload is what follows it.
TEST(Volumes, TheirSizeIsDescribed) {
  for (const char* file : kFiles) {
    const Sample& sample = sample_named(file);
    BytesSource source(sample.bytes);
    const Codec& codec = *find_codec(sample.codec());
    const Description description = codec.describe(source, OptionValues(codec.options));
    ASSERT_EQ(description.fields.size(), 1u) << file;
    EXPECT_EQ(std::get<std::uint64_t>(description.fields.front().value), 16384u) << file;
    const How how{.options = options_for(sample)};
    EXPECT_EQ(code_of([&] { open_with(sample.codec(), {}, sample.passphrase, how); }), Errc::damaged) << file;
  }
}

TEST(Plain, AKeyIsTheBeginningOfItsFile) {
  const Sample& sample = sample_named("plain/key_128.img");
  ASSERT_EQ(sample.passphrase.size(), 32u);
  const auto open = [&](std::size_t bytes, const GivenOptions& options) {
    const auth::SecretBytes key(std::span(sample.passphrase).first(bytes));
    return open_with("plain", sample.bytes, AskSecret(SecretKind::key, key), {.options = options}).plaintext;
  };
  for (const std::size_t bytes : {16u, 17u, 32u})
    EXPECT_EQ(sha256_hex(open(bytes, {{"key-size", "128"}})), sample.plaintext_sha256) << bytes;
  EXPECT_EQ(code_of([&] { open(15, {{"key-size", "128"}}); }), Errc::wrong_key);
  EXPECT_EQ(code_of([&] { open(16, {{"key-size", "128"}, {"hash", "sha1"}}); }), Errc::usage);
}

TEST(Plain, ASizeInBitsIsWholeBytes) {
  OptionValues options(find_codec("plain")->options);
  options.set("key-size", "132");
  EXPECT_EQ(code_of([&] { find_codec("plain")->check(options, OptionUse::open); }), Errc::usage);
}

TEST(Plain, AnEmptyPassphraseIsWrong) {
  const Sample& sample = sample_named("plain/cbc_plain.img");
  EXPECT_EQ(code_of([&] { open_plain(sample.bytes, {}, ""); }), Errc::wrong_key);
}

}  // namespace
}  // namespace fugu::format
