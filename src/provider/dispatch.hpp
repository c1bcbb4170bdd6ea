// The functions that OpenSSL's core calls, and their ciphers.
#pragma once

#include <openssl/core.h>

namespace fugu::provider {

// Ends with an entry without names.
const OSSL_ALGORITHM* ciphers() noexcept;

}  // namespace fugu::provider
