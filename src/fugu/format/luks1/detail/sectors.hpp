// Decrypts dm-crypt's sectors. Private to luks1.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/luks1/detail/header.hpp"

namespace fugu::format {

class SectorCipher {
 public:
  // `engine` outlives it.
  SectorCipher(engine::Engine& engine, const LuksHeader& header, std::span<const std::byte> key);

  // In place. `sectors` is a multiple of kSectorBytes; `first` is the number of the first. Thread-safe.
  void decrypt(std::span<std::byte> sectors, std::uint64_t first) const;

 private:
  core::WipedVector<std::uint64_t> ivs(std::uint64_t first, std::size_t count) const;

  engine::Engine& engine_;
  SectorIv iv_;
  cipher::Schedule schedule_;
  cipher::Schedule iv_schedule_;  // essiv
};

}  // namespace fugu::format
