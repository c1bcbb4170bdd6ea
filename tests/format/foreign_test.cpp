// Every sample of every format is opened, in small chunks and from a pipe, too, and described.
#include "foreign_samples.hpp"

#include "fugu/format/detail/digests.hpp"

namespace fugu::format {
namespace {

void expect_refused(const Sample& sample) {
  EXPECT_EQ(code_of([&] { open_sample(sample); }), Errc::unknown_format) << sample.file;
}

void expect_opens(const Sample& sample, const How& how) {
  if (is_refused(sample)) return expect_refused(sample);
  try {
    Result result = open_sample(sample, how);
    if (has_line_end(sample)) result.plaintext.pop_back();
    // If the data end in padding bytes, these are removed with the padding. The program itself loses them,
    // too.
    const bool loses = sample.parameters.find("ambiguous") != std::string::npos;
    const bool is_left = std::ranges::any_of(result.opened.notes, [](const std::string& note) {
      return note.find("may be padding, and") != std::string::npos;  // nothing is taken off that may be data
    });
    EXPECT_EQ(sha256_hex(result.plaintext) == sample.plaintext_sha256, !loses && !is_left) << sample.file;
    EXPECT_FALSE(loses && result.opened.all_content) << sample.file;
  } catch (const Error& error) {
    ADD_FAILURE() << sample.file << ": " << error.text();
  }
}

// Directories, and documents whose content is one file of the output, have tests of their own.
bool is_known(const Sample& sample) {
  const Codec* codec = find_codec(sample.codec());
  return codec != nullptr && !codec->can(Ability::tree) && sample.codec() != "odf";
}

TEST(Foreign, EverySampleOpens) {
  ASSERT_FALSE(samples().empty());
  for (const Sample& sample : samples()) expect_opens(sample, {.options = options_for(sample)});
}

TEST(Foreign, ChunkSizesMakeNoDifference) {
  for (std::size_t i = 0; i < samples().size(); i += test::step(3))
    expect_opens(samples()[i], {.options = options_for(samples()[i]), .chunk_bytes = 64});
}

// The last byte changes nothing else. Messages whose key is derived quickly suffice.
TEST(OpenPgp, AnMdcIsCompared) {
  int tried = 0;
  for (const Sample& sample : samples()) {
    if (sample.codec() != "openpgp" || sample.parameters.find("--s2k-count") == std::string::npos) continue;
    const Bytes changed = flipped(sample.bytes, sample.bytes.size() - 1);
    expect_error(Errc::damaged, "the MDC is wrong",
                 error_of([&] { open_with("openpgp", changed, sample.passphrase); }));
    ++tried;
  }
  EXPECT_EQ(tried, 4);
}

// Two programs write the same header. The key's length tells them apart, and one derivation serves both.
TEST(Foreign, SaltedOfCryptCbcOpensAsThatOfOpenssl) {
  int opened = 0;
  for (const Sample& sample : samples()) {
    const bool usual =
        sample.parameters == "cipher=Blowfish" || sample.parameters == "pbkdf=opensslv2 cipher=Blowfish";
    if (sample.codec() != "cryptcbc" || !usual || sample.bytes.front() != std::byte{'S'}) continue;
    if (sample.bytes.size() < 100) continue;  // such a small file does not tell them apart
    const Result result = open_sample(sample);
    EXPECT_EQ(sha256_hex(result.plaintext), sample.plaintext_sha256) << sample.file;
    EXPECT_NE(result.opened.parameters.find("Crypt::CBC"), std::string::npos) << result.opened.parameters;
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

bool is_told_to_say_more(const Error& error) {
  const bool has_code = error.code() == Errc::unknown_format || error.code() == Errc::wrong_key;
  return has_code && error.text().find("⟦format cryptcbc⟧") != std::string::npos;
}

// Opens a file of Crypt::CBC by its header only. The output is right, or a note says that bytes may be
// missing, or an error says which options to choose from.
bool opens_without_options(const Sample& sample) {
  const bool is_salted = sample.bytes.front() == std::byte{'S'};
  try {
    const Result result = open_with(is_salted ? "openssl" : "cryptcbc", sample.bytes, sample.passphrase);
    const bool right = sha256_hex(result.plaintext) == sample.plaintext_sha256;
    EXPECT_TRUE(right || (!result.opened.all_content && !result.opened.notes.empty())) << sample.file;
    return right;
  } catch (const Error& error) {
    EXPECT_TRUE(is_told_to_say_more(error)) << sample.file << ": " << error.text();
    return false;
  }
}

bool has_header(const Sample& sample) {
  const std::string begin = text_of(slice(sample.bytes, 0, 8));
  return sample.codec() == "cryptcbc" && (begin == "Salted__" || begin == "RandomIV");
}

TEST(Foreign, CryptCbcOpensWithoutOptionsOrSaysWhichChoose) {
  constexpr std::string_view kMustOpen[] = {"mode_cfb_text",  "mode_pcbc_b9", "pad_null_text",
                                            "pad_space_text", "salt_304_ks8", "salt_304_ks32",
                                            "v1_empty",       "v2_b8"};
  std::size_t number = 0;
  for (const Sample& sample : samples()) {
    if (!has_header(sample)) continue;
    const std::string name = sample.file.substr(sample.file.find('/') + 1);
    const bool must = std::ranges::find(kMustOpen, name.substr(0, name.find('.'))) != std::end(kMustOpen);
    if (!must && number++ % test::step(5) != 0) continue;
    const bool opened = opens_without_options(sample);
    EXPECT_TRUE(opened || !must) << sample.file;
  }
}

// Whole blocks without padding and whole blocks with one block of padding have similar ciphertexts.
TEST(Foreign, EightBytesOfPaddingAreMentioned) {
  const Bytes text = bytes_of("tail looks pkcs7");
  const Bytes file = seal_with("cryptcbc", text, bytes_of("hello world"));
  const Result result = open_with("openssl", file, bytes_of("hello world"));
  EXPECT_EQ(result.plaintext, text);
  EXPECT_FALSE(result.opened.all_content);
  EXPECT_THAT(result.opened.notes,
              ::testing::ElementsAre(::testing::HasSubstr("the last 8 bytes may be data: ")));
  const Result given =
      open_with("cryptcbc", file, bytes_of("hello world"), {.options = {{"pad", "standard"}}});
  EXPECT_TRUE(given.opened.all_content && given.opened.notes.empty());
}

// cfb and ofb have the same first block, so that nine bytes of text leave one byte to tell them apart.
TEST(Foreign, TwoRecipesThatFitAreBothNamed) {
  const Sample& sample = sample_named("cryptcbc/mode_ofb_b9.cbc");
  const auto failure = error_of([&] { open_sample(sample); });
  for (const char* part : {"cfb and also", "⟦mode cfb⟧, or ⟦format cryptcbc⟧ ⟦pbkdf pbkdf2⟧", "⟦mode ofb⟧"})
    expect_error(Errc::unknown_format, part, failure);
}

// The file was written under the encoding latin1; a terminal gives the passphrase in UTF-8.
TEST(Foreign, VimsPassphraseMayBeInLatin1) {
  const Sample& sample = sample_named("vim/03_latin1pass.vim");
  const Result result = open_with("vim", sample.bytes, bytes_of("caf\xc3\xa9 \xc3\xbc"));
  EXPECT_EQ(sha256_hex(result.plaintext), sample.plaintext_sha256);
  EXPECT_EQ(result.opened.notes.size(), 1u);
}

// info describes every sample without a secret, from a pipe as well.
TEST(Foreign, EverySampleIsDescribed) {
  for (const Sample& sample : samples()) {
    const Codec& codec = *find_codec(sample.codec());
    const OptionValues values = values_for(codec, options_for(sample));
    for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
      BytesSource source(sample.bytes, seekable);
      const auto failure = error_of([&] { EXPECT_FALSE(codec.describe(source, values).title.empty()); });
      EXPECT_TRUE(!failure || is_refused(sample)) << sample.file << ": " << failure->text();
    }
  }
}

TEST(Foreign, EverySharedSampleOpens) {
  if (read_shared_samples().empty())
    GTEST_SKIP() << "the samples that are not committed are not beside the project";
  int opened = 0;
  for (const Sample& sample : read_shared_samples()) {
    if (!is_known(sample)) continue;
    How how{.options = options_for(sample)};
    how.accept_weak_evidence = sample.file.find("_bin") != std::string::npos;  // noise that Vim encrypted
    expect_opens(sample, how);
    if (has_header(sample) && !test::kSanitized) opens_without_options(sample);
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

// Every sample is recognised by its own codec only, and no codec recognises another file.

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
  const std::string text = text_of(sample.bytes);
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
    const Bytes file = joined({bytes_of(kBeginnings[i % std::size(kBeginnings)]),
                               test::random_bytes(random, static_cast<std::size_t>(1 + random() % 3000))});
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

// Expected values: the catalogue of parametrised CRC algorithms (check values of "123456789": CRC-32/BZIP2
// and CRC-32/ISO-HDLC), RFC 1950's Adler-32 of "Wikipedia", RFC 1321.

Bytes sum(const std::string& name, std::string_view text) {
  const auto checksum = make_checksum(name);
  for (const std::byte byte : bytes_of(text)) checksum->update({&byte, 1});
  return checksum->finish();
}

TEST(Checksum, PublishedValues) {
  EXPECT_EQ(sum("crc32", "123456789"), little_endian(0xfc891918, 4));
  EXPECT_EQ(sum("crc32b", "123456789"), little_endian(0xcbf43926, 4));
  EXPECT_EQ(sum("adler32", "Wikipedia"), little_endian(0x11e60398, 4));
  EXPECT_EQ(sum("md5", "").size(), 16u);
  EXPECT_THROW(make_checksum("tiger"), Error);
}

}  // namespace
}  // namespace fugu::format
