// The functions that OpenSSL's core calls, and the ciphers they are for.
#pragma once

#include <openssl/core.h>

namespace fugu::provider {

// Ends with an entry without names.
const OSSL_ALGORITHM* ciphers() noexcept;

}  // namespace fugu::provider
