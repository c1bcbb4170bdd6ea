// The serial chains: every block needs the one before it, so no engine can speed them up.
//
// One block at a time on the calling thread. The time per block is the latency of sixteen rounds, so the only
// gain is to keep the chain in registers from one block to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"

namespace fugu::mode {

// Encrypts one block; memory images in and out.
std::uint64_t encrypt_block(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t image);

// Each writes in.size() bytes to `out`, which is `in` or disjoint from it, starting with chaining value
// `chain`, and returns the next one. cbc_encrypt, pcbc_encrypt, cfb64_encrypt, ofb: `in` is whole blocks.
// cfb8_encrypt, ofb8: any number of bytes.
std::uint64_t cbc_encrypt(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                          std::span<const std::byte> in, std::byte* out);
std::uint64_t pcbc_encrypt(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                           std::span<const std::byte> in, std::byte* out);
std::uint64_t cfb64_encrypt(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                            std::span<const std::byte> in, std::byte* out);
std::uint64_t cfb8_encrypt(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                           std::span<const std::byte> in, std::byte* out);
std::uint64_t ofb8(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                   std::span<const std::byte> in, std::byte* out);
std::uint64_t ofb(const cipher::Schedule& schedule, core::ByteOrder words, std::uint64_t chain,
                  std::span<const std::byte> in, std::byte* out);

}  // namespace fugu::mode
