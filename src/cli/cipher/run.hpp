// The request of a run, which is refused where options contradict each other, and the calls of the library's
// face for one file, with the run's secret and messages for the program's user.
#pragma once

#include "cli/files/files.hpp"
#include "cli/process/json.hpp"
#include "fugu/format/lines/lines.hpp"
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"

namespace fugu::cli {

struct SecretQuestion {
  format::SecretKind kind = format::SecretKind::passphrase;
  SecretSource source;
  std::size_t max_key_bytes = 0;
  bool is_hashed = false;  // the cipher gets the key's digest: the length of this key says nothing
  bool is_new = false;     // a passphrase is asked for twice and cannot be empty
  std::string name = "Passphrase";
};

// The passphrase or key of a run: requested when a file is found to need it, and again where it was mistyped.
class RunSecret {
 public:
  // Reads the secret now, unless that involves a terminal or a command. Throws Error{usage}, {io}.
  // `many_files`: those that the run makes share one derivation.
  explicit RunSecret(SecretQuestion question, bool many_files = false);

  format::SecretKind kind() const { return question_.kind; }

  bool is_hashed() const { return question_.is_hashed; }

  // "passphrase" or "key"
  std::string_view kind_name() const;

  // Whether it was read, so that bytes() asks nobody. Thread-safe.
  bool is_known() const;

  // The number of the secret that a file is tried with: 1 for the first answer on the terminal, and so on.
  // Thread-safe.
  std::size_t answer() const;

  // Whether a file that failed under that answer is worth another try: the passphrase was typed, opened
  // nothing, and the user, or another file's failure, now gave another one, at most the third. Thread-safe.
  // Throws RunFailure.
  bool asks_again(std::size_t& answer, std::string_view file, const Error& error);

  // Whether another secret of the same kind may do better.
  static bool is_doubted_by(const Error& error);

  // Something was opened.
  void set_proven() { proven_ = true; }

  // Thread-safe. Throws RunFailure.
  const auth::SecretBytes& bytes();

  // The same for a file of this format: as much of a passphrase file as the format's own program reads, and a
  // note where that is not all.
  const auth::SecretBytes& bytes_for(const format::Codec& codec);

  // The keys that were derived from the latest answer. Thread-safe.
  auth::DerivedKeys& derived();

  // The doubt about a key that opened nothing: that it ends in a line feed. Empty otherwise.
  std::string doubt() const;

 private:
  const auth::SecretBytes& read();         // both under mutex_
  const auth::SecretBytes& read_or_end();  // throws RunFailure

  SecretQuestion question_;
  mutable std::mutex mutex_;
  std::deque<auth::SecretBytes> answers_;  // the last one counts; others may still be in use
  std::atomic<bool> proven_ = false;
  std::map<std::pair<std::string_view, std::size_t>, auth::SecretBytes>
      cut_;  // by the format's name and the number of the answer
  bool many_files_;
  std::deque<auth::DerivedKeys> derived_;  // for each answer
};

// Returns what work() returns, and repeats it while `secret` asks again.
template <class Work>
auto with_answers(RunSecret& secret, std::string_view file, Work work) {
  for (std::size_t answer = secret.answer();;) {
    try {
      return work();
    } catch (const Error& error) {
      if (!secret.asks_again(answer, file, error)) throw;
    }
  }
}

struct CipherRequest {
  core::Direction direction = core::Direction::encrypt;
  const format::Codec* codec = nullptr;       // null: whichever recognises the input
  std::optional<format::LinesOptions> lines;  // each line or field is a message; but for threads and counters
  std::optional<TextForm> text;               // the encrypted side's; empty: binary, or as recognised
  SecretQuestion secret;
  bool accept_weak_evidence = false;
  bool salvage = false;
  FormatOptions options;

  SealOptions to_seal(const Share& share) const;

  // For files to be opened; if this request seals, for those that it makes.
  OpenOptions to_open(const Share& share) const;

