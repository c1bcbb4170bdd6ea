// Sample files of other programs, and functions that open them through their codecs.
#pragma once

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

  // Returns the folder of the file, which is the codec's name.
  std::string codec() const { return file.substr(0, file.find('/')); }
};

// Returns the rows of `folder`/manifest.tsv whose files exist.
std::vector<Sample> read_samples(const std::filesystem::path& folder);

// Returns the folder beside the project in which samples may lie that are not committed.
std::filesystem::path shared_samples();

// Returns the rows of that folder and of another one like it; none if they are missing.
std::vector<Sample> read_shared_samples();

// Whether the digest of the sample's plaintext leaves out the last line end.
bool has_line_end(const Sample& sample);

// Whether to do all damage that some minutes allow: FUGU_EVERY_DAMAGE is in the environment. It is a part of
// the names of the samples to which salvage_test then does it, or empty.
const char* every_damage();

// The samples that are committed with the project, without documents and directories.
const std::vector<Sample>& samples();

// One of them. Throws std::logic_error if it is not there.
const Sample& sample_named(std::string_view file);

// The project's OpenDocument files. The plaintext is a part of the output, so no digest is given.
const std::vector<Sample>& documents();

// All samples and documents, with the shared ones that are not among them.
const std::vector<Sample>& all_samples();

// Samples and documents that are committed.
std::vector<Sample> committed();

// The codecs with samples among these, without those of directories.
std::vector<std::string_view> codecs_of(const std::vector<Sample>& of);

// Files of nppcrypt with its bcrypt are refused with its name.
bool is_refused(const Sample& sample);

// Returns options for the sample's parameters that its format does not store and fugu does not find.
using GivenOptions = std::map<std::string, std::string>;
GivenOptions options_for(const Sample& sample);
SecretKind secret_kind_of(std::string_view codec, const GivenOptions& options);
OptionValues values_for(const Codec& codec, const GivenOptions& options);

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

// These throw what the codec throws, and std::logic_error if the codec fails after it finished its output.
Result open_with(std::string_view codec, std::span<const std::byte> file, const AskSecret& secret,
                 const How& how = {});
Result open_with(std::string_view codec, std::span<const std::byte> file, std::span<const std::byte> secret,
                 const How& how = {});
Result open_sample(const Sample& sample, const How& how = {});
Bytes seal_with(std::string_view codec, std::span<const std::byte> plaintext, const AskSecret& secret,
                const GivenOptions& options = {});
Bytes seal_with(std::string_view codec, std::span<const std::byte> plaintext,
                std::span<const std::byte> secret, const GivenOptions& options = {});

// The answer to a question for a secret that nobody tells.
class NotTold : public std::exception {};
const auth::SecretBytes& do_not_tell();

Bytes base64_of(std::span<const std::byte> bytes);  // in lines of 64, as openssl enc -a has them

// Encrypts whole blocks by OpenSSL's Blowfish in cbc. An IV that ends early is filled up with zeros.
Bytes openssl_cbc(std::span<const std::byte> key, std::span<const std::byte> iv, Bytes plaintext);

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace fugu::format::testing
