// Damages every sample of every format: cuts it at each length, changes each bit of its header, and opens it
// with a wrong passphrase. The only exceptions are Errors of the kinds that a file can cause, and only a
// success finishes its output.
//
// Long samples are cut at some lengths only. If a key is dear, most damaged files are not opened. With
// FUGU_EVERY_DAMAGE in the environment, all samples are cut at every length, and more files are opened, which
// takes some minutes.
#include <iterator>

#include "foreign_samples.hpp"

namespace fugu::format {
namespace {

// Deriving their keys makes these formats dear: of their damaged files one in `step` is opened, and the
// others are only read until the passphrase is asked for.
struct Cost {
  std::string_view codec;
  std::size_t step;
  std::size_t step_of_all;  // with FUGU_EVERY_DAMAGE
};
constexpr Cost kDear[] = {
    {"cryptcbc", 61, 7}, {"kwallet", 127, 11}, {"luks1", 127, 61},   {"mcrypt", 7, 1}, {"nppcrypt", 61, 1},
    {"odf", 997, 97},    {"openpgp", 61, 11},  {"truecrypt", 61, 7}, {"vnd", 61, 7},   {"vim", 61, 7}};

std::size_t step_of(std::string_view codec) {
  const auto found = std::ranges::find(kDear, codec, &Cost::codec);
  if (found == std::end(kDear)) return 1;
  return every_damage() != nullptr ? found->step_of_all : found->step * test::step(3);
}

std::vector<Sample> samples_of(std::string_view codec) {
  std::vector<Sample> its;
  std::ranges::copy_if(all_samples(), std::back_inserter(its),
                       [&](const Sample& sample) { return sample.codec() == codec; });
  return its;
}

// The header of a wallet ends with its folders. Each is a digest, a count and that number of digests.
std::size_t end_of_folders(std::span<const std::byte> wallet) {
  constexpr std::size_t kFixedBytes = 16, kDigestBytes = 16;
  const auto number_at = [&](std::size_t at) {
    std::size_t number = 0;
    for (const std::byte byte : wallet.subspan(at, 4))
      number = number << 8 | std::to_integer<std::size_t>(byte);
    return number;
  };
  std::size_t at = kFixedBytes + 4;
  for (std::size_t folders = number_at(kFixedBytes); folders > 0; --folders)
    at += kDigestBytes + 4 + number_at(at + kDigestBytes) * kDigestBytes;
  return at;
}

struct Part {
  std::size_t begin;
  std::size_t end;
};

// Returns all that is not encrypted, and some blocks of the rest.
std::vector<Part> clear_parts(const Sample& sample) {
  constexpr std::size_t kLuksPartitionHeader = 592, kOthers = 96, kEnd = 8;
  const std::size_t size = sample.bytes.size();
  std::size_t head = kOthers;
  if (sample.codec() == "luks1") head = kLuksPartitionHeader;
  if (sample.codec() == "truecrypt") head = 512;
  if (sample.codec() == "kwallet") head = end_of_folders(sample.bytes) + 8;
  if (sample.codec() == "nppcrypt") head = text_of(sample.bytes).find("</nppcrypt>") + 32;
  if (sample.codec() == "odf") head = text_of(sample.bytes).find("manifest.rdf");
  std::size_t tail = size - std::min(size, kEnd);  // for .bfe the size
  if (sample.codec() == "odf")
    tail = text_of(sample.bytes).rfind("PK\x03\x04");  // the manifest and the directory
  head = std::min(head, size);
  return {{0, head}, {std::max(head, tail), size}};
}

// Returns whether a wrong passphrase must be noticed.
bool tells(const Sample& sample) {
  const bool has_check = find_codec(sample.codec())->wrong_secret.find("nothing") == std::string_view::npos;
  return has_check && !options_for(sample).contains("bare");
}

bool is_of_a_file(Errc code) {
  return code == Errc::wrong_key || code == Errc::damaged || code == Errc::unknown_format ||
         code == Errc::undecided;
}

// Counts the damaged files, and those of them that were opened with the passphrase.
struct Counts {
  std::size_t tried = 0;
  std::size_t told = 0;
};

class Damage {
 public:
  Damage(const Sample& sample, Counts& counts)
      : sample_(sample), how_{.options = options_for(sample)}, counts_(counts) {}

  // Returns whether the file opened.
  bool try_out(std::span<const std::byte> file, const std::string& what) {
    ++counts_.tried;
    describe(file, what);
    for (const Codec* codec : recognise(file.first(std::min(file.size(), kRecogniseBytes)), file.size())) {
      const AskSecret asks(SecretKind::passphrase, do_not_tell);
      if (codec->name != sample_.codec()) open(what, [&] { open_with(codec->name, file, asks); });
    }
    if (count_++ % step_of(sample_.codec()) != 0) {
      const AskSecret asks(SecretKind::passphrase, do_not_tell);
      return open(what, [&] { open_with(sample_.codec(), file, asks, how_); });
    }
    ++counts_.told;
    return open(what, [&] { open_with(sample_.codec(), file, sample_.passphrase, how_); });
  }

