// Hints at options that the user of raw may have left out, for a key that opens nothing. Private to raw.
#pragma once

#include <string>
#include <vector>

#include "fugu/format/raw/raw.hpp"
#include "fugu/format/units.hpp"
#include "fugu/mode/wrong_padding.hpp"

namespace fugu::format {

// What a decryption begins with: its plan, and up to kRawHeadBytes of the ciphertext behind the IV.
struct RawBeginning {
  UnitPlan plan;
  std::vector<std::byte> ciphertext;
};
inline constexpr std::size_t kRawHeadBytes = 64;

// Error{damaged} if the key fits the beginning, or Error{wrong_key} with advice from the end of the data and
// from the key.
Error padding_error(engine::Engine& engine, const mode::WrongPadding& wrong, const RawParameters& parameters,
                    const auth::SecretBytes& secret, const RawBeginning& beginning);

// Notes on a result that is no text.
std::vector<std::string> result_hints(engine::Engine& engine, const RawParameters& parameters,
                                      const auth::SecretBytes& secret, const RawBeginning& beginning);

}  // namespace fugu::format
