// The interface of formats: all that other code knows of one.
//
// A Codec is a row of one table (codecs()). The program, the library's face, Python and the tests learn from
// the rows which formats exist, which options they have and what reveals a wrong passphrase; none of them
// names a format. To add one: a folder of its own here, its row declared in detail/codecs.hpp and named in
// codecs.cpp, sample files in vectors/foreign, and a row in tests/format/after_end_test.cpp.
//
// What follows the end of a container is damage: Error{damaged}, or {wrong_key} where a check at the end
// comes first. What a format itself defines as meaningless there may be left out instead; a note then says
// so, and all_content is false, so that --rm keeps the input. White space after a text encoding is part of
// it. A format that does not say where it ends takes all bytes for ciphertext, but for a second header
// (Lookahead::expect_no_more()).
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "fugu/auth/derived_keys.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "fugu/format/opened.hpp"
#include "fugu/format/option.hpp"
#include "fugu/format/units.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::format {

// The verdict on the beginning of a file. `perhaps` means a weak or shared magic; open() decides.
enum class Recognition : std::uint8_t { no, perhaps, by_magic };

// Abilities of a codec, which its functions and options show.
enum class Ability : std::uint8_t {
  open,
  seal,
  range,    // open() can decrypt a range, from a seekable source (option "range")
  salvage,  // open() keeps what damage leaves (salvage.hpp)
  rekey,
  watch,  // open() reports to Job::watcher
  tree,   // open_tree(): its containers are directories
};

// A caller's secret: its kind is known, its bytes are requested. A codec asks after it has understood the
// header, so that nobody types a passphrase for a damaged file or another format. It may ask more than once
// and gets the same bytes.
class FUGU_EXPORT AskSecret {
 public:
  // `derived` remembers what is derived from the secret, and outlives this; null: nothing is remembered.
  AskSecret(SecretKind kind, std::function<const auth::SecretBytes&()> ask,
            auth::DerivedKeys* derived = nullptr)
      : kind_(kind), ask_(std::move(ask)), derived_(derived) {}

  // `bytes` outlive it.
  AskSecret(SecretKind kind, const auth::SecretBytes& bytes)
      : AskSecret(kind, [&bytes]() -> const auth::SecretBytes& { return bytes; }) {}
  AskSecret(SecretKind kind, auth::SecretBytes&& bytes) = delete;

  SecretKind kind() const { return kind_; }
  auth::DerivedKeys* derived() const { return derived_; }

  // Throws Error{wrong_key} for the other kind, and whatever the request throws.
  const auth::SecretBytes& operator()(SecretKind wanted) const;

 private:
  SecretKind kind_;
  std::function<const auth::SecretBytes&()> ask_;
  auth::DerivedKeys* derived_ = nullptr;
};

// The longest passphrase that data is sealed under: the program reads none that is longer.
inline constexpr std::size_t kMaxPassphraseBytes = 4096;

// Throws Error{usage} for a passphrase that nothing may be sealed under: an empty or a longer one.
FUGU_EXPORT void check_new_passphrase(const auth::SecretBytes& passphrase);

struct OpenRequest {
  const OptionValues& options;
  AskSecret secret;
  bool accept_weak_evidence = false;  // the user's --yes
};

struct SealRequest {
  const OptionValues& options;
  AskSecret secret;
};

// A directory that is a container, and the directory for its contents.
struct TreeJob {
  engine::Engine& engine;
  stream::TreeSource& source;
  stream::TreeSink& sink;
  std::size_t chunk_bytes = 0;  // as in Job
  stream::PumpCounters* counters = nullptr;
  // Called for each part that could not be opened or written, with the reason; the others go on. `part` is
  // its path in the sink, and also in the source where that differs.
  std::function<void(const std::string& part, const Error& error)> failed = {};

  std::stop_token stop = {};  // as in Job
  bool salvages = false;      // `failed` is then told of damaged parts that were written, too
};

// One line of a file's description. Lines with a key go into JSON, lines with a label into text.
struct DescriptionField {
  using Value = std::variant<std::monostate, bool, std::uint64_t, std::string>;

  std::string key;    // JSON: "ciphertext_bytes"; empty: text only
  Value value;        // JSON; monostate is null
  std::string label;  // text: "ciphertext"; empty: JSON only
  std::string text;   // text: "1024 bytes"
};

struct Description {
  std::string title;  // text: "sealed, version 1"
  std::vector<DescriptionField> fields = {};
  bool often_text = false;  // its programs write base64 as well, so "binary" is worth stating

  // Lines whose text is the value: a number is followed by its unit, a flag is "yes" or "no". Private to
  // format.
  void add_text(const char* key, const char* label, const std::string& text);
  void add_number(const char* key, const char* label, std::uint64_t number, std::string_view unit = "");
  void add_flag(const char* key, const char* label, bool flag);
};

