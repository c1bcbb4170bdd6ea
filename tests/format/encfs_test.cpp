// EncFS volumes that EncFS filled are opened with the right and a wrong passphrase, damaged, and with names
// that point outside.
#include "encfs_volumes.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"
#include "stream/scratch.hpp"

namespace fugu::format {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> digests(const Tree& tree) {
  std::map<std::string, std::string> digests;
  for (const auto& [path, bytes] : tree.files) digests[path] = sha256_hex(bytes);
  return digests;
}

void expect_opens(const Volume& volume, std::size_t chunk_bytes) {
  SCOPED_TRACE(volume.name);
  const Outcome outcome = open_volume(volume.encrypted, volume.passphrase, chunk_bytes);
  EXPECT_EQ(digests(outcome.plain), volume.plain_files);
  EXPECT_EQ(outcome.plain.directories, volume.plain_directories);
  std::map<std::string, std::string> inside = volume.plain_links;
  EXPECT_EQ(inside.erase("absolute") + inside.erase("outside"), volume.plain_links.empty() ? 0U : 2U);
  EXPECT_EQ(outcome.plain.links, inside);
  EXPECT_EQ(outcome.failed.size(), volume.plain_links.size() - inside.size());
  EXPECT_EQ(outcome.opened.all_content, outcome.failed.empty());
}

TEST(Encfs, EveryVolumeOpensAndLinksThatLeadOutAreNotMade) {
  ASSERT_EQ(volumes().size(), 9U);
  for (const Volume& volume : volumes()) expect_opens(volume, 0);
}

TEST(Encfs, ChunkSizesMakeNoDifference) {
  for (const Volume& volume : volumes()) expect_opens(volume, 1);  // one block
}

TEST(Encfs, IsRecognisedByItsConfiguration) {
  for (const Volume& volume : volumes()) {
    TreeBytes source(volume.encrypted);
    EXPECT_EQ(recognise(source), find_codec("encfs")) << volume.name;
  }
  const Tree empty;
  TreeBytes nothing(empty);
  EXPECT_EQ(recognise(nothing), nullptr);
  nothing.more_top_entries = {{".encfs5", stream::TreeEntryKind::file, Error(Errc::io, "not to be read")}};
  EXPECT_EQ(code_of([&] { recognise(nothing); }), Errc::io);
}

TEST(Encfs, WrongPassphraseIsToldBeforeAnythingIsMade) {
  for (const Volume& volume : volumes())
    EXPECT_EQ(code_of([&] { open_volume(volume.encrypted, "another one"); }), Errc::wrong_key) << volume.name;
}

TEST(Encfs, TheConfigurationAloneNamesTheDirectory) {
  const Bytes& config = volumes().front().encrypted.files.at(kConfig);
  EXPECT_EQ(code_of([&] { open_with("encfs", config, bytes_of("hello")); }), Errc::usage);
}

TEST(Encfs, OtherCiphersAndCodingsAreNamed) {
  const std::pair<const char*, const char*> changes[] = {{"ssl/blowfish", "ssl/aes"},
                                                         {"<major>3</major>", "<major>1</major>"},
                                                         {"nameio/stream", "nameio/new"},
                                                         {"<major>2</major>", "<major>0</major>"},
                                                         {"<major>2</major>", "<major>1</major>"},
                                                         {"<plainData>0<", "<plainData>1<"}};
  for (const auto& [from, to] : changes) {
    Tree changed = volume_named("everything").encrypted;
    std::string config = testing::text_of(changed.files[kConfig]);
    changed.files[kConfig] = bytes_of(config.replace(config.find(from), std::string_view(from).size(), to));
    expect_error(Errc::unknown_format, "open it with encfs",
                 error_of([&] { open_volume(changed, "hello"); }));
  }
}

TEST(Encfs, AnEmptySaltIsDamage) {
  Tree changed = volume_named("everything").encrypted;
  const std::string config = testing::text_of(changed.files[kConfig]);
  const std::size_t from = config.find("<saltData>") + 10;
  changed.files[kConfig] = bytes_of(config.substr(0, from) + config.substr(config.find("</saltData>")));
  EXPECT_EQ(code_of([&] { open_volume(changed, "hello"); }), Errc::damaged);
}

TEST(Encfs, OlderVersionsSayWhatTheyAre) {
  for (const std::string version : {"4", "5"}) {
    const Volume& volume = volume_named(("version_" + version).c_str());
    const Bytes& config = volume.encrypted.files.at(".encfs" + version);
    EXPECT_EQ(recognise(config, config.size()), std::vector{find_codec("encfs")});
    EXPECT_EQ(open_volume(volume.encrypted, "hello").opened.parameters,
              "EncFS " + version + ", Blowfish with a key of 160 bits, blocks of 512 bytes");
    BytesSource source(config);
    const Description description = find_codec("encfs")->describe(source, OptionValues());
    EXPECT_EQ(description.title, "EncFS " + version + " volume");
    EXPECT_EQ(code_of([&] { open_volume(volume.encrypted, "hullo"); }), Errc::wrong_key);
  }
}

TEST(Encfs, OlderConfigurationsWithWhatIsNotKnownAreDamaged) {
  const Volume& volume = volume_named("version_4");
  const std::string config = testing::text_of(volume.encrypted.files.at(".encfs4"));
  const std::string more[] = {std::string("\3new\1\1", 6), std::string("\7keySize\2\x81\x20", 11)};
  for (const std::string& entry : more) {
    Tree changed = volume.encrypted;
    changed.files[".encfs4"] = bytes_of("\5" + config.substr(1) + entry);
    EXPECT_EQ(code_of([&] { open_volume(changed, "hello"); }), Errc::damaged) << entry;
  }
}

// A configuration in XML of before EncFS 1.5 has neither salt nor iterations.
TEST(Encfs, VersionSixWithoutASalt) {
  const Volume& older = volume_named("version_5");
  Tree changed = older.encrypted;
  changed.files.erase(".encfs5");
  changed.files[kConfig] = bytes_of(
      "<?xml version=\"1.0\"?><boost_serialization><cfg><version>20080411</version><creator>a</creator>"
      "<cipherAlg><name>ssl/blowfish</name><major>2</major></cipherAlg>"
      "<nameAlg><name>nameio/stream</name><major>2</major></nameAlg><keySize>160</keySize>"
      "<blockSize>512</blockSize><uniqueIV>1</uniqueIV><chainedNameIV>0</chainedNameIV>"
      "<blockMACBytes>0</blockMACBytes><blockMACRandBytes>0</blockMACRandBytes><encodedKeyData>"
      "PAAVswr0un9UWZK2Uoa0DwefbJS/8TS6tbr4YgEEAec=</encodedKeyData></cfg></boost_serialization>");
  EXPECT_EQ(open_volume(changed, "hello").plain.files, open_volume(older.encrypted, "hello").plain.files);
}

// With a MAC per block every change to a file is noticed, and the other files are written.
TEST(Encfs, DamagedFilesAreNamedAndTheRestGoesOn) {
  const Volume& volume = volume_named("plain_names");
  for (const std::string file : {"f1", "f300", "sparse"}) {
    const Bytes whole = volume.encrypted.files.at(file);
    for (std::size_t at = 0; at < whole.size(); at += 5) {
      Tree changed = volume.encrypted;
      changed.files[file][at] ^= static_cast<std::byte>(1U << at % 8);
      const Outcome outcome = open_volume(changed, volume.passphrase);
      EXPECT_EQ(outcome.failed.count(file + " (" + file + ")"), 1U) << file << " " << at;
      EXPECT_EQ(outcome.plain.files.count(file), 0U);
      EXPECT_EQ(outcome.plain.files.size(), volume.plain_files.size() - 1);
    }
  }
}

// Without MACs a text tells: two blocks of noise in each of 30 places.
TEST(Encfs, NoiseInATextIsToldWithoutMacs) {
  const Volume& volume = volume_named("version_5");
  const auto whole = open_volume(volume.encrypted, volume.passphrase).plain.files;
  const auto text = std::ranges::find_if(
      whole, [](const auto& file) { return std::ranges::count(file.second, std::byte{'\n'}) > 9; });
  ASSERT_NE(text, whole.end());
  const auto file = std::ranges::find_if(
      volume.encrypted.files, [&](const auto& one) { return one.second.size() == text->second.size() + 8; });
  ASSERT_NE(file, volume.encrypted.files.end());
  std::size_t told = 0;
  for (std::size_t at = 100; at < 400; at += 10) {
    Tree changed = volume.encrypted;
    changed.files[file->first][at] ^= std::byte{1};
    changed.files[file->first][at + 8] ^= std::byte{1};
    const Outcome outcome = open_volume(changed, volume.passphrase);
    told += outcome.failed.size();
    EXPECT_EQ(outcome.plain.files.contains(text->first), outcome.failed.empty()) << at;
  }
  EXPECT_GT(told, 20U);
}

TEST(Encfs, EveryTruncationOfAFileIsSurvived) {
  for (const char* name : {"plain_names", "everything"}) {
    const Volume& volume = volume_named(name);
    const auto longest = std::ranges::max_element(volume.encrypted.files, {}, [](const auto& file) {
      return is_config(file.first) ? 0 : file.second.size();
    });
    for (std::size_t bytes = 0; bytes < longest->second.size(); ++bytes) {
      Tree changed = volume.encrypted;
      changed.files[longest->first].resize(bytes);
      const Outcome outcome = open_volume(changed, volume.passphrase);
      const bool between_blocks =
          bytes == 0 || bytes % 64 == 8;  // a MAC cannot tell that whole blocks are missing
      EXPECT_EQ(outcome.failed.size(), between_blocks ? 2U : 3U) << bytes;
    }
  }
}

TEST(Encfs, DamagedNamesAreNamedAndTheRestGoesOn) {
  const Volume& volume = volume_named("everything");
  for (const auto& [path, bytes] : volume.encrypted.files) {
    if (is_config(path) || path.find('/') != path.npos) continue;
    Tree changed = volume.encrypted;
    for (const std::string& name : {"0" + path, path.substr(1), '.' + path, std::string("a")}) {
      changed.files = volume.encrypted.files;
      changed.files.erase(path);
      changed.files[name] = bytes;
      const Outcome outcome = open_volume(changed, volume.passphrase);
      EXPECT_EQ(outcome.failed.count(name), 1U) << name;
      EXPECT_EQ(outcome.plain.files.size(), volume.plain_files.size() - 1) << name;
    }
  }
}

// A volume whose names are not encrypted can hold any name.
TEST(Encfs, NamesStayInsideTheDirectory) {
  const Volume& volume = volume_named("plain_names");
  TreeBytes source(volume.encrypted);
  const std::string bad_names[] = {
      "..", ".", "", "../out", "/etc/passwd", "d1/../../out", std::string("a\0b", 3)};
  for (const std::string& name : bad_names) {
    for (const auto kind :
         {stream::TreeEntryKind::file, stream::TreeEntryKind::directory, stream::TreeEntryKind::link})
      source.more_top_entries.push_back({name, kind});
  }
  const Outcome outcome = open_volume(source, volume.passphrase);
  EXPECT_EQ(digests(outcome.plain), volume.plain_files);
  EXPECT_EQ(outcome.plain.directories, volume.plain_directories);
  EXPECT_EQ(outcome.failed.size(), std::size(bad_names) + 2);
}

TEST(Encfs, TwoFilesOfOneNameDoNotReplaceEachOther) {
  const Volume& volume = volume_named("plain_names");
  TreeBytes source(volume.encrypted);
  source.more_top_entries = {{"f9", stream::TreeEntryKind::file}};
  const Outcome outcome = open_volume(source, volume.passphrase);
  EXPECT_EQ(outcome.failed.count("f9 (f9)"), 1U);
  EXPECT_EQ(digests(outcome.plain), volume.plain_files);
}

TEST(Encfs, WhatCannotBeLookedAtIsNamed) {
  const Volume& volume = volume_named("plain_names");
  TreeBytes source(volume.encrypted);
  source.more_top_entries = {{"unseen", stream::TreeEntryKind::other, Error(Errc::damaged, "no")}};
  source.problem = Error(Errc::io, "read failed");
  const Outcome outcome = open_volume(source, volume.passphrase);
  EXPECT_EQ(outcome.failed.at("unseen (unseen)"), Errc::damaged);  // its own reason
  EXPECT_EQ(outcome.failed.count("."), 1U);
  EXPECT_EQ(outcome.failed.count("d1 (d1)"), 1U);
  EXPECT_EQ(digests(outcome.plain), volume.plain_files);
}

// A directory that cannot be seen whole may be a container.
TEST(Encfs, IsNotDeniedOfADirectoryThatCannotBeListed) {
  const Tree empty;
  TreeBytes source(empty);
  EXPECT_EQ(recognise(source), nullptr);
  source.problem = Error(Errc::io, "read failed");
  EXPECT_THROW(recognise(source), Error);
  source.problem.reset();
  source.more_top_entries = {{".encfs6.xml", stream::TreeEntryKind::other, Error(Errc::io, "no")}};
  EXPECT_THROW(recognise(source), Error);
}

// A volume on a disk, since the library's face takes directories.
struct VolumeOnDisk : stream::Scratch {
  explicit VolumeOnDisk(const Tree& tree) {
    for (const auto& [name, times] : tree.directories) fs::create_directories(path("volume/" + name));
    for (const auto& [name, bytes] : tree.files) {
      fs::create_directories(fs::path(path("volume/" + name)).parent_path());
      test::write_file(path("volume/" + name), bytes);
    }
    for (const auto& [name, target] : tree.links) fs::create_symlink(target, path("volume/" + name));
  }
};

TEST(Encfs, TheFaceOpensADirectory) {
  for (const Volume& volume : volumes()) {
    SCOPED_TRACE(volume.name);
    const VolumeOnDisk disk(volume.encrypted);
    const Secret secret = Secret::passphrase(volume.passphrase);
    const OpenedDirectory opened = open_directory(disk.path("volume"), disk.path("plain"), secret);
    EXPECT_EQ(opened.opened.parameters, open_volume(volume.encrypted, volume.passphrase).opened.parameters);
    const std::size_t left_out = volume.plain_links.empty() ? 0 : 2;  // the links that point outside
    EXPECT_EQ(opened.failed.size(), left_out);
    for (const auto& [path, sha256] : volume.plain_files)
      EXPECT_EQ(sha256_hex(test::read_file(disk.path("plain/" + path))), sha256) << path;
    EXPECT_GT(open_directory(disk.path("volume"), disk.path("plain"), secret).failed.size(),
              left_out);  // nothing replaced
  }
}

TEST(Encfs, TheFaceSaysWhyADirectoryDoesNotOpen) {
  const Volume& volume = volumes().front();
  const VolumeOnDisk disk(volume.encrypted);
  const Secret secret = Secret::passphrase(volume.passphrase);
  const auto open = [&](const char* from, const char* to, const OpenOptions& options = {}) {
    return code_of([&] { open_directory(disk.path(from), disk.path(to), secret, options); });
  };
  const Secret wrong = Secret::passphrase("no");
  EXPECT_EQ(code_of([&] { open_directory(disk.path("volume"), disk.path("plain"), wrong); }),
            Errc::wrong_key);
  fs::create_directory(disk.path("empty"));
  EXPECT_EQ(open("empty", "plain"), Errc::unknown_format);
  EXPECT_EQ(open("none", "plain"), Errc::io);
  EXPECT_EQ(open("volume", "plain", {.format = "odf"}), Errc::unknown_format);
  EXPECT_EQ(open("volume", "volume"), Errc::io);
  EXPECT_EQ(open("volume", "volume/plain/"), Errc::io);
  EXPECT_FALSE(fs::exists(disk.path("plain")));
  EXPECT_FALSE(fs::exists(disk.path("volume/plain")));
}

TEST(Encfs, EverySharedVolumeOpens) {
  if (!fs::is_directory(shared_samples()))
    GTEST_SKIP() << "the samples that are not committed are not beside the project";
  EXPECT_FALSE(shared_volumes().empty());
  for (const Volume& volume : shared_volumes()) {
    const auto source = stream::open_tree((shared_samples() / volume.name).string());
    EXPECT_EQ(recognise(*source), find_codec("encfs")) << volume.name;
    const Outcome outcome = open_volume(*source, volume.passphrase);
    EXPECT_EQ(digests(outcome.plain), volume.plain_files) << volume.name;
    EXPECT_TRUE(outcome.failed.empty()) << volume.name;
    EXPECT_EQ(code_of([&] { open_volume(*source, "another one"); }), Errc::wrong_key) << volume.name;
  }
}

}  // namespace
}  // namespace fugu::format
