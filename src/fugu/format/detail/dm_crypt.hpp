// Sectors as Linux's dm-crypt encrypts them. Private to format.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {

// The rules of dm-crypt for a sector's IV; `none` is ECB.
enum class SectorIv : std::uint8_t { none, plain, plain64, essiv };

struct SectorMode {
  SectorIv iv = SectorIv::none;
  std::string essiv_hash;  // OpenSSL's or the kernel's name
};

// By dm-crypt's name: "cbc-plain" and its synonyms "plain" and "", "cbc-plain64", "cbc-essiv:HASH", "ecb".
// Empty for any other.
std::optional<SectorMode> sector_mode(std::string_view name);

class SectorCipher {
 public:
  // Throws Error{usage} for a hash that OpenSSL does not know.
  SectorCipher(const SectorMode& mode, std::span<const std::byte> key);

  // In place. `sectors` is a multiple of kSectorBytes; `first` is the number of the first. Thread-safe.
  void decrypt(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) const;

 private:
  core::WipedVector<std::uint64_t> ivs(engine::Engine& engine, std::uint64_t first, std::size_t count) const;

  SectorIv iv_;
  cipher::Schedule schedule_;
  cipher::Schedule iv_schedule_;  // essiv
};

}  // namespace fugu::format
