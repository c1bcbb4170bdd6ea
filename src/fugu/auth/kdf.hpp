// Key derivation over OpenSSL's digests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"

namespace fugu::auth {

// How many calls of pbkdf2() and scrypt() are under way in this process: for progress displays.
FUGU_EXPORT unsigned key_derivations_under_way() noexcept;

// The memory that calls of scrypt() in this process may take at a time: a call that would take more waits for
// others to end. One alone never waits. No bound by default.
FUGU_EXPORT void set_derivation_memory(std::uint64_t bytes);

// While it lives, derivations on this thread throw Error{interrupted} soon after `stop` was asked to.
class FUGU_EXPORT StoppableDerivations {
 public:
  explicit StoppableDerivations(std::stop_token stop);
  ~StoppableDerivations();
  StoppableDerivations(const StoppableDerivations&) = delete;
  StoppableDerivations& operator=(const StoppableDerivations&) = delete;

 private:
  std::stop_token stop_;
  const std::stop_token* outer_;
};

// Digests are OpenSSL's names ("sha256", "md5", ...), in either case.
FUGU_EXPORT bool digest_exists(const std::string& digest);

inline constexpr std::size_t kMaxBytesToKeyBytes = 64;  // a key of 56 bytes, and an IV

// OpenSSL's EVP_BytesToKey with count 1: D1 = H(passphrase|salt), Di = H(D(i-1)|passphrase|salt),
// concatenated and cut to `bytes`, kMaxBytesToKeyBytes at most. `salt` is empty or 8 bytes. Throws
// Error{usage} for an unknown digest and for sizes outside these.
FUGU_EXPORT SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                                     std::span<const std::byte> salt, std::size_t bytes);

// PBKDF2-HMAC (RFC 8018, 5.2). Throws Error{usage} for an unknown digest, 0 iterations or more than 2^31 - 1,
// and Error{interrupted} (StoppableDerivations).
FUGU_EXPORT SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase,
                               std::span<const std::byte> salt, std::uint32_t iterations, std::size_t bytes);

// scrypt (RFC 7914) with N = 2^log2_n: p times the work in 128 N r bytes of memory, 0.4 s per 128 MiB. Throws
// Error{usage} for a cost out of the RFC's bounds, Error{memory} when that memory cannot be had, and
// Error{interrupted} (StoppableDerivations).
struct ScryptCost {
  unsigned log2_n = 17;
  unsigned r = 8;
  unsigned p = 1;
};
FUGU_EXPORT SecretBytes scrypt(const SecretBytes& passphrase, std::span<const std::byte> salt,
                               const ScryptCost& cost, std::size_t bytes);

}  // namespace fugu::auth
