// Turns options into a format and its parameters, and refuses meaningless combinations.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>

#include "cli/files/work_options.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/format/codec.hpp"
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

  // What a file is tried with: 1 for the first answer on the terminal, and so on. Thread-safe.
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

  // What is derived from the latest answer. Thread-safe.
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

// What work() returns, which is repeated while `secret` asks again.
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

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

// The formats' options that rekey was given.
FormatOptions rekey_options(const Arguments& arguments);

}  // namespace fugu::cli