  // Whether a file is known to keep only one core busy.
  bool is_serial() const;
};

// "sealed, cryptcbc or raw": the formats that can be written, or opened, and are `fit`.
std::string formats_that(core::Direction direction, const std::function<bool(const format::Codec&)>& fit);

// The length in bytes of the longest key that a format with this ability takes.
std::size_t max_key_bytes(format::Ability ability);

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

// The formats' options that rekey was given.
FormatOptions rekey_options(const Arguments& arguments);

struct DecryptOptions {
  std::string_view input = {};  // the file's name
  format::Watcher* watcher = nullptr;
  bool hides_passwords = false;          // the output is a terminal, and the user does not insist
  format::LinesReport* lines = nullptr;  // what became of the messages of a request with `lines`
};

// All throw Error as the face does, WholeMessage for an input that is damaged before the secret was
// requested, and RunFailure. encrypt() returns the parameters, for people.
std::string encrypt(const CipherRequest& request, RunSecret& secret, const Share& share,
                    std::unique_ptr<stream::Source> source, stream::Sink& sink);
format::Opened decrypt(const CipherRequest& request, RunSecret& secret, const Share& share,
                       std::unique_ptr<stream::Source> source, stream::Sink& sink,
                       const DecryptOptions& options = {});

// The same for a container that is a directory. Reports the findings, and the parts that could not be opened
// or written: `worst` becomes the exit status of these. Throws for the whole container.
format::Opened open_tree(const Task& task, const CipherRequest& request, RunSecret& secret,
                         const Share& share, stream::TreeSink& sink, int& worst);

// For -v: what became what, how, and by which engine.
void say_done(const Task& task, std::string_view parameters, const Share& share);

// Notes, hidden by -q: that what was opened is not authenticated (once per run), the parameters that matched,
// how weak the evidence for the secret is, and the format's own notes.
void report_findings(const std::string& input, const RunSecret& secret, const format::Opened& opened);

// Decrypts what encrypt() or decrypt() has made, or worked on, with the same request, and compares it with
// the plaintext. Throws Error{mismatch} for a difference, and as decrypt().
void compare_content(const CipherRequest& request, RunSecret& secret, const Share& share,
                     std::unique_ptr<stream::Source> encrypted, std::unique_ptr<stream::Source> plain);

// An input of a format that is recognised. No secret is requested.
Identified identified(std::string_view file, std::unique_ptr<stream::Source> source);

// Plans the same for several processes, each of which does a part (format/units.hpp).
format::FilePlan plan_encryption(const CipherRequest& request, RunSecret& secret,
                                 const stream::Source& source);
format::FilePlan plan_decryption(const CipherRequest& request, RunSecret& secret, const Share& share,
                                 stream::Source& source, format::Opened& opened);

// Returns as format::Codec::rekey.
std::optional<Error> rekey(const CipherRequest& request, RunSecret& secret, RunSecret& new_secret,
                           const Share& share, std::unique_ptr<stream::Source> source, stream::Sink& sink);

// Whether rekey() can process the file, as far as that is known without its secret. Throws as rekey().
void check_rekey(const CipherRequest& request, RunSecret& secret, const Share& share,
                 std::unique_ptr<stream::Source> source);

// Counts the bytes on their way to `inner`.
class Counting final : public stream::Sink {
 public:
  explicit Counting(Sink& inner) : inner_(inner) {}

  void write(std::span<const std::byte> from) override {
    inner_.write(from);
    bytes_ += from.size();
  }
  bool begin_parts(std::uint64_t bytes) override { return inner_.begin_parts(bytes); }
  std::unique_ptr<Sink> part(std::uint64_t offset) override { return inner_.part(offset); }
  void advance(std::uint64_t bytes) override {
    inner_.advance(bytes);
    bytes_ += bytes;
  }
  void finish() override { inner_.finish(); }
  void cancel() noexcept override { inner_.cancel(); }

  std::uint64_t bytes() const { return bytes_; }

 private:
  Sink& inner_;
  std::uint64_t bytes_ = 0;
};

// Files whose lines, fields or values are messages of their own: --lines, --csv with --column, --match.
//
// Empty without these options. Throws Error{usage} for options that cannot be combined with
// them.
std::optional<format::LinesOptions> lines_options(const Arguments& arguments, const format::Codec* codec,
                                                  core::Direction direction,
                                                  const std::optional<TextForm>& text);

// As encrypt() and decrypt(), for a request with `lines`.
std::string encrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                          stream::Source& source, stream::Sink& sink);

// In the result, `all_content` means that no message was left as it was.
format::Opened decrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                             stream::Source& source, stream::Sink& sink, format::LinesReport& report);

// Throws Error{unknown_format} for text that --lines is for, but that is to be one message. Reads the text's
// beginning and returns the whole again.
std::unique_ptr<stream::Source> require_one_message(const CipherRequest& request, Observer& observer,
                                                    std::unique_ptr<stream::Source> source);

// Names the messages that did not open; `state` is what became of them: "; left as it is". Returns the exit
// status.
int report_left(const std::string& input, const CipherRequest& request, const format::LinesReport& report,
                std::string_view state);

// The keys of a row of JSON: "messages", "opened" and "left".
void add_to_row(nlohmann::ordered_json& row, const CipherRequest& request, const format::LinesReport& report);

// "37 of 40 lines open"
std::string count_text(const CipherRequest& request, const format::LinesReport& report);

}  // namespace fugu::cli
