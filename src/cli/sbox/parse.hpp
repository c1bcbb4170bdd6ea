// S-boxes as texts and bytes: what fugu sbox reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::cli {

enum class BoxFormat : std::uint8_t { npy, text, hex, u8, u16le, u16be, u32le, u32be, rows, polynomial, des };

// lsb: bit 0 is x_0 and y_0. msb: the other way round on both sides. sage: as lsb, but a hexadecimal truth
// table has f(0) in the least significant bit of its last digit.
enum class BitOrder : std::uint8_t { lsb, msb, sage };

struct BoxOptions {
  std::optional<BoxFormat> format{};  // not given: found out
  std::optional<int> inputs{};
  std::optional<int> outputs{};
  BitOrder bit_order = BitOrder::lsb;
};

// The box that `bytes` is. Throws Error{usage} for what is none, Error{damaged} for a broken .npy file.
spectral::SBox parse_box(std::string_view bytes, const BoxOptions& options);

// A box for each row of an .npy array, or for each line that holds something.
std::vector<spectral::SBox> parse_boxes(std::string_view bytes, const BoxOptions& options);

}  // namespace fugu::cli
