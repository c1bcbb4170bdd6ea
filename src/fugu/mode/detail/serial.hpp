// The serial chains, in which every block needs the one before it, so that no engine can speed them up, and
// the padding of a last block.
//
// One block at a time on the calling thread. The time per block is the latency of sixteen rounds, so the only
// gain is to keep the chain in registers from one block to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::mode {

// Encrypts one block; memory images in and out.
std::uint64_t encrypt_block(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t image);

// Writes in.size() bytes to `out`, which is `in` or disjoint from it, starting with chaining value `chain`,
// and returns the next one. `mode` is serial in encryption; `in` is whole blocks but in cfb8 and ofb8.
std::uint64_t encrypt_serially(Mode mode, const cipher::Schedule& schedule, core::ByteOrder words,
                               std::uint64_t chain, std::span<const std::byte> in, std::byte* out);

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
