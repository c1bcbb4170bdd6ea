// The library's face: seal and open buffers, files, directories and streams, and recognise what a file is.
//
//   const fugu::Secret secret = fugu::Secret::passphrase("correct horse battery staple");
//   const std::vector<std::byte> sealed = fugu::seal(plaintext, secret);
//   const std::vector<std::byte> same = fugu::open(sealed, secret);
//
// By default seal() writes the sealed format, which is authenticated, and open() recognises the input. All
// functions throw as error.hpp says. None prints or reads the environment.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/error.hpp"
#include "fugu/format/opened.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"
#include "fugu/version.hpp"

namespace fugu::auth {
class DerivedKeys;
}
namespace fugu::engine {
class Engine;
}
namespace fugu::format {
class AskSecret;
struct Codec;
class Watcher;
}  // namespace fugu::format
namespace fugu::stream {
struct PumpCounters;
class TreeSink;
class TreeSource;
}  // namespace fugu::stream

namespace fugu {

// A passphrase or a key. Its bytes are wiped on destruction.
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

// Options of formats, named as in the codec's rows: {"cipher", "bf-cfb"}. Flags have an empty value.
using FormatOptions = std::vector<std::pair<std::string, std::string>>;

// The encrypted side as text: base64 or hexadecimal digits.
struct TextForm {
  format::TextEncoding encoding = format::TextEncoding::base64;
  stream::TextLines lines = stream::TextLines::wrapped;
};

struct SealOptions {
  std::string_view format = {};  // a codec's name; empty: sealed
  FormatOptions options = {};
  engine::Engine* engine = nullptr;   // outlives the call; null: engine::make("auto"), for this call
  std::optional<TextForm> text = {};  // empty: binary
  std::size_t chunk_bytes = 0;        // as in format::Job
  std::stop_token stop = {};          // requested: the call ends with Error{interrupted}
};

struct OpenOptions {
  std::string_view format = {};  // a codec's name; empty: recognised
  FormatOptions options = {};
  bool accept_weak_evidence = false;                  // go on even if a wrong secret could go unnoticed
  bool salvage = false;                               // keep what damage leaves: Opened::salvage says what
  engine::Engine* engine = nullptr;                   // as above
  std::optional<format::TextEncoding> encoding = {};  // empty: text is recognised
  std::string_view name = {};  // the input's: its extension may reveal a format that the content does not
  std::size_t chunk_bytes = 0;
  std::stop_token stop = {};          // as above
  Spelling spelling = Spelling::cpp;  // of notes, if a Secret is given; observers spell their own

  // seal() has written the input with the same format and options: its defaults hold, and nothing is tried.
  bool made_by_seal = false;
};

// No codec recognises the input. The text says what it looks like.
class FUGU_EXPORT NotRecognised : public Error {
 public:
  using Error::Error;
};

// A caller's part in seal() and open(): supplies the secret when it is needed, chooses, and watches.
class FUGU_EXPORT Observer {
 public:
  virtual ~Observer() = default;

  virtual format::SecretKind secret_kind() const = 0;

  // Called once the codec has understood the input, possibly several times. The result must live until seal()
  // or open() returns. May throw.
  virtual const auth::SecretBytes& secret(const format::Codec& codec) = 0;

  // Whether secret() answers without asking anyone. Then formats that only a passphrase reveals are tried.
  virtual bool knows_secret() const { return true; }

  // Called for an input that several codecs recognise. The default throws Error{unknown_format}.
  virtual const format::Codec& choose(std::span<const format::Codec* const> candidates);

  // Called when the codec is known, before the secret is requested. May refuse the input by throwing.
  virtual void begin(const format::Codec&) {}

  // Called for each part of a container that could not be opened or written; the others go on. The path is
  // that in the sink, and also in the source where that differs.
  virtual void failed(const std::string& /*part*/, const Error& /*reason*/) {}

  // secret() as codecs call it.
  format::AskSecret ask(const format::Codec& codec);

  bool was_asked() const noexcept { return asked_; }

  // "; the passphrase was not tried", of damage found before it was requested; else empty.
  std::string untried(const Error& error) const;

  stream::PumpCounters* counters = nullptr;  // updated during the work
  auth::DerivedKeys* derived = nullptr;      // remembers what is derived from secret(), over several calls
  format::Watcher* watcher = nullptr;        // of open(), with a codec that has Ability::watch
  bool can_save = false;  // set by open() that throws: whether OpenOptions::salvage gives something

 private:
  bool awaits_secret_ = false;
  bool asked_ = false;
};

// Throws Error{usage} for an unknown format, options that it does not have, a secret of the wrong kind, and a
// passphrase that is empty or longer than format::kMaxPassphraseBytes. Returns the parameters, for people.
FUGU_EXPORT std::vector<std::byte> seal(std::span<const std::byte> plaintext, const Secret& secret,
                                        const SealOptions& options = {});
FUGU_EXPORT std::string seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed,
                             const Secret& secret, const SealOptions& options = {});
FUGU_EXPORT std::string seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed,
                             Observer& observer, const SealOptions& options = {});

// `to` must not exist; it appears whole or not at all. Also throws Error{io}.
FUGU_EXPORT void seal_file(const std::string& from, const std::string& to, const Secret& secret,
                           const SealOptions& options = {});

// Throw Error{wrong_key}, Error{damaged}, Error{unknown_format} for an input that no codec recognises or
// whose evidence does not suffice, and as seal(). The sink may have received authentic parts before damage
// was found.
FUGU_EXPORT std::vector<std::byte> open(std::span<const std::byte> sealed, const Secret& secret,
                                        const OpenOptions& options = {});
FUGU_EXPORT format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext,
                                const Secret& secret, const OpenOptions& options = {});
FUGU_EXPORT format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext,
                                Observer& observer, const OpenOptions& options = {});

// The same for a container that is a directory. Throws only when nothing of it can be opened.
FUGU_EXPORT format::Opened open(stream::TreeSource& sealed, stream::TreeSink& plaintext, Observer& observer,
                                const OpenOptions& options = {});
FUGU_EXPORT format::Opened open_file(const std::string& from, const std::string& to, const Secret& secret,
                                     const OpenOptions& options = {});

// A file, directory or link of a container that could not be opened or written, and the reason.
struct FailedPart {
  std::string path;
  Error error;
};

struct OpenedDirectory {
  format::Opened opened;
  std::vector<FailedPart> failed;  // all others were written
};

// Opens a container that is a directory, such as EncFS's. Its contents go into the directory `to`, which is
// created if missing. Each file must not exist; it appears whole or not at all. Throws as open_file() when
// none can be opened.
FUGU_EXPORT OpenedDirectory open_directory(const std::string& from, const std::string& to,
                                           const Secret& secret, const OpenOptions& options = {});

// The codecs that recognise the beginning of an input, decoded from base64 and hexadecimal: none, one, or
// those between which only open() can decide. Needs no secret.
FUGU_EXPORT std::vector<const format::Codec*> recognise(std::span<const std::byte> input);

}  // namespace fugu
