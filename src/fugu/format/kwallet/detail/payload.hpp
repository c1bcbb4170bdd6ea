// The content of a wallet. Private to kwallet.
#pragma once

#include <span>

#include "fugu/stream/sink.hpp"

namespace fugu::format {

// Writes a wallet's payload as JSON: an object of folders, each an object of entries with a type and a value.
// Throws Error{damaged} for a payload that ends early.
void write_wallet_json(std::span<const std::byte> payload, stream::Sink& sink);

}  // namespace fugu::format
