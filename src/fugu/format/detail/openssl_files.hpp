// OpenSSL keys and messages with Blowfish. OpenSSL itself opens them once this project's provider gives it
// the cipher. Private to format.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fugu::format {

// "this is ...: openssl ...", with the command that opens it; empty for any other file. Recognises PEM (RFC
// 1421 and 7468), PKCS#8, PKCS#12, CMS and S/MIME by the identifier of bf-cbc, 1.3.6.1.4.1.3029.1.2.
std::string openssl_file(std::span<const std::byte> head);

}  // namespace fugu::format
