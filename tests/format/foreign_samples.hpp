// Sample files of other programs, and opening them through their codecs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fugu/format/codec.hpp"
#include "memory.hpp"

namespace fugu::format::testing {

// A row of a manifest.tsv.
struct Sample {
  std::string file;  // "vim/03_b1.vim"
  std::string parameters;
  Bytes passphrase;
  std::string plaintext_sha256;  // lower-case hex
  Bytes bytes;

  // The folder it is in, which is the codec's name.
  std::string codec() const { return file.substr(0, file.find('/')); }
};

// Rows of `folder`/manifest.tsv whose file is there.
std::vector<Sample> read_samples(const std::filesystem::path& folder);

// Where samples that are not committed may lie, beside the project.
std::filesystem::path shared_samples();

// Whether all damage is to be done to them that some minutes allow: FUGU_EVERY_DAMAGE is in the environment.
bool every_damage();

// Those committed with the project, but for documents and directories.
const std::vector<Sample>& samples();

// Its OpenDocument files. A plaintext is in what comes out, so that none is named.
const std::vector<Sample>& documents();

// These, and the shared ones that are not among them.
const std::vector<Sample>& all_samples();

// The options that FILE's parameters stand for: what its format does not store and fugu does not find.
using GivenOptions = std::map<std::string, std::string>;
GivenOptions options_for(const Sample& sample);

struct Result {
  Opened opened;
  Bytes plaintext;
};

struct How {
  GivenOptions options = {};
  Seekable seekable = Seekable::yes;
  std::size_t chunk_bytes = 0;
  bool accept_weak_evidence = false;
};

// Throw what the codec throws, and std::logic_error where it finished an output and failed.
Result open_with(std::string_view codec, std::span<const std::byte> file, const AskSecret& secret,
                 const How& how = {});
Result open_with(std::string_view codec, std::span<const std::byte> file, std::span<const std::byte> secret,
                 const How& how = {});
Bytes seal_with(std::string_view codec, std::span<const std::byte> plaintext,
                std::span<const std::byte> secret, const GivenOptions& options = {});

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace fugu::format::testing
