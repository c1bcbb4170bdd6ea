// The parts of raw: hints at options that the user may have left out, for a key that opens nothing; steps
// from a secret to a key; messages. Private to raw.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/units.hpp"
#include "fugu/mode/settings.hpp"

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

// Notes on a result that is not text.
std::vector<std::string> result_hints(engine::Engine& engine, const RawParameters& parameters,
                                      const auth::SecretBytes& secret, const RawBeginning& beginning);

// What programs make of a key before Blowfish gets it, step by step: "base64,cut16". Throws Error{usage} for
// a step that does not exist, without looking at a key.
void check_key_steps(std::string_view steps);

// Throws Error{usage} as well for a key that a step cannot be applied to.
auth::SecretBytes after_key_steps(std::string_view steps, const auth::SecretBytes& key);

// `all_content`: of each message. Throws as raw_key().
std::unique_ptr<MessageCipher> raw_messages(const RawParameters& parameters, bool all_content,
                                            const auth::SecretBytes& secret, core::Direction direction);

}  // namespace fugu::format
