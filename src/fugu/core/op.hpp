// The data-parallel operations of Blowfish on whole blocks, which engines and kernels implement.
#pragma once

#include <cstdint>

namespace fugu::core {

enum class Op : std::uint8_t { ecb_encrypt, ecb_decrypt, ctr, cbc_decrypt, cfb_decrypt };

}  // namespace fugu::core
