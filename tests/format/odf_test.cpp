// Documents under a password, opened in memory: the shared samples, and broken archives.
#include "foreign_samples.hpp"
#include "fugu/format/odf/detail/package.hpp"

namespace fugu::format {
namespace {

TEST(Odf, OpensTheSameInAnyChunks) {
  const Sample& document = documents().front();
  const Bytes whole = open_sample(document).plaintext;
  EXPECT_EQ(open_sample(document, {.chunk_bytes = 64}).plaintext, whole);
}

TEST(Odf, APipeIsRefusedBeforeThePassphraseIsAskedFor) {
  const Sample& document = documents().front();
  EXPECT_EQ(code_of([&] { open_sample(document, {.seekable = Seekable::no}); }), Errc::usage);
}

// The archives of whole documents end in their directory, which begins where the end record says.
std::size_t directory_at(const Bytes& file) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) at |= std::to_integer<std::size_t>(file[file.size() - 6 + i]) << 8 * i;
  return at;
}

struct Saved {
  Bytes bytes;
  std::vector<std::string> damage;
};

Saved salvage(const Sample& document, std::span<const std::byte> file) {
  const OptionValues values(find_codec("odf")->options);
  const auth::SecretBytes secret(document.passphrase);
  BytesSource source(file);
  BytesSink sink;
  SalvageReport report;
  Job job{scalar_engine(), source, sink};
  job.salvage = &report;
  find_codec("odf")->open(job, {values, AskSecret(SecretKind::passphrase, secret)});
  return {std::move(sink.bytes), report.damage};
}

TEST(Odf, WithoutItsDirectoryAllFilesComeByTheirOwnHeaders) {
  for (const Sample& document : documents()) {
    const Bytes whole = open_sample(document).plaintext;
    const std::size_t at = directory_at(document.bytes);
    for (const Bytes& file : {slice(document.bytes, 0, at), flipped(document.bytes, at),
                              slice(document.bytes, 0, document.bytes.size() - 1)}) {
      EXPECT_EQ(code_of([&] { open_with("odf", file, document.passphrase); }), Errc::damaged);
      const Saved saved = salvage(document, file);
      const std::size_t files = directory_at(whole);
      EXPECT_EQ(directory_at(saved.bytes), files) << document.file;
      EXPECT_EQ(slice(saved.bytes, 0, files), slice(whole, 0, files));
      EXPECT_FALSE(saved.damage.empty());
    }
  }
}

// The files of an archive, with their names; of the headers nothing else.
std::vector<std::pair<std::string, Bytes>> files_of(std::span<const std::byte> archive) {
  std::vector<std::pair<std::string, Bytes>> files;
  for (auto file = zip_local_file(archive); file;) {
    const auto data = file->data.first(file->stored_bytes);
    files.emplace_back(file->name, Bytes(data.begin(), data.end()));
    file = zip_local_file(file->data.subspan(file->stored_bytes));
  }
  return files;
}

// Each byte of the first entry, and of the place of the second, whose file is empty.
TEST(Odf, AChangedByteOfTheDirectoryCostsNoFile) {
  constexpr std::size_t kEntryBytes = 46;
  const Sample& document = documents().front();
  const auto whole = files_of(open_sample(document).plaintext);
  ASSERT_GT(whole.size(), 5u);
  const std::size_t first = directory_at(document.bytes);
  const std::size_t second = first + kEntryBytes + std::string_view("mimetype").size();
  std::vector<std::size_t> places(kEntryBytes);
  std::iota(places.begin(), places.end(), first);
  for (std::size_t at = 42; at < kEntryBytes; ++at) places.push_back(second + at);
  for (std::size_t i = 0; i < places.size(); i += test::step(7)) {
    const std::size_t at = places[i];
    EXPECT_EQ(files_of(salvage(document, flipped(document.bytes, at, 0xff)).bytes), whole) << at - first;
  }
}

// Each file alone: the one whose header is lost is missing, the others come.
TEST(Odf, ADamagedLocalHeaderCostsOneFile) {
  const Sample& document = documents().front();
  Bytes file = document.bytes;
  file.resize(directory_at(file));
  const std::string_view name = "content.xml";
  const std::size_t at = text_of(file).find(name);
  file[at - 30] ^= std::byte{1};
  const Saved all = salvage(document, file);
  const std::string saved(text_of(all.bytes));
  for (const std::string& damage : all.damage)
    EXPECT_EQ(damage.find("styles.xml"), std::string::npos) << damage;
  EXPECT_EQ(saved.find(name), std::string::npos);
  EXPECT_NE(saved.find("styles.xml"), std::string::npos);
}

TEST(Odf, EverySharedDocumentOpens) {
  const std::filesystem::path shared = shared_samples();
  if (!std::filesystem::is_directory(shared))
    GTEST_SKIP() << "the samples that are not committed are not beside the project";
  int opened = 0;
  for (const Sample& sample : read_samples(shared)) {
    if (sample.codec() != "odf") continue;
    EXPECT_TRUE(open_sample(sample).opened.evidence.certain) << sample.file;
    EXPECT_EQ(code_of([&] { open_with("odf", sample.bytes, bytes_of("another one")); }), Errc::wrong_key)
        << sample.file;
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace fugu::format
