// Digests and HMAC by name, for the formats of other programs. OpenSSL computes them: its default provider,
// and its legacy provider for what the default one lacks (MD4, on some systems RIPEMD-160).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"

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

}  // namespace fugu::auth
