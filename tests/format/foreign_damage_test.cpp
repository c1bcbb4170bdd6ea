// Every sample of every format, damaged: cut at each length, with each bit of its header changed, under a
// wrong passphrase. Nothing but Error comes out, of the kinds that a file can cause, and only what succeeds
// finishes its output.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "foreign_samples.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing

// Deriving a key makes these dear: most of their damaged files are only read until the passphrase is asked
// for, and one of so many is opened.
struct Cost {
  std::string_view codec;
  std::size_t step;
};
constexpr Cost kDear[] = {{"cryptcbc", 61}, {"kwallet", 127}, {"luks1", 127},  {"mcrypt", 7},
                          {"nppcrypt", 61}, {"odf", 997},     {"openpgp", 61}, {"vim", 61}};

std::size_t step_of(std::string_view codec) {
  const auto found = std::ranges::find(kDear, codec, &Cost::codec);
  return found == std::end(kDear) ? 1 : found->step;
}

// The committed ones, and those beside the project.
std::vector<Sample> samples_of(std::string_view codec) {
  std::vector<Sample> all = samples();
  if (std::filesystem::is_directory(shared_samples())) {
    const std::vector<Sample> shared = read_samples(shared_samples());
    std::ranges::copy_if(shared, std::back_inserter(all), [&](const Sample& sample) {
      return std::ranges::find(samples(), sample.bytes, &Sample::bytes) == samples().end();
    });
  }
  std::erase_if(all, [&](const Sample& sample) { return sample.codec() != codec; });
  return all;
}

// What stands before the ciphertext, and some blocks of that.
std::size_t header_bytes(const Sample& sample) {
  constexpr std::size_t kLuksPartitionHeader = 592, kOthers = 96;
  const std::string_view text(reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size());
  const std::size_t end_of_nppcrypt = text.find("</nppcrypt>");
  std::size_t bytes = sample.codec() == "luks1" ? kLuksPartitionHeader : kOthers;
  if (end_of_nppcrypt != text.npos) bytes = end_of_nppcrypt + 32;
  return std::min(bytes, sample.bytes.size());
}

// Whether a wrong passphrase must have been told from the right one.
bool tells(const Sample& sample) {
  const bool has_check = find_codec(sample.codec())->wrong_secret.find("nothing") == std::string_view::npos;
  return has_check && !options_for(sample).contains("bare");
}

bool is_of_a_file(Errc code) {
  return code == Errc::wrong_key || code == Errc::damaged || code == Errc::unknown_format;
}

class NotTold : public std::exception {};

const auth::SecretBytes& do_not_tell() {
  throw NotTold();
}

class Damage {
 public:
  explicit Damage(const Sample& sample) : sample_(sample), how_{.options = options_for(sample)} {}

  // Whether it opened.
  bool try_out(std::span<const std::byte> file, const std::string& what) {
    describe(file, what);
    const bool is_told = count_++ % step_of(sample_.codec()) == 0;
    bool opened = false;
    try {
      if (is_told) {
        open_with(sample_.codec(), file, sample_.passphrase, how_);
        opened = true;
      } else {
        open_with(sample_.codec(), file, AskSecret(SecretKind::passphrase, do_not_tell), how_);
      }
    } catch (const Error& error) {
      EXPECT_TRUE(is_of_a_file(error.code())) << sample_.file << ", " << what << ": " << error.text();
    } catch (const NotTold&) {
    } catch (const std::exception& other) {
      ADD_FAILURE() << sample_.file << ", " << what << ": " << other.what();
    }
    return opened;
  }

 private:
  void describe(std::span<const std::byte> file, const std::string& what) const {
    const Codec& codec = *find_codec(sample_.codec());
    OptionValues values(codec.options);
    for (const auto& [name, text] : how_.options) values.set(name, text);
    BytesSource source(file);
    const auto failure = error_of([&] { EXPECT_FALSE(codec.describe(source, values).title.empty()); });
    EXPECT_TRUE(!failure || is_of_a_file(failure->code()))
        << sample_.file << ", " << what << ": " << failure->text();
  }

  const Sample& sample_;
  How how_;
  std::size_t count_ = 0;
};

class EverySample : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EverySample, CutAnywhere) {
  constexpr std::size_t kEachLengthTo = 320, kEndBytes = 24, kLengthsBetween = 40;
  for (const Sample& sample : samples_of(GetParam())) {
    Damage damage(sample);
    const bool may_end_earlier = sample.codec() == "pwsafe";  // after any entry
    const std::size_t size = sample.bytes.size();
    const std::size_t stride = size / kLengthsBetween + 1;
    for (std::size_t bytes = 0; bytes < size;) {
      const bool opened =
          damage.try_out(std::span(sample.bytes).first(bytes), "cut to " + std::to_string(bytes));
      EXPECT_FALSE(opened && tells(sample) && !may_end_earlier) << sample.file << " cut to " << bytes;
      const bool is_near_an_end = bytes < kEachLengthTo || bytes + kEndBytes >= size;
      bytes = is_near_an_end ? bytes + 1 : std::min(bytes + stride, size - kEndBytes);
    }
  }
}

TEST_P(EverySample, WithAnyBitOfItsHeaderChanged) {
  for (const Sample& sample : samples_of(GetParam())) {
    Damage damage(sample);
    Bytes file = sample.bytes;
    for (std::size_t bit = 0; bit < 8 * header_bytes(sample); ++bit) {
      const auto mask = static_cast<std::byte>(1U << bit % 8);
      file[bit / 8] ^= mask;
      damage.try_out(file, "bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
      file[bit / 8] ^= mask;
    }
  }
}

TEST_P(EverySample, UnderAWrongPassphrase) {
  for (const Sample& sample : samples_of(GetParam())) {
    const auto failure = error_of([&] {
      open_with(sample.codec(), sample.bytes, bytes_of("another one"), {.options = options_for(sample)});
    });
    EXPECT_TRUE(failure || !tells(sample)) << sample.file;
    EXPECT_TRUE(!failure || is_of_a_file(failure->code())) << sample.file << ": " << failure->text();
    if (failure && tells(sample) && failure->code() != Errc::unknown_format) {
      EXPECT_EQ(failure->code(), Errc::wrong_key) << sample.file << ": " << failure->text();
    }
  }
}

std::vector<std::string_view> codecs_with_samples() {
  std::vector<std::string_view> names;
  for (const Codec* codec : codecs()) {
    if (!codec->can(Ability::tree) && !samples_of(codec->name).empty()) names.push_back(codec->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Damaged, EverySample, ::testing::ValuesIn(codecs_with_samples()),
                         [](const auto& codec) { return std::string(codec.param); });

TEST(Damaged, TheSharedSamplesAreAmongThem) {
  if (!std::filesystem::is_directory(shared_samples()))
    GTEST_SKIP() << "the samples that are not committed are not beside the project: only the committed ones "
                    "were damaged";
  EXPECT_FALSE(samples_of("odf").empty());
}

}  // namespace
}  // namespace fugu::format
