// Padding of the last block (see Padding in settings.hpp), independent of the cipher.
#pragma once

#include "fugu/mode/settings.hpp"

namespace fugu::mode {

// Pads the first `size_bytes` of `buffer` to whole blocks and returns the new size. Throws Error{usage} when
// Padding::none is given anything but whole blocks.
std::size_t add_padding(Padding padding, std::span<std::byte> buffer, std::size_t size_bytes);

// Throws Error{damaged} when a padded mode's ciphertext cannot end with a last part of `last_bytes`: padded
// data is whole blocks, and at least one when every length adds padding.
void check_ciphertext_size(Padding padding, std::size_t last_bytes);

// The size of `plaintext` without its padding. zero and space remove up to 8 bytes, all of the last block,
// even if data ended in the same bytes. Throws WrongPadding when the
// padding did not write that block.
std::size_t unpadded_size(Padding padding, std::span<const std::byte> plaintext);

}  // namespace fugu::mode