 private:
  bool open(const std::string& what, const std::function<void()>& opens) const {
    try {
      opens();
      return true;
    } catch (const Error& error) {
      EXPECT_TRUE(is_of_a_file(error.code())) << sample_.file << ", " << what << ": " << error.text();
    } catch (const NotTold&) {
    } catch (const std::exception& other) {
      ADD_FAILURE() << sample_.file << ", " << what << ": " << other.what();
    }
    return false;
  }

  void describe(std::span<const std::byte> file, const std::string& what) const {
    const Codec& codec = *find_codec(sample_.codec());
    const OptionValues values = values_for(codec, how_.options);
    BytesSource source(file);
    open(what, [&] { EXPECT_FALSE(codec.describe(source, values).title.empty()); });
  }

  const Sample& sample_;
  How how_;
  Counts& counts_;
  std::size_t count_ = 0;
};

class EverySample : public ::testing::TestWithParam<std::string_view> {
 protected:
  void TearDown() override {  // the output of --gtest_output shows the numbers
    RecordProperty("damaged_files", std::to_string(counts.tried));
    RecordProperty("told_the_passphrase", std::to_string(counts.told));
  }

  Counts counts;
};

// Returns the next length after `bytes` at which a file of `size` bytes is cut.
std::size_t next_length(std::size_t bytes, std::size_t size) {
  constexpr std::size_t kEachLengthTo = test::kSanitized ? 80 : 320, kEndBytes = 24, kLengthsBetween = 40;
  if (every_damage() != nullptr || bytes < kEachLengthTo || bytes + kEndBytes >= size) return bytes + 1;
  return std::min(bytes + size / kLengthsBetween + 1, size - kEndBytes);
}

// Of a file of XML or of an OpenPGP armor, which means nothing there.
std::size_t trailing_space(const Sample& sample) {
  const bool is_text = sample.codec() == "fpm" || sample.file.ends_with(".asc");
  return is_text && sample.bytes.back() == std::byte{'\n'} ? 1 : 0;
}

TEST_P(EverySample, CutAnywhere) {
  for (const Sample& sample : samples_of(GetParam())) {
    Damage damage(sample, counts);
    const bool may_end_earlier = sample.codec() == "pwsafe" || sample.codec() == "luks1" ||
                                 sample.codec() == "truecrypt";  // after any entry, or any sector
    const std::size_t size = sample.bytes.size() - trailing_space(sample);
    for (std::size_t bytes = 0; bytes < size; bytes = next_length(bytes, size)) {
      const bool opened =
          damage.try_out(std::span(sample.bytes).first(bytes), "cut to " + std::to_string(bytes));
      EXPECT_FALSE(opened && tells(sample) && !may_end_earlier) << sample.file << " cut to " << bytes;
    }
  }
}

TEST_P(EverySample, WithAnyBitOfItsHeaderChanged) {
  for (const Sample& sample : samples_of(GetParam())) {
    Damage damage(sample, counts);
    // If a file takes long, one or two bits per byte are changed, of a document under sanitizers one in five
    // bytes.
    const bool is_odf = sample.codec() == "odf";
    const std::size_t some = is_odf ? 7 * test::step(5) : test::step(7);
    const std::size_t stride = every_damage() != nullptr ? 1 : some;
    for (const Part& part : clear_parts(sample)) {
      for (std::size_t bit = 8 * part.begin; bit < 8 * part.end; bit += stride)
        damage.try_out(flipped(sample.bytes, bit / 8, 1U << bit % 8),
                       "bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
    }
  }
}

// Under sanitizers of one in three samples whose keys are dear.
TEST_P(EverySample, UnderAWrongPassphrase) {
  const std::vector<Sample> its = samples_of(GetParam());
  for (std::size_t i = 0; i<its.size(); i += step_of(GetParam())> 1 ? test::step(3) : 1) {
    const Sample& sample = its[i];
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

INSTANTIATE_TEST_SUITE_P(Damaged, EverySample, ::testing::ValuesIn(codecs_of(all_samples())),
                         [](const auto& codec) { return std::string(codec.param); });

TEST(Damaged, TheSharedSamplesAreAmongThem) {
  if (read_shared_samples().empty())
    GTEST_SKIP() << "the samples that are not committed are not beside the project: only the committed ones "
                    "were damaged";
  EXPECT_FALSE(samples_of("odf").empty());
}

}  // namespace
}  // namespace fugu::format
