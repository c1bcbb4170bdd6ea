// The passphrase or key of a run: requested once, when a file is found to need it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cli/process/secrets.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

struct SecretQuestion {
  format::SecretKind kind = format::SecretKind::passphrase;
  SecretSource source;
  std::size_t max_key_bytes = 0;
  bool is_hashed = false;  // the cipher gets the key's digest: the length of this key says nothing
  bool is_new = false;     // a passphrase is asked for twice and cannot be empty
  std::string name = "Passphrase";
};

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

  // Thread-safe. Throws RunFailure.
  const auth::SecretBytes& bytes();

  // The same for a file of this format: as much of a passphrase file as the format's own program reads, and a
  // note where that is not all.
  const auth::SecretBytes& bytes_for(const format::Codec& codec);

  auth::DerivedKeys& derived() { return derived_; }

  // The doubt about a key that opened nothing: that it ends in a line feed. Empty otherwise.
  std::string doubt() const;

 private:
  auth::SecretBytes read() const;

  SecretQuestion question_;
  mutable std::mutex mutex_;
  std::optional<auth::SecretBytes> bytes_;
  std::map<std::string_view, auth::SecretBytes> cut_;  // by the name of the format
  auth::DerivedKeys derived_;
};

}  // namespace fugu::cli
