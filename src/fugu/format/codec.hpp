// The seam of formats: what a format is to everyone who does not implement it.
//
// A Codec is a row of one table (codecs()). The program, the library's face, Python and the tests learn from
// the rows which formats exist, which options they have and what tells a wrong passphrase; none of them names
// a format. To add one: a folder of its own here, a row in codecs.cpp, a row in tools/check_layers, tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/error.hpp"
#include "fugu/export.hpp"
#include "fugu/format/evidence.hpp"
#include "fugu/format/job.hpp"
#include "fugu/format/option.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::format {

// The verdict on the beginning of a file. `perhaps`: a weak magic, or one that formats share; open() decides.
enum class Recognition : std::uint8_t { no, perhaps, by_magic };

enum class SecretKind : std::uint8_t { passphrase, key };

// Abilities of a codec: bits of Codec::abilities.
enum class Ability : std::uint8_t {
  open = 1,
  seal = 2,
  range = 4,    // open() of a part, from a source that can seek (option "range")
  salvage = 8,  // open() of a damaged file, with zeros in place of what is lost (option "salvage")
  rekey = 16,
  watch = 32,  // open() shows Job::watcher what it does
  tree = 64,   // open_tree(): its containers are directories
};

// The secret that a caller has: its kind is known, its bytes are asked for. A codec asks after it has
// understood the header, so nobody types a passphrase for a file that is damaged or of another format; it may
// ask more than once and gets the same bytes.
class FUGU_EXPORT AskSecret {
 public:
  AskSecret(SecretKind kind, std::function<const auth::SecretBytes&()> ask)
      : kind_(kind), ask_(std::move(ask)) {}

  // `bytes` outlive it.
  AskSecret(SecretKind kind, const auth::SecretBytes& bytes)
      : AskSecret(kind, [&bytes]() -> const auth::SecretBytes& { return bytes; }) {}
  AskSecret(SecretKind kind, auth::SecretBytes&& bytes) = delete;

  SecretKind kind() const { return kind_; }

  // Throws Error{wrong_key} for the other kind, and what asking throws.
  const auth::SecretBytes& operator()(SecretKind wanted) const;

 private:
  SecretKind kind_;
  std::function<const auth::SecretBytes&()> ask_;
};

struct OpenRequest {
  const OptionValues& options;
  AskSecret secret;
  bool accept_weak_evidence = false;  // the user's --yes
};

struct SealRequest {
  const OptionValues& options;
  AskSecret secret;
};

// Plaintext bytes of the input, first to first + count - 1.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// The parts that a salvage could not save.
struct SalvageReport {
  std::vector<ByteRange> lost;  // in order, merged; zeros stand in their place
  bool end_lost = false;        // where the data end is not known

  bool whole() const { return lost.empty() && !end_lost; }
};

// The findings of open().
struct Opened {
  std::string parameters;          // for people: "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"
  Evidence evidence;               // that the secret was the right one
  bool authenticated = false;      // every byte released was covered by a MAC that matched
  bool by_trial = false;           // the parameters were found, not given or stored
  bool all_content = true;         // nothing was left out (a range, a signature, padding that may be data)
  std::vector<std::string> notes;  // for people, one line each, without the file's name
  SalvageReport salvage;
};

// A directory that is a container, and the directory that gets what it holds.
struct TreeJob {
  engine::Engine& engine;
  stream::TreeSource& source;
  stream::TreeSink& sink;
  std::size_t chunk_bytes = 0;  // as in Job
  stream::PumpCounters* counters = nullptr;

  // Told of each part that could not be opened or written, and why; the others go on. `part`: its path in the
  // sink, and in the source as well where that differs.
  std::function<void(const std::string& part, const Error& error)> failed = {};
};

// One line of what a file says about itself. Lines with a key go into JSON, lines with a label into text.
struct DescriptionField {
  using Value = std::variant<std::monostate, bool, std::uint64_t, std::string>;

  std::string key;    // JSON: "ciphertext_bytes"; empty: text only
  Value value;        // JSON; monostate is null
  std::string label;  // text: "ciphertext"; empty: JSON only
  std::string text;   // text: "1024 bytes"
};

struct Description {
  std::string title;  // text: "sealed, version 1"
  std::vector<DescriptionField> fields;
  bool often_text = false;  // its programs write base64 as well, so that "binary" is worth saying
};

// A function in a row of a table, behind the border of the library (error.hpp). May be null.
template <class Signature>
class RowFunction;

template <class Result, class... Arguments>
class RowFunction<Result(Arguments...)> {
 public:
  constexpr RowFunction(Result (*function)(Arguments...) = nullptr) : function_(function) {}

