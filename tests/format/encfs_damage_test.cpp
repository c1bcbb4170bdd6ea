// Damages every EncFS volume: cuts its configuration and its files at each length, and changes each bit of
// the parts that are not encrypted. The result is an Error or a tree, and every file that the tree lacks is
// named.
//
// FUGU_EVERY_DAMAGE in the environment means more damage, see foreign_damage_test.cpp.
#include "encfs_volumes.hpp"

namespace fugu::format {
namespace {

// These volumes were made by the program itself, which chose numbers of iterations that take long.
bool is_dear(const Volume& volume) {
  return volume.name.starts_with("encfs/");
}

std::vector<Volume> all_volumes() {
  std::vector<Volume> all = volumes();
  for (Volume& volume : shared_volumes()) all.push_back(std::move(volume));
  return all;
}

class EncfsDamage : public ::testing::Test {
 protected:
  // Returns whether a volume that is only `config` opens. If it is dear, it is only read until the passphrase
  // is asked for.
  bool opens(const Volume& volume, Bytes config) {
    ++tried_;
    Tree tree;
    tree.files[config_name(volume.encrypted)] = std::move(config);
    TreeBytes source(tree);
    try {
      if (is_dear(volume)) {
        open_volume(source, AskSecret(SecretKind::passphrase, do_not_tell));
      } else {
        open_volume(source, volume.passphrase);
      }
      return true;
    } catch (const NotTold&) {
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  // Opens the volume after `change` was applied to each of its files.
  void change_files(const Volume& volume, const std::function<void(Bytes&)>& change) {
    ++tried_;
    Tree changed = volume.encrypted;
    for (auto& [path, bytes] : changed.files) {
      if (!is_config(path)) change(bytes);
    }
    const Outcome outcome = open_volume(changed, volume.passphrase);
    for (const auto& [path, bytes] : outcome.plain.files)
      EXPECT_EQ(volume.plain_files.count(path), 1U) << path;
    EXPECT_GE(outcome.plain.files.size() + outcome.failed.size(), volume.plain_files.size());
  }

  void TearDown() override {  // the output of --gtest_output shows the number
    RecordProperty("damaged_volumes", std::to_string(tried_));
  }

 private:
  std::size_t tried_ = 0;
};

TEST_F(EncfsDamage, ConfigurationCutAnywhere) {
  for (const Volume& volume : all_volumes()) {
    const Bytes& config = volume.encrypted.files.at(config_name(volume.encrypted));
    for (std::size_t bytes = 0; bytes < config.size(); ++bytes) {
      const bool is_whole = config.back() == std::byte{'\n'} && config.size() - bytes == 1;
      EXPECT_EQ(opens(volume, slice(config, 0, bytes)), is_whole) << volume.name << " cut to " << bytes;
    }
  }
}

TEST_F(EncfsDamage, ConfigurationWithAnyBitChanged) {
  const std::size_t stride = every_damage() != nullptr ? 1 : 7;  // 7 changes one or two bits per byte
  for (const Volume& volume : all_volumes()) {
    const Bytes& config = volume.encrypted.files.at(config_name(volume.encrypted));
    for (std::size_t bit = 0; bit < 8 * config.size(); bit += stride)
      opens(volume, flipped(config, bit / 8, 1U << bit % 8));
  }
}

TEST_F(EncfsDamage, FilesCutAnywhere) {
  for (const Volume& volume : all_volumes()) {
    SCOPED_TRACE(volume.name);
    std::size_t longest = 0;
    for (const auto& [path, bytes] : volume.encrypted.files)
      if (!is_config(path)) longest = std::max(longest, bytes.size());
    const std::size_t dear = every_damage() != nullptr ? 7 : 1021,
                      others =
                          every_damage() != nullptr ? 1 : 3 * test::step(7);  // no divisors of a block's size
    for (std::size_t bytes = 0; bytes < longest; bytes += is_dear(volume) ? dear : others)
      change_files(volume, [&](Bytes& file) { file.resize(std::min(file.size(), bytes)); });
  }
}

// codec.hpp says what follows a container's end: what is appended to a file is either refused or more of it.
TEST_F(EncfsDamage, BytesAfterTheEndOfAnyFile) {
  for (const Volume& volume : all_volumes()) {
    if (is_dear(volume) && every_damage() == nullptr) continue;
    SCOPED_TRACE(volume.name);
    for (const std::size_t bytes : {1U, 8U, 16U, 4096U}) {
      Tree longer = volume.encrypted;
      for (auto& [path, file] : longer.files) {
        if (!is_config(path)) file.resize(file.size() + bytes);
      }
      const Outcome outcome = open_volume(longer, volume.passphrase);
      for (const auto& [path, file] : outcome.plain.files) {
        if (file.empty()) continue;  // eight bytes are a header without content, which EncFS writes too
        EXPECT_NE(sha256_hex(file), volume.plain_files.at(path)) << path << " and " << bytes << " zeros";
      }
    }
  }
}

TEST_F(EncfsDamage, BytesAfterTheEndOfTheConfiguration) {
  for (const Volume& volume : all_volumes()) {
    const Bytes& config = volume.encrypted.files.at(config_name(volume.encrypted));
    const auto opens_with = [&](const Bytes& suffix) { return opens(volume, config + suffix); };
    const bool is_xml = config_name(volume.encrypted) == kConfig;
    EXPECT_EQ(opens_with(bytes_of("\r\n \t\n")), is_xml) << volume.name;
    for (const Bytes& suffix : {Bytes(1), Bytes(4096), bytes_of("text"), bytes_of("<cfg/>"), config})
      EXPECT_FALSE(opens_with(suffix)) << volume.name << " and " << suffix.size() << " bytes";
  }
}

TEST_F(EncfsDamage, FilesWithAnyBitOfTheirHeadersChanged) {
  constexpr std::size_t kHeaderAndMacBits = 8 * 16;
  for (const Volume& volume : all_volumes()) {
    SCOPED_TRACE(volume.name);
    const std::size_t seldom = is_dear(volume) ? 37 : test::kSanitized ? 7 : 3;
    const std::size_t stride = every_damage() != nullptr ? 1 : seldom;
    for (std::size_t bit = 0; bit < kHeaderAndMacBits; bit += stride)
      change_files(volume, [&](Bytes& file) {
        if (bit / 8 < file.size()) file[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      });
  }
}

}  // namespace
}  // namespace fugu::format
