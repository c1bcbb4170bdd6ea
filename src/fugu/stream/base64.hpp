// Base64 (RFC 4648, 4) as `openssl enc -a` and `-A` write and read it, as a Sink and a Source over others.
#pragma once

#include <memory>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {

enum class Base64Lines { wrapped_64, single };

// finish() writes the last group and the newline; `inner` outlives the result.
std::unique_ptr<Sink> base64_encoder(Sink& inner, Base64Lines lines);

// White space between characters is skipped. Throws Error{damaged} with the offset of a character that cannot stand
// there, and when the input ends inside a group.
std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
