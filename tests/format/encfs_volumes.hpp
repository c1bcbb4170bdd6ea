// EncFS volumes for tests, and functions that open them in memory.
#pragma once

#include "foreign_samples.hpp"
#include "support/tree.hpp"

namespace fugu::format::testing {

using test::Tree;
using test::TreeBytes;

inline constexpr const char* kConfig = ".encfs6.xml";

struct Volume {
  std::string name;
  std::string passphrase;
  Tree encrypted;
  std::map<std::string, std::string> plain_files;  // their SHA-256
  std::map<std::string, std::string> plain_links;
  std::map<std::string, int> plain_directories = {{"", 1}};
};

// The volumes that are committed with the project.
const std::vector<Volume>& volumes();
const Volume& volume_named(const char* name);

// Returns the volumes among shared_samples(), none if these do not exist. Their links and directories are not
// known.
std::vector<Volume> shared_volumes();

struct Outcome {
  Opened opened;
  Tree plain;
  std::map<std::string, Errc> failed;  // by the title of the part
};

// These throw what the codec throws.
Outcome open_volume(stream::TreeSource& source, const AskSecret& secret, std::size_t chunk_bytes = 0);
Outcome open_volume(stream::TreeSource& source, std::string_view passphrase, std::size_t chunk_bytes = 0);
Outcome open_volume(const Tree& encrypted, std::string_view passphrase, std::size_t chunk_bytes = 0);

// The configuration's name in an encrypted volume, and whether a path is one.
std::string config_name(const Tree& encrypted);
bool is_config(std::string_view path);

// Splits "a -> b" or "a b" at the separator; two empty texts if it does not occur.
std::pair<std::string, std::string> split_at(const std::string& text, const std::string& separator);

}  // namespace fugu::format::testing
