#include "fugu/format/job.hpp"

#include "fugu/auth/reference.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/text_watch.hpp"
#include "fugu/format/lines/lines.hpp"
#include "memory.hpp"

namespace fugu::format {
namespace {

using namespace std::string_literals;

const mode::Settings kSettings{mode::Mode::cbc, mode::Padding::pkcs7, mode::Iv{}, {}, {}};

struct Sample {
  Bytes key = test::pattern(16);
  Bytes plaintext;
  Bytes ciphertext;  // bf-cbc, zero IV, by OpenSSL
  cipher::Schedule schedule;
};

Sample sample(std::size_t bytes) {
  Sample made;
  made.plaintext = test::pattern(bytes);
  made.ciphertext = made.plaintext;
  made.ciphertext.insert(made.ciphertext.end(), 8 - bytes % 8, static_cast<std::byte>(8 - bytes % 8));
  auth::ReferenceBlowfish(auth::ReferenceMode::cbc, true, made.key).update(made.ciphertext, made.ciphertext);
  cipher::expand(made.key, made.schedule);
  return made;
}

TEST(RunCipher, ChunkAndInputSizesMakeNoDifference) {
  for (const std::size_t bytes : {0u, 1u, 7u, 8u, 63u, 64u, 65u, 511u, 512u, 1000u}) {
    const Sample made = sample(bytes);
    for (const std::size_t chunk_bytes : {0u, 1u, 8u, 9u, 64u, 512u}) {
      for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
        const auto with = [&](core::Direction direction) {
          return [&, direction](const Job& job) { run_cipher(job, made.schedule, kSettings, direction); };
        };
        EXPECT_EQ(run_job(made.plaintext, with(core::Direction::encrypt), seekable, chunk_bytes),
                  made.ciphertext);
        EXPECT_EQ(run_job(made.ciphertext, with(core::Direction::decrypt), seekable, chunk_bytes),
                  made.plaintext);
      }
    }
  }
}

class Recorder final : public Watcher {
 public:
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override {
    mode = settings.mode;
    key_bytes.assign(key.begin(), key.end());
  }
  void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) override {
    seen_ciphertext.insert(seen_ciphertext.end(), ciphertext.begin(), ciphertext.end());
    seen_plaintext.insert(seen_plaintext.end(), plaintext.begin(), plaintext.end());
  }

  std::optional<mode::Mode> mode;
  Bytes key_bytes;
  Bytes seen_ciphertext;
  Bytes seen_plaintext;
};

TEST(RunCipher, AWatcherSeesTheKeyAndCiphertextBesidePlaintext) {
  const Sample made = sample(1003);
  Recorder seen;
  stream::PumpCounters counters;
  BytesSource source(made.ciphertext);
  BytesSink sink;
  run_cipher({scalar_engine(), source, sink, 64, &counters, &seen}, made.key, kSettings,
             core::Direction::decrypt);
  EXPECT_EQ(seen.mode, mode::Mode::cbc);
  EXPECT_EQ(seen.key_bytes, made.key);
  EXPECT_EQ(seen.seen_ciphertext, made.ciphertext);
  EXPECT_EQ(seen.seen_plaintext, made.plaintext);
  EXPECT_EQ(counters.bytes_read, made.ciphertext.size());
  EXPECT_EQ(counters.bytes_written, made.plaintext.size());
}

TEST(RunCipher, NobodyWatchesAnEncryption) {
  const Sample made = sample(1003);
  Recorder seen;
  BytesSource source(made.plaintext);
  BytesSink sink;
  run_cipher({scalar_engine(), source, sink, 64, nullptr, &seen}, made.key, kSettings,
             core::Direction::encrypt);
  EXPECT_EQ(sink.bytes, made.ciphertext);
  EXPECT_FALSE(seen.mode);
  EXPECT_TRUE(seen.seen_ciphertext.empty());
}

