// Every EncFS volume, damaged: its configuration and its files cut at each length, and with each bit changed
// of what is not enciphered. An Error comes out or a tree, nothing else, and every file that is not in it is
// named.
//
// With FUGU_EVERY_DAMAGE in the environment more of it: foreign_damage_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "encfs_volumes.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing
using test::Tree;
using test::TreeBytes;

class NotTold : public std::exception {};

const auth::SecretBytes& do_not_tell() {
  throw NotTold();
}

// Those that the program made by itself derive their keys in as many steps as it finds good.
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
  // Whether a volume of `config` alone opened. Dear ones are read until the passphrase is asked for.
  bool opens(const Volume& volume, Bytes config) {
    ++tried_;
    Tree tree;
    tree.files[kConfig] = std::move(config);
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

  // Opens the volume with `change` made to each of its files.
  void change_files(const Volume& volume, const std::function<void(Bytes&)>& change) {
    ++tried_;
    Tree changed = volume.encrypted;
    for (auto& [path, bytes] : changed.files) {
      if (path != kConfig) change(bytes);
    }
    const Outcome outcome = open_volume(changed, volume.passphrase);
    for (const auto& [path, bytes] : outcome.plain.files)
      EXPECT_EQ(volume.plain_files.count(path), 1U) << path;
    EXPECT_GE(outcome.plain.files.size() + outcome.failed.size(), volume.plain_files.size());
  }

  void TearDown() override {  // into what --gtest_output writes
    RecordProperty("damaged_volumes", std::to_string(tried_));
  }

 private:
  std::size_t tried_ = 0;
};

TEST_F(EncfsDamage, ConfigurationCutAnywhere) {
  for (const Volume& volume : all_volumes()) {
    const Bytes& config = volume.encrypted.files.at(kConfig);
    for (std::size_t bytes = 0; bytes < config.size(); ++bytes) {
      const Bytes cut(config.begin(), config.begin() + static_cast<std::ptrdiff_t>(bytes));
      const bool is_whole = config.size() - bytes <= 1;  // without the line's end
      EXPECT_EQ(opens(volume, cut), is_whole) << volume.name << " cut to " << bytes;
    }
  }
}

TEST_F(EncfsDamage, ConfigurationWithAnyBitChanged) {
  const std::size_t stride = every_damage() ? 1 : 7;  // a bit of each byte
  for (const Volume& volume : all_volumes()) {
    Bytes config = volume.encrypted.files.at(kConfig);
    for (std::size_t bit = 0; bit < 8 * config.size(); bit += stride) {
      const auto mask = static_cast<std::byte>(1U << bit % 8);
      config[bit / 8] ^= mask;
      opens(volume, config);
      config[bit / 8] ^= mask;
    }
  }
}

TEST_F(EncfsDamage, FilesCutAnywhere) {
  for (const Volume& volume : all_volumes()) {
    SCOPED_TRACE(volume.name);
    std::size_t longest = 0;
    for (const auto& [path, bytes] : volume.encrypted.files)
      if (path != kConfig) longest = std::max(longest, bytes.size());
    const std::size_t dear = every_damage() ? 7 : 1021, others = every_damage() ? 1 : 3;  // no divisors of a block
    for (std::size_t bytes = 0; bytes < longest; bytes += is_dear(volume) ? dear : others)
      change_files(volume, [&](Bytes& file) { file.resize(std::min(file.size(), bytes)); });
  }
}

TEST_F(EncfsDamage, FilesWithAnyBitOfTheirHeadersChanged) {
  constexpr std::size_t kHeaderAndMacBits = 8 * 16;
  for (const Volume& volume : all_volumes()) {
    SCOPED_TRACE(volume.name);
    const std::size_t seldom = is_dear(volume) ? 37 : 3, stride = every_damage() ? 1 : seldom;
    for (std::size_t bit = 0; bit < kHeaderAndMacBits; bit += stride)
      change_files(volume, [&](Bytes& file) {
        if (bit / 8 < file.size()) file[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      });
  }
}

}  // namespace
}  // namespace fugu::format
