// One input through one format into one output: the common part of encrypt, decrypt, verify and rekey.
#pragma once

#include <memory>
#include <string>

#include "cli/cipher/request.hpp"
#include "cli/cipher/run_secret.hpp"
#include "fugu/format/recognition.hpp"

namespace fugu::cli {

struct CipherRun {
  engine::Engine& engine;
  std::size_t chunk_bytes = 0;
  stream::PumpCounters* counters = nullptr;
  format::Watcher* watcher = nullptr;  // watches a decryption
  bool hides_passwords = false;        // the output is a terminal, and the user does not insist
};

struct PlannedParts {
  const format::Codec* codec = nullptr;
  format::UnitPlan units;
};

// The question for the secret of the run's files.
SecretQuestion question(const CipherRequest& request);

// Whether rekey() can process the file, as far as that is known without its secret. Throws as rekey().
void check_rekey(const CipherRequest& request, RunSecret& secret, std::unique_ptr<stream::Source> source);

// An input of a known format, positioned at its beginning and decoded from text.
struct Input {
  const format::Codec* codec = nullptr;
  format::TextEncoding encoding = format::TextEncoding::binary;
  std::unique_ptr<stream::Source> source;
};

// The codec whose container the directory is. Throws Error{unknown_format}.
const format::Codec& recognise_tree(const CipherRequest& request, stream::TreeSource& directory);

// Throws Error{unknown_format}, saying what to give or which program opens it, for an input that is not
// recognised.
Input recognise_input(const CipherRequest& request, std::unique_ptr<stream::Source> source);

// All throw Error as the formats do, WholeMessage for an input that is damaged before the secret was
// requested, and RunFailure. encrypt() returns the parameters, for people.
std::string encrypt(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                    std::unique_ptr<stream::Source> source, stream::Sink& sink);
format::Opened decrypt(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                       std::unique_ptr<stream::Source> source, stream::Sink& sink);

// Decrypts what encrypt() or decrypt() has made, or worked on, with the same request, and compares it with
// the plaintext. Throws Error{mismatch} for a difference, and as decrypt().
void compare_content(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                     std::unique_ptr<stream::Source> encrypted, std::unique_ptr<stream::Source> plain);

// Plans the same for several processes, each of which does a part (format/units.hpp).
PlannedParts plan_encryption(const CipherRequest& request, RunSecret& secret, const stream::Source& source);
PlannedParts plan_decryption(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                             std::unique_ptr<stream::Source> source, format::Opened& opened);

// As decrypt(). `failed` as in format::TreeJob.
format::Opened decrypt_tree(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                            stream::TreeSource& source, stream::TreeSink& sink,
                            const std::function<void(const std::string& part, const Error& error)>& failed);

// Returns as format::Codec::rekey.
std::optional<Error> rekey(const CipherRequest& request, RunSecret& secret, RunSecret& new_secret,
                           const CipherRun& run, std::unique_ptr<stream::Source> source, stream::Sink& sink);

}  // namespace fugu::cli