// For a format whose files several processes can work on, a range of units each.
struct Units {
  // Plans for a plaintext of `plain_bytes`. Throws as Codec::seal, and Error{usage} for a serial chain.
  UnitPlan (*plan_seal)(std::uint64_t plain_bytes, const SealRequest& request);

  // The job's source is seekable; nothing is written to its sink. Throws as Codec::open does, and
  // Error{usage} if an option or the content needs the whole file at once.
  UnitPlan (*plan_open)(const Job& job, const OpenRequest& request, Opened& opened);

  // The units of the plan's file. Their run() throws as Codec::seal and Codec::open.
  UnitWork (*work)(const UnitPlan& plan);
};

// What one message says about itself.
struct MessageFindings {
  double bits = 0;          // of evidence that the secret is right
  bool all_content = true;  // as in Opened

  // A wrong key makes this plaintext at random, whatever it makes of messages of other blocks: they share no
  // keystream.
  bool is_independent = false;
};

// Many short messages under one secret, whose key schedule is made once where the format allows it.
class MessageCipher {
 public:
  virtual ~MessageCipher() = default;

  // Replaces the message by its plaintext, or the plaintext by a message. Thread-safe. Throws as Codec::open
  // and Codec::seal; what `message` holds then is not defined.
  virtual MessageFindings run(core::WipedBytes& message) const = 0;

  // Whether the size of a message is a multiple of 8 bytes.
  virtual bool has_whole_blocks() const { return false; }

  // Whether each message takes a key derivation of its own, which is slow on purpose.
  virtual bool derives_keys() const { return false; }

  // The parameters that were found by trial, for people; empty if there are none.
  virtual std::string found() const { return {}; }
};

// Enough to find the recipe even if each message is a few letters and some are damaged. A wrong passphrase
// costs as many trials.
inline constexpr std::size_t kTrialMessages = 8;

struct Codec {
  std::string_view name;  // the value of --format: "openssl"

  // With the dot. Decryption removes them from the names of files; encryption adds the default codec's first.
  std::span<const std::string_view> extensions = {};

  std::string_view summary;       // one line: "openssl enc with Blowfish"
  std::string_view made_by;       // programs that write it
  std::string_view details = {};  // sentences for the manual: what it protects, its limits
  std::string_view wrong_secret;  // what reveals a wrong passphrase or key: "a MAC per segment", "nothing"
  std::uint8_t secrets = 1U << static_cast<unsigned>(SecretKind::passphrase);  // 0: open() asks for none
  std::size_t max_key_bytes = 0;                                               // where a key can be given
  std::size_t specified_key_bytes = 0;  // longer keys get a note; 0: no key does

  // How much of a passphrase file the format's own program reads, which never reads beyond a NUL. 0: all of
  // it.
  std::size_t passphrase_file_bytes = 0;

  std::span<const OptionRow> options = {};

  // `head` is the first kRecogniseBytes of the input, or all of a shorter one, decoded from base64 and hex.
  // `size_bytes` is the size of the whole input if known. Throws nothing but std::bad_alloc. Null when files
  // of this format cannot be recognised.
  Recognition (*recognise)(std::span<const std::byte> head,
                           std::optional<std::uint64_t> size_bytes) = nullptr;

  // Whether the passphrase opens a file that begins with `head`, for formats that nothing else reveals. The
  // passphrase is requested only if the size, if known, is one of the format's. Null for others.
  bool (*opens)(engine::Engine& engine, std::span<const std::byte> head,
                std::optional<std::uint64_t> size_bytes, const AskSecret& secret) = nullptr;

  // Throws Error{usage} for options that contradict each other or do not suffice. Null: all combinations are
  // allowed.
  void (*check)(const OptionValues& options, OptionUse use) = nullptr;

  // Decrypts job.source into job.sink. Nothing is written before the secret has been checked. Throws
  // Error{wrong_key}, {damaged}, {unknown_format}, {usage}, and what the job's parts throw.
  Opened (*open)(const Job& job, const OpenRequest& request) = nullptr;

  // For containers that are directories: the names of the file in them that recognise() and describe() read.
  // open() of that file alone asks for the directory. Empty for all others.
  std::span<const std::string_view> tree_heads = {};

  // Decrypts what job.source holds into job.sink. Nothing is written before the secret has been checked.
  // Throws as open(), but not for a single part. Null for all others.
  Opened (*open_tree)(const TreeJob& job, const OpenRequest& request) = nullptr;

  // Encrypts job.source into job.sink; returns the parameters, for people. Null where it only opens.
  std::string (*seal)(const Job& job, const SealRequest& request) = nullptr;