// Of what many lines may be: another reading may fit bytes and secrets, but not a machine that fails.
TEST(WhyManyMessages, OnlyWhatConcernsTheInputIsNoFit) {
  struct Failing final : MessageCipher {
    explicit Failing(Errc why) : why_(why) {}
    MessageFindings run(core::WipedBytes&) const override { throw Error(why_, "a fault"); }
    Errc why_;
  };
  for (const Errc code :
       {Errc::usage, Errc::io, Errc::engine, Errc::no_device, Errc::memory, Errc::interrupted, Errc::damaged,
        Errc::wrong_key, Errc::undecided, Errc::unknown_format}) {
    const auto seen = [](const MakeCipher& make) {
      return test::code_of(
          [&] { static_cast<void>(why_many_messages("00\n11\n", true, TextEncoding::hex, make)); });
    };
    const bool passes = code < Errc::wrong_key || (code > Errc::unknown_format && code != Errc::undecided);
    const std::optional<Errc> expected = passes ? std::optional(code) : std::nullopt;
    EXPECT_EQ(seen([&](auto) { return std::make_unique<Failing>(code); }), expected)
        << static_cast<int>(code);
    EXPECT_EQ(seen([&](auto) -> std::unique_ptr<MessageCipher> { throw Error(code, "a fault"); }), expected);
  }
}

// Looking ahead in an input that cannot seek, and ending it early.

const Bytes kInput = test::pattern(1000);

std::span<const std::byte> input(std::size_t first, std::size_t count) {
  return std::span(kInput).subspan(first, count);
}

class OfAPipe : public ::testing::Test {
 protected:
  BytesSource source_{kInput, Seekable::no};
  Lookahead ahead_{source_};
};

TEST_F(OfAPipe, WhatWasPeekedIsReadFirst) {
  EXPECT_TRUE(std::ranges::equal(ahead_.peek(10), input(0, 10)));
  ahead_.skip(4);
  EXPECT_TRUE(std::ranges::equal(ahead_.take(3, "it"), input(4, 3)));
  Bytes rest(2000);
  EXPECT_EQ(ahead_.read(rest), 993U);
  EXPECT_TRUE(std::ranges::equal(std::span(rest).first(993), input(7, 993)));
  EXPECT_EQ(ahead_.position(), 1000U);
  EXPECT_EQ(ahead_.read(rest), 0U);
}

TEST_F(OfAPipe, ReadingEndsAtALimit) {
  ahead_.take(100, "it");
  ahead_.peek(50);
  ahead_.limit(300);
  EXPECT_EQ(ahead_.bytes_left(), 300U);
  Bytes into(2000);
  EXPECT_EQ(ahead_.read(std::span(into).first(20)), 20U);
  EXPECT_EQ(ahead_.bytes_left(), 280U);
  EXPECT_EQ(ahead_.read(into), 280U);
  EXPECT_TRUE(std::ranges::equal(std::span(into).first(280), input(120, 280)));
  EXPECT_EQ(ahead_.read(into), 0U);
  EXPECT_TRUE(ahead_.peek(1).empty());
  ahead_.limit(5);
  EXPECT_TRUE(std::ranges::equal(ahead_.peek(9), input(400, 5)));
}

TEST_F(OfAPipe, TheEndIsSeenOnceAllWasPeeked) {
  Bytes end(8);
  EXPECT_FALSE(ahead_.peek_end(end));
  EXPECT_FALSE(ahead_.bytes_left());
  EXPECT_EQ(ahead_.peek(2000).size(), 1000U);
  EXPECT_EQ(ahead_.bytes_left(), 1000U);
  EXPECT_TRUE(ahead_.peek_end(end));
  EXPECT_TRUE(std::ranges::equal(end, input(992, 8)));
  ahead_.skip(992);
  EXPECT_TRUE(ahead_.peek_end(end));
  ahead_.skip(1);
  EXPECT_FALSE(ahead_.peek_end(end));
  EXPECT_EQ(ahead_.read(end), 7U);
  EXPECT_EQ(ahead_.read(end), 0U);
}

