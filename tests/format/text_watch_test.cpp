// Noise inside a text is seen, and what texts hold by nature is not taken for noise.
#include "fugu/format/detail/text_watch.hpp"

#include "fugu/format/detail/message.hpp"
#include "fugu/stream/sink.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

using namespace std::string_literals;

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
