// Sealed files for the subcommands: recognising, encrypting, decrypting in whole, in part and what is left,
// info.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/cipher/run.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::cli {

// True for the magic, and for a file that ends inside it.
bool is_sealed(std::span<const std::byte> head);

void encrypt_sealed(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                    stream::Source& source, stream::Sink& sink);

// The whole, or request.sealed's range of it, or what can be salvaged.
Decrypted decrypt_sealed(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                         stream::Source& source, stream::Sink& sink);

// The header of a file, and its text when it is damaged: the passphrase or key is not tried then. Throws as
// format::read_sealed_header.
format::SealedHeader sealed_header(stream::Source& source, format::SealedSlot given);

// "bytes 16-47, 64-79 failed authentication; the end of the file is missing or damaged"
std::string describe(const format::SalvageReport& report);

// "OFF:LEN", or "OFF:" for all that follows. Throws Error{usage}.
SealedRange parse_range(std::string_view text);

}  // namespace fugu::cli