  // Adds those defaults of seal() to its options that open() would otherwise have to guess. Null when the
  // files say all, or sealing has no such defaults.
  void (*add_seal_defaults)(OptionValues& options) = nullptr;

  // Reads no more than it needs and asks for no secret.
  Description (*describe)(stream::Source& source, const OptionValues& options) = nullptr;

  // Copies job.source into job.sink under a new secret. Returns the damage that it saw and copied, if any.
  // Null where that cannot be done.
  std::optional<Error> (*rekey)(const Job& job, const OpenRequest& now,
                                const AskSecret& new_secret) = nullptr;

  // Why open() cannot keep what damage leaves; empty where it can.
  std::string_view no_salvage = {};

  // Whether open() reports to Job::watcher.
  bool watches = false;

  // Whether the blocks must be processed one after the other, so that a file keeps one core busy. Null:
  // never.
  bool (*is_serial)(const OptionValues& options, core::Direction direction) = nullptr;

  // Null when one process must process the whole file.
  const Units* units = nullptr;

  // The extension of a file that open() reads beside its input. Empty for all others.
  std::string_view companion = {};

  // Its content is passwords: the program does not show them on a terminal unless the user insists.
  bool holds_passwords = false;

  // open() reads its digits itself: a file of them is not text around another one.
  bool is_text = false;

  // Its messages stand alone in text, one per line or field of a table.
  bool has_messages = false;

  // Ciphers for all messages of a text; if null, open() and seal() process each message on its own. Both
  // throw as these do. Parameters that no message stores are found by `some`, at most kTrialMessages of the
  // text.
  std::unique_ptr<MessageCipher> (*open_messages)(const OpenRequest& request,
                                                  std::span<const core::WipedBytes> some) = nullptr;
  std::unique_ptr<MessageCipher> (*seal_messages)(const SealRequest& request) = nullptr;

  bool can(Ability ability) const {
    const bool all[] = {
        true,    seal != nullptr,     has_option("range"), no_salvage.empty(), rekey != nullptr,
        watches, open_tree != nullptr};
    return all[static_cast<std::size_t>(ability)];
  }
  bool has_option(std::string_view option) const {
    return std::ranges::find(options, option, &OptionRow::name) != options.end();
  }
  bool needs_secret() const { return secrets != 0; }
  bool takes(SecretKind kind) const { return (secrets >> static_cast<unsigned>(kind) & 1) != 0; }
};

// The work on one file of a codec that has units.
struct FilePlan {
  const Codec* codec = nullptr;
  UnitPlan units;
};

// Codec::wrong_secret of formats without a secret.
inline constexpr std::string_view kNoSecretToTell = "nothing: it takes none";

constexpr std::uint8_t secrets(std::initializer_list<SecretKind> all) {
  std::uint8_t bits = 0;
  for (const SecretKind one : all) bits = static_cast<std::uint8_t>(bits | 1U << static_cast<unsigned>(one));
  return bits;
}

inline constexpr std::size_t kRecogniseBytes = 4096;

// The one table, weakest magic last.
FUGU_EXPORT std::span<const Codec* const> codecs();

// The codec that seals when no format is named: the first in the table.
FUGU_EXPORT const Codec& default_codec();

// Null when no codec has this name.
FUGU_EXPORT const Codec* find_codec(std::string_view name);

// The extension of a file name that some format has; empty if there is none. Directories in front of the name
// end in slashes.
std::string_view known_extension(std::string_view name);

inline constexpr std::string_view kDecryptedSuffix = ".decrypted";

// The name of what the file holds: without that extension, or with the suffix.
std::string decrypted_name(const std::string& name);

// "sealed or raw"
FUGU_EXPORT std::string names_of(std::span<const Codec* const> codecs, std::string_view separator = " or ");

// Whether it opens files that cannot be recognised, so that the user has to name the format.
FUGU_EXPORT bool has_files_without_header(const Codec& codec);

// The codecs that recognise the input: all by magic, or, without one, all that answer perhaps.
FUGU_EXPORT std::vector<const Codec*> recognise(std::span<const std::byte> head,
                                                std::optional<std::uint64_t> size_bytes);

// The Error{wrong_key} of a file that takes a key where a passphrase is given, or the reverse.
struct FUGU_EXPORT OtherSecretKind : Error {
  using Error::Error;
};

// The error where no parameters fit a file that does not store them.
struct FUGU_EXPORT NoneFits : Error {
  NoneFits(Errc code, std::string text, std::string all)
      : Error(code, std::move(text)), tried(std::move(all)) {}

  std::string tried;  // all parameters, for people
};

// The error for content that inflates to more than --max-output: nothing is damaged.
struct OverLimit : Error {
  using Error::Error;
};

}  // namespace fugu::format
