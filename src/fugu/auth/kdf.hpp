// Key derivation over OpenSSL's digests.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::auth {

// The number of calls of pbkdf2() and scrypt() now running in this process, for progress displays.
FUGU_EXPORT unsigned key_derivations_under_way() noexcept;

// The memory that calls of scrypt() on several threads may take together: a call that would exceed it waits
// for others to end. A single call never waits.
class FUGU_EXPORT DerivationMemory {
 public:
  explicit DerivationMemory(std::uint64_t bytes) : most_(bytes) {}
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  const std::uint64_t most_;
  std::uint64_t used_ = 0;  // under mutex_
};

// A derivation that is faster than OpenSSL's, such as a browser's: false where it does not derive.
using FastPbkdf2 =
    std::function<bool(const std::string& digest, const SecretBytes& passphrase,
                       std::span<const std::byte> salt, std::uint32_t iterations, std::span<std::byte> key)>;

struct DerivationRules {
  std::stop_token stop =
      {};  // requested: Error{interrupted}, before a derivation begins or after it has ended
  DerivationMemory* memory = nullptr;  // outlives the rules; null: no bound
  FastPbkdf2 fast_pbkdf2 = {};         // asked first
};

// While it lives, derivations on this thread keep its rules, and not those of one around it.
class FUGU_EXPORT RuledDerivations {
 public:
  explicit RuledDerivations(DerivationRules rules);
  ~RuledDerivations();
  RuledDerivations(const RuledDerivations&) = delete;
  RuledDerivations& operator=(const RuledDerivations&) = delete;

 private:
  DerivationRules rules_;
  const DerivationRules* outer_;
};

// Digests are OpenSSL's names ("sha256", "md5", ...), in either case.
FUGU_EXPORT bool digest_exists(const std::string& digest);

inline constexpr std::size_t kMaxBytesToKeyBytes = 64;  // a 56-byte key and an IV

// OpenSSL's EVP_BytesToKey: D1 = H^count(passphrase|salt), Di = H^count(D(i-1)|passphrase|salt), concatenated
// and cut to `bytes`, at most kMaxBytesToKeyBytes; H^count hashes `count` times in all. `salt` is empty or 8
// bytes. Throws Error{usage} for an unknown digest, for other sizes and for a count of 0.
FUGU_EXPORT SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                                     std::span<const std::byte> salt, std::size_t bytes,
                                     std::uint32_t count = 1);

// PBKDF2-HMAC (RFC 8018, 5.2). Throws Error{usage} for an unknown digest and for 0 or more than 2^31 - 1
// iterations, and Error{interrupted} (see DerivationRules).
FUGU_EXPORT SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase,
                               std::span<const std::byte> salt, std::uint32_t iterations, std::size_t bytes);

// scrypt (RFC 7914) with N = 2^log2_n: p times the work in 128 N r bytes of memory, 0.4 s per 128 MiB. Throws
// Error{usage} for a cost outside the RFC's bounds, Error{memory} when that memory is not available, and
// Error{interrupted} (see DerivationRules).
struct ScryptCost {
  unsigned log2_n = 17;
  unsigned r = 8;
  unsigned p = 1;
};
FUGU_EXPORT SecretBytes scrypt(const SecretBytes& passphrase, std::span<const std::byte> salt,
                               const ScryptCost& cost, std::size_t bytes);

}  // namespace fugu::auth
