// OpenSSL's Blowfish, the independent reference of `fugu selftest` and `fugu verify --openssl`.
//
// The legacy provider is loaded into a library context of its own, so the caller's OpenSSL stays as it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fugu/export.hpp"

namespace fugu::auth {

enum class ReferenceMode : std::uint8_t { ecb, cbc, cfb64, ofb };

// One unpadded stream under one key, big-endian words.
class FUGU_EXPORT ReferenceBlowfish {
 public:
  // `key` has 1 to 72 bytes; throws Error{usage} otherwise, and Error{engine} when OpenSSL's legacy provider
  // cannot be loaded.
  ReferenceBlowfish(ReferenceMode mode, bool encrypt, std::span<const std::byte> key,
                    std::array<std::byte, 8> iv = {});
  ReferenceBlowfish(ReferenceBlowfish&&) noexcept;
  ReferenceBlowfish& operator=(ReferenceBlowfish&&) noexcept;
  ~ReferenceBlowfish();

  // Restarts the stream from `iv`, under the same key.
  void restart(std::array<std::byte, 8> iv);

  // `in` and `out` have the same size and are identical or disjoint; ecb and cbc take whole blocks. Throws
  // Error{usage} otherwise.
  void update(std::span<const std::byte> in, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fugu::auth
