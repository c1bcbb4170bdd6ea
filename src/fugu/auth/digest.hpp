// Digests and authentication, from OpenSSL. What has a name of its own here is fetched once per process: a
// call costs about a microsecond. Thread-safe. Nothing keeps a key longer than the call or the object it was
// given to. Throws Error{engine} when OpenSSL itself fails.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <string>

#include "fugu/auth/secret.hpp"

namespace fugu::auth {

inline constexpr std::size_t kMaxDigestBytes = 64;

// Names are OpenSSL's ("sha256", "md5", ...), in either case.
class FUGU_EXPORT Digest {
 public:
  // Throws Error{usage} for an unknown digest.
  explicit Digest(const std::string& name);
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();

  std::size_t size() const;
  Digest& update(std::span<const std::byte> data);

  // Fills the first size() bytes of `out` and begins a new message.
  void finish(std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the digest of the concatenated parts.
FUGU_EXPORT SecretBytes digest(const std::string& name,
                               std::initializer_list<std::span<const std::byte>> parts);

// HMAC (RFC 2104).
class FUGU_EXPORT Hmac {
 public:
  // Throws Error{usage} for an unknown digest.
  Hmac(const std::string& digest, std::span<const std::byte> key);
  ~Hmac();

  Hmac& update(std::span<const std::byte> data);
  // Fills `out`, which has the digest's size, and begins a new message under the same key.
  void finish(std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kSha256Bytes = 32;
inline constexpr std::size_t kPoly1305KeyBytes = 32;
inline constexpr std::size_t kPoly1305TagBytes = 16;

using Sha256Digest = std::array<std::byte, kSha256Bytes>;
using Poly1305Tag = std::array<std::byte, kPoly1305TagBytes>;

FUGU_EXPORT Sha256Digest sha256(std::span<const std::byte> data);

// HMAC (RFC 2104) with SHA-256.
FUGU_EXPORT Sha256Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> data);

// HKDF-Extract (RFC 5869, 2.2) with SHA-256.
FUGU_EXPORT SecretBytes hkdf_extract(std::span<const std::byte> salt, std::span<const std::byte> input);

// HKDF-Expand (RFC 5869, 2.3) with SHA-256. Fills `out`, at most 8160 bytes; throws Error{usage} for more.
FUGU_EXPORT void hkdf_expand(std::span<const std::byte> prk, std::span<const std::byte> info,
                             std::span<std::byte> out);

// Poly1305 (RFC 8439, 2.5). A key authenticates one message only.
class FUGU_EXPORT Poly1305 {
 public:
  explicit Poly1305(std::span<const std::byte, kPoly1305KeyBytes> key);
  ~Poly1305();
  Poly1305(const Poly1305& other);  // continues from the same message
  Poly1305& operator=(const Poly1305&) = delete;

  void update(std::span<const std::byte> data);
  Poly1305Tag finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compares in time that depends on the sizes alone. Different sizes are unequal.
FUGU_EXPORT bool equal_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) noexcept;

}  // namespace fugu::auth
