// Derivations that a run over many files shares.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "fugu/auth/secret.hpp"

namespace fugu::auth {

struct ScryptCost;

// What scrypt() derives from a passphrase in a run over many files: once for each salt and cost, as long as
// the passphrase stays the same. Wiped on destruction. Thread-safe: a caller waits for a derivation that
// another thread has begun.
class FUGU_EXPORT DerivedKeys {
 public:
  using Salt = std::array<std::byte, 16>;

  // `new_files_share`: the files that the run makes are derived for together, under new_salt().
  explicit DerivedKeys(bool new_files_share = false);

  bool new_files_share() const noexcept { return new_files_share_; }
  const Salt& new_salt() const noexcept { return new_salt_; }

  // 32 bytes, as scrypt() returns them. Throws as it does, and derives anew at the next call then.
  SecretBytes scrypt(const SecretBytes& passphrase, const Salt& salt, const ScryptCost& cost);

 private:
  struct Key {
    std::mutex mutex;
    SecretBytes passphrase;  // both under mutex
    SecretBytes bytes;
  };

  bool new_files_share_;
  Salt new_salt_{};
  std::mutex mutex_;
  std::map<std::tuple<Salt, unsigned, unsigned, unsigned>, Key> keys_;  // by salt and cost; under mutex_
};

}  // namespace fugu::auth
