// The library's face: seal and open buffers, files, directories and streams, and recognise what a file is.
//
//   const fugu::Secret secret = fugu::Secret::passphrase("correct horse battery staple");
//   const std::vector<std::byte> sealed = fugu::seal(plaintext, secret);
//   const std::vector<std::byte> same = fugu::open(sealed, secret);
//
// Without a format, seal() writes the sealed format, which is authenticated, and open() recognises the input.
// Everything throws fugu::Error and nothing else. Nothing prints or reads the environment.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/error.hpp"
#include "fugu/export.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/mode/cipher.hpp"
#include "fugu/version.hpp"

namespace fugu {

// A passphrase or a key. Its bytes are wiped when it dies.
class FUGU_EXPORT Secret {
 public:
  static Secret passphrase(std::string_view text);
  static Secret key(std::span<const std::byte> bytes);

  format::SecretKind kind() const noexcept { return kind_; }
  const auth::SecretBytes& bytes() const noexcept { return bytes_; }

 private:
  Secret(format::SecretKind kind, auth::SecretBytes bytes) : kind_(kind), bytes_(std::move(bytes)) {}

  format::SecretKind kind_;
  auth::SecretBytes bytes_;
};

// Options of formats, by the names that a codec's rows have: {"cipher", "bf-cfb"}. Flags have an empty value.
using FormatOptions = std::vector<std::pair<std::string, std::string>>;

struct SealOptions {
  std::string_view format = {};  // a codec's name; empty: sealed
  FormatOptions options = {};
  engine::Engine* engine = nullptr;  // outlives the call; null: engine::make("auto"), for this call
};

struct OpenOptions {
  std::string_view format = {};  // a codec's name; empty: recognised
  FormatOptions options = {};
  bool accept_weak_evidence = false;  // go on where a wrong secret could not be told
  engine::Engine* engine = nullptr;   // as above
};

// Throws Error{usage} for an unknown format, options that it does not have and a secret of the wrong kind.
FUGU_EXPORT std::vector<std::byte> seal(std::span<const std::byte> plaintext, const Secret& secret,
                                        const SealOptions& options = {});
FUGU_EXPORT void seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed, const Secret& secret,
                      const SealOptions& options = {});

// `to` appears whole or not at all, and must not exist. Throws Error{io} too.
FUGU_EXPORT void seal_file(const std::string& from, const std::string& to, const Secret& secret,
                           const SealOptions& options = {});

// Throw Error{wrong_key}, Error{damaged}, Error{unknown_format} for an input that nothing recognises or whose
// evidence does not suffice, and as seal(). The sink may have received authentic parts before damage showed.
FUGU_EXPORT std::vector<std::byte> open(std::span<const std::byte> sealed, const Secret& secret,
                                        const OpenOptions& options = {});
FUGU_EXPORT format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext,
                                const Secret& secret, const OpenOptions& options = {});
FUGU_EXPORT format::Opened open_file(const std::string& from, const std::string& to, const Secret& secret,
                                     const OpenOptions& options = {});

// A file, directory or link of a container that could not be opened or written, and why.
struct FailedPart {
  std::string path;
  Error error;
};

struct OpenedDirectory {
  format::Opened opened;
  std::vector<FailedPart> failed;  // the others are there
};

// `from` is a directory that is a container, as EncFS has them; what it holds goes into the directory `to`,
// which is made where there is none. Each file appears whole or not at all, and must not exist. Throws as
// open_file() where none can be opened.
FUGU_EXPORT OpenedDirectory open_directory(const std::string& from, const std::string& to,
                                           const Secret& secret, const OpenOptions& options = {});

// The codecs that recognise the beginning of an input, base64 and hexadecimal digits undone: none, one, or
// those between which only open() decides. No secret is needed.
FUGU_EXPORT std::vector<const format::Codec*> recognise(std::span<const std::byte> input);

}  // namespace fugu