  Result operator()(Arguments... arguments) const {
    return with_errors_only([&] { return function_(arguments...); });
  }

  friend constexpr bool operator==(RowFunction function, std::nullptr_t) {
    return function.function_ == nullptr;
  }

 private:
  Result (*function_)(Arguments...);
};

struct Codec {
  std::string_view name;          // as --format takes it: "openssl"
  std::string_view extension;     // of files it seals, with the dot; empty: it seals none of its own
  std::string_view summary;       // one line: "openssl enc with Blowfish"
  std::string_view made_by;       // programs that write it
  std::string_view details = {};  // sentences for the manual: what it protects, its limits
  std::string_view wrong_secret;  // what tells a wrong passphrase or key: "a MAC per segment", "nothing"
  std::uint8_t abilities = 0;     // bits of Ability
  std::uint8_t secrets = 0;       // bits 1 << SecretKind
  std::size_t max_key_bytes = 0;  // where a key can be given
  std::size_t specified_key_bytes = 0;  // a longer key is worth a note; 0: none is

  // The most that the format's own program reads of a passphrase file, in which a NUL ends it too. 0: all.
  std::size_t passphrase_file_bytes = 0;

  std::span<const OptionRow> options;

  // `head`: the first kRecogniseBytes or all of a shorter input, undone from base64 and hex. `size_bytes`:
  // of the whole input where it is known. Throws Error{memory} alone. Null where no file says that it is of
  // this format.
  RowFunction<Recognition(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes)>
      recognise = {};

  // Throws Error{usage} for options that mean nothing together, or less than it needs. Null: all go together.
  RowFunction<void(const OptionValues& options, OptionUse use)> check = {};

  // Decrypts job.source into job.sink. Nothing is written before the secret has been judged
  // (require_evidence). Throws Error{wrong_key}, {damaged}, {unknown_format}, {usage}, and what the job's
  // parts throw.
  RowFunction<Opened(const Job& job, const OpenRequest& request)> open = {};

  // For containers that are directories: the file in them that recognise() and describe() get. open() of
  // that file alone says that it takes the directory. Empty for all others.
  std::string_view tree_head = {};

  // Decrypts what job.source holds into job.sink. Nothing is written before the secret has been judged.
  // Throws as open(), but not for a single part. Null without Ability::tree.
  RowFunction<Opened(const TreeJob& job, const OpenRequest& request)> open_tree = {};

  // Encrypts job.source into job.sink; returns the parameters for people. Null without Ability::seal.
  RowFunction<std::string(const Job& job, const SealRequest& request)> seal = {};

  // Reads no more than it needs and asks for no secret.
  RowFunction<Description(stream::Source& source, const OptionValues& options)> describe = {};

  // Copies job.source into job.sink under a new secret. Null without Ability::rekey.
  RowFunction<void(const Job& job, const OpenRequest& now, const AskSecret& new_secret)> rekey = {};

  // Whether its blocks must be worked on one after the other, so that a file keeps one core busy.
  RowFunction<bool(const OptionValues& options, core::Direction direction)> is_serial = {};

  // The extension of a file that open() reads beside its input. Empty for all others.
  std::string_view companion = {};

  // Its content is passwords: the program shows them on no terminal unless its user insists.
  bool holds_passwords = false;

  bool can(Ability ability) const { return (abilities & static_cast<std::uint8_t>(ability)) != 0; }
  bool takes(SecretKind kind) const { return (secrets >> static_cast<unsigned>(kind) & 1) != 0; }
};

constexpr std::uint8_t abilities(std::initializer_list<Ability> all) {
  std::uint8_t bits = 0;
  for (const Ability one : all) bits = static_cast<std::uint8_t>(bits | static_cast<std::uint8_t>(one));
  return bits;
}

constexpr std::uint8_t secrets(std::initializer_list<SecretKind> all) {
  std::uint8_t bits = 0;
  for (const SecretKind one : all) bits = static_cast<std::uint8_t>(bits | 1U << static_cast<unsigned>(one));
  return bits;
}

inline constexpr std::size_t kRecogniseBytes = 4096;

// The one table, weakest magic last.
FUGU_EXPORT std::span<const Codec* const> codecs();

// What seals where no format is named: the first in the table.
FUGU_EXPORT const Codec& default_codec();

// Null when no codec has this name.
FUGU_EXPORT const Codec* find_codec(std::string_view name);

// What is said where nothing recognises an input: which options name the format of one without a header.
FUGU_EXPORT std::string headerless_hint();

// Those that recognise the input: all by magic, or, without one, all that say perhaps.
FUGU_EXPORT std::vector<const Codec*> recognise(std::span<const std::byte> head,
                                                std::optional<std::uint64_t> size_bytes);

}  // namespace fugu::format