TEST(LookaheadOfAFile, TheEndIsSeenBeforeItIsReached) {
  BytesSource source(kInput, Seekable::yes);
  Lookahead ahead(source);
  Bytes end(8);
  ahead.take(100, "it");
  EXPECT_TRUE(ahead.peek_end(end));
  EXPECT_TRUE(std::ranges::equal(end, input(992, 8)));
  EXPECT_TRUE(std::ranges::equal(ahead.peek(10), input(100, 10)));
}

TEST_F(OfAPipe, WhatIsNotThereIsDamage) {
  expect_error(Errc::damaged, "the file ends inside a header",
               error_of([&] { ahead_.take(1001, "a header"); }));
  EXPECT_EQ(ahead_.take(1000, "a header").size(), 1000U);
  EXPECT_TRUE(error_of([&] { ahead_.skip(1); }));
}

// Reads all in portions of `bytes`. Whether that ended in the error about a second header.
bool sees_a_second(std::span<const std::byte> whole, std::size_t bytes) {
  BytesSource source(whole);
  Lookahead ahead(source);
  ahead.take(8, "it");
  ahead.expect_no_more("Salted__");
  Bytes into(bytes);
  return code_of([&] {
           while (ahead.read(into) != 0) {
           }
         }) == Errc::damaged;
}

TEST(JoinedFiles, AreSeenInAnyPortions) {
  const Bytes header = bytes_of("Salted__");
  for (const std::size_t at : {8U, 16U, 21U, 40U, 92U}) {
    Bytes whole = test::pattern(100);
    std::ranges::copy(header, whole.begin());
    for (std::size_t bytes = 1; bytes <= 101; ++bytes) EXPECT_FALSE(sees_a_second(whole, bytes)) << bytes;
    std::ranges::copy(header, whole.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t bytes = 1; bytes <= 101; ++bytes)
      EXPECT_TRUE(sees_a_second(whole, bytes)) << at << " " << bytes;
    whole[at + 7] = std::byte{'-'};
    for (std::size_t bytes = 1; bytes <= 101; ++bytes) EXPECT_FALSE(sees_a_second(whole, bytes)) << bytes;
  }
}

TEST(JoinedFiles, AreSeenBeforeTheyAreRead) {
  Bytes whole(std::size_t{3} << 20);
  const Bytes header = bytes_of("Salted__");
  for (const std::size_t at : {std::size_t{20}, (std::size_t{1} << 20) + 5, whole.size() - 8}) {
    Bytes second = whole;
    std::ranges::copy(header, second.begin() + static_cast<std::ptrdiff_t>(at));
    for (const auto& [file, joined] : {std::pair(&whole, false), std::pair(&second, true)}) {
      BytesSource source(*file);
      Lookahead ahead(source);
      ahead.peek(100);
      ahead.skip(10);
      ahead.expect_no_more("Salted__");
      EXPECT_EQ(error_of([&] { ahead.require_no_more(); }).has_value(), joined) << at;
      EXPECT_EQ(ahead.position(), 10U);
    }
  }
}

// Noise inside a text is seen, and what texts hold by nature is not taken for noise.

constexpr std::size_t kMiB = std::size_t{1} << 20;
const std::string kNoise = "\x83\x1b\xe5\x02\xd7\x6f\x91\xfe"s;

std::optional<TextWatch::Noise> noise_in(std::string_view text, std::size_t chunk = 4099) {
  const auto nowhere = stream::discard();
  TextWatch watch(*nowhere);
  for (std::size_t at = 0; at < text.size(); at += chunk)
    watch.write(std::as_bytes(std::span(text.substr(at, chunk))));
  return watch.noise();
}

// Whole words, no less than `bytes`.
std::string text_of(std::string_view words, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += words;
  return text;
}

