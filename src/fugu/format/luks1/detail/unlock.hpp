// Finds the master key of a LUKS1 image. Private to luks1.
#pragma once

#include <optional>
#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/luks1/detail/header.hpp"

namespace fugu::format {

struct Unlocked {
  auth::SecretBytes key;
  unsigned slot = 0;
};

// Tries the slots in order. `area`: the image from its beginning to the last slot's key material. Empty if
// the passphrase opens none.
std::optional<Unlocked> unlock_luks(engine::Engine& engine, const LuksHeader& header,
                                    std::span<const std::byte> area, const auth::SecretBytes& passphrase);

}  // namespace fugu::format
