// Many short messages under one key schedule. Private to raw.
#pragma once

#include <memory>

#include "fugu/format/codec.hpp"
#include "fugu/format/raw/raw.hpp"

namespace fugu::format {

// `all_content`: of each message. Throws as raw_key().
std::unique_ptr<MessageCipher> raw_messages(const RawParameters& parameters, bool all_content,
                                            const auth::SecretBytes& secret, core::Direction direction);

}  // namespace fugu::format