std::string with(std::string text, std::size_t at, std::string_view put) {
  return text.replace(at, put.size(), put);
}

const std::string kTexts[] = {text_of("so it was said, ", 3 * kMiB), text_of("и так было; ", 3 * kMiB),
                              text_of("所以 €… ", 3 * kMiB), text_of("\U0001f600 \U0001f680", 3 * kMiB)};

// All of the first megabyte is looked at, and then one page of each.
TEST(TextWatch, ABlockOfNoiseIsSeen) {
  for (const std::string& text : kTexts) {
    for (const std::size_t at : {std::size_t{24}, std::size_t{4093}, kMiB / 2, kMiB - 40, 2 * kMiB + 1000}) {
      const auto found = noise_in(with(text, at, kNoise));
      ASSERT_TRUE(found) << at;
      EXPECT_TRUE(found->is_sure);
      EXPECT_NEAR(static_cast<double>(found->at), static_cast<double>(at), 8);
    }
  }
}

TEST(TextWatch, ATextHasNone) {
  for (const std::string& text : kTexts) {
    for (const std::size_t chunk : {std::size_t{7}, std::size_t{4096}, kMiB + 1})
      EXPECT_FALSE(noise_in(text, chunk));
  }
  const std::string text = kTexts[0].substr(0, kMiB);
  for (const std::string& own :
       {"\x1b[1mbold\x1b[0m\a\b"s, std::string(40, '\0'), "\xe4\xf6\xfc\xdf\xc4"s, "\x85\x93"s})
    EXPECT_FALSE(noise_in(with(text, 5000, own))) << own;
  EXPECT_FALSE(noise_in(with(text, 0, kNoise))) << "a mark in front";
  EXPECT_FALSE(noise_in("%PDF-1.4\n" + with(text, 5000, kNoise))) << "a stream of a document";
  EXPECT_FALSE(noise_in(with(text, text.size() - 8, kNoise))) << "a padding behind";
}

// With escapes, and where a look begins inside a character.
TEST(TextWatch, ALongTextStaysOne) {
  EXPECT_TRUE(noise_in(with(text_of("\x1b[1mbold\x1b[0m", kMiB), 5000, kNoise)));
  EXPECT_TRUE(noise_in(with(text_of("所以 €… ", 24 * kMiB), 23 * kMiB + 1000, kNoise), kMiB));
}

// Without control characters it may be a text in a charset of its own.
TEST(TextWatch, NoiseWithoutControlCharactersIsNotSure) {
  const auto found = noise_in(with(kTexts[0], 5000, "\x83\x9b\xe5\x82\xd7"));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_sure);
}

// A picture in a letter, wherever it begins and ends.
TEST(TextWatch, ALongerPartOfOtherBytesIsNoDamage) {
  std::string picture;
  for (unsigned i = 0; i < 200'000; ++i) picture += static_cast<char>(i * i * 2654435761U >> 23);
  for (const std::size_t at : {kMiB / 2, kMiB + 4096 - 40, 5 * kMiB / 4 + 4096 - 20}) {
    for (const std::size_t bytes : {std::size_t{100}, picture.size(), kMiB / 4 - 4050})
      EXPECT_FALSE(noise_in(with(kTexts[0], at, picture.substr(0, bytes)))) << at << " " << bytes;
  }
  for (const std::size_t end : {2 * kMiB + 20, 2 * kMiB + 4096 + 20})
    EXPECT_FALSE(noise_in(with(kTexts[0], end - picture.size(), picture))) << end;
  std::string patches = kTexts[0].substr(0, kMiB);
  for (std::size_t at = 1000; at < kMiB; at += kMiB / 12) patches = with(patches, at, kNoise);
  EXPECT_FALSE(noise_in(patches)) << "no text";
  EXPECT_FALSE(noise_in(with(text_of("record\0\0 of "s, kMiB), kMiB / 2, kNoise), kMiB)) << "no text either";
}

}  // namespace
}  // namespace fugu::format
