// Base64 (RFC 4648, 4) as `openssl enc -a` and `-A` write and read it, as a Sink and a Source over others.
#pragma once

#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// Wrapped: lines of 64 characters. finish() writes what is left and finishes `inner`, which outlives the
// result. No input gives no output, not even a newline. This is what OpenSSL 3.0 writes.
FUGU_EXPORT std::unique_ptr<Sink> base64_encoder(Sink& inner, TextLines lines);

// Either alphabet of RFC 4648 (4 and 5). Lines of any length, ended in any way: white space is skipped
// wherever it stands. Throws Error{damaged} with the offset of a character that cannot stand there, of stray
// bits before padding (RFC 4648, 3.5), of anything but white space after it, and when the input ends inside a
// group.
FUGU_EXPORT std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
