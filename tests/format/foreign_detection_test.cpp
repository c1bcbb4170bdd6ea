// Every sample is recognised by its own codec only, and no codec recognises another file.
#include <fstream>

#include "foreign_samples.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kOrdinaryFiles = 1000;

// Returns the names of the codecs that recognise a file of `size_bytes` with this beginning, each followed by
// a space.
std::string names_of(std::span<const std::byte> head, std::uint64_t size_bytes) {
  std::string names;
  for (const Codec* codec : recognise(head, size_bytes)) names.append(codec->name).append(1, ' ');
  return names;
}

std::string names_of(std::span<const std::byte> file) {
  return names_of(file.first(std::min(file.size(), kRecogniseBytes)), file.size());
}

// Files without a header are not recognised, and "Salted__" is the header of openssl enc.
std::string wanted_names(const Sample& sample) {
  const std::string_view text(reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size());
  if (options_for(sample).contains("bare") || find_codec(sample.codec())->recognise == nullptr) return "";
  const bool is_bare_text = sample.file.ends_with(".txt");
  constexpr std::string_view kOftenBare[] = {"navicat", "securecrt", "hmailserver"};
  if (std::ranges::count(kOftenBare, sample.codec()) != 0 && is_bare_text) return "";
  if (sample.codec() != "cryptcbc" || text.starts_with("RandomIV")) return sample.codec() + ' ';
  return text.starts_with("Salted__") ? "openssl " : "";
}

TEST(Detection, EverySampleIsRecognisedByItsCodecAlone) {
  std::size_t looked_at = 0;
  for (const Sample& sample : all_samples()) {
    if (sample.codec() == "encfs") continue;  // a directory
    EXPECT_EQ(names_of(sample.bytes), wanted_names(sample)) << sample.file;
    ++looked_at;
  }
  RecordProperty("samples", std::to_string(looked_at));
}

// Returns files of common kinds, with the beginnings that their formats require.
std::vector<Bytes> made_files(std::size_t count) {
  constexpr std::string_view kBeginnings[] = {"",
                                              "The quick brown fox\n",
                                              "T",
                                              "E",
                                              "Table of contents\n",
                                              "id,name,value\n1,a,2\n",
                                              "{\"version\": 1}",
                                              "<?xml version=\"1.0\"?>",
                                              "\x7f"
                                              "ELF",
                                              "\x89PNG\r\n",
                                              "%PDF-1.7",
                                              "PK\x03\x04",
                                              "-----BEGIN CERTIFICATE-----\n",
                                              "-----BEGIN PGP PUBLIC KEY BLOCK-----\n",
                                              "0123456789abcdef0123456789abcdef\n"};
  std::mt19937_64 random(14);
  std::vector<Bytes> files;
  for (std::size_t i = 0; i < count; ++i) {
    Bytes file = bytes_of(kBeginnings[i % std::size(kBeginnings)]);
    const Bytes rest = test::random_bytes(random, static_cast<std::size_t>(1 + random() % 3000));
    file.insert(file.end(), rest.begin(), rest.end());
    files.push_back(std::move(file));
  }
  return files;
}

TEST(Detection, MadeFilesAreOfNoFormat) {
  for (const Bytes& file : made_files(kOrdinaryFiles)) EXPECT_EQ(names_of(file), "");
}

TEST(Detection, FilesOfTheSystemAreOfNoFormat) {
  std::size_t seen = 0;
  for (const char* folder : {"/usr/share", "/usr/include", "/usr/bin"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    constexpr auto kSkip = std::filesystem::directory_options::skip_permission_denied;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, kSkip)) {
      if (seen >= kOrdinaryFiles) return;
      if (!entry.is_regular_file() || entry.is_symlink()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string head(kRecogniseBytes, '\0');
      in.read(head.data(), static_cast<std::streamsize>(head.size()));
      head.resize(static_cast<std::size_t>(in.gcount()));
      EXPECT_EQ(names_of(bytes_of(head), entry.file_size()), "") << entry.path();
      ++seen;
    }
  }
  if (seen < kOrdinaryFiles) GTEST_SKIP() << "this system has only " << seen << " files to look at";
}

}  // namespace
}  // namespace fugu::format
