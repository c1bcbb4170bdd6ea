// EncFS volumes, and opening them in memory.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foreign_samples.hpp"
#include "support/tree.hpp"

namespace fugu::format::testing {

inline constexpr const char* kConfig = ".encfs6.xml";

struct Volume {
  std::string name;
  std::string passphrase;
  test::Tree encrypted;
  std::map<std::string, std::string> plain_files;  // their SHA-256
  std::map<std::string, std::string> plain_links;
  std::map<std::string, int> plain_directories = {{"", 1}};
};

// Those committed with the project.
const std::vector<Volume>& volumes();
const Volume& volume_named(const char* name);

// Those among shared_samples(); none where that is not there. What they have of links and directories is not
// known.
std::vector<Volume> shared_volumes();

struct Outcome {
  Opened opened;
  test::Tree plain;
  std::map<std::string, Errc> failed;  // by the part's title
};

// Throw what the codec throws.
Outcome open_volume(stream::TreeSource& source, const AskSecret& secret, std::size_t chunk_bytes = 0);
Outcome open_volume(stream::TreeSource& source, std::string_view passphrase, std::size_t chunk_bytes = 0);
Outcome open_volume(const test::Tree& encrypted, std::string_view passphrase, std::size_t chunk_bytes = 0);

// "a -> b" or "a b", taken apart; two empty texts where it is neither.
std::pair<std::string, std::string> split_at(const std::string& text, const std::string& separator);

}  // namespace fugu::format::testing
