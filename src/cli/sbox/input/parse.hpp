// S-boxes from text and bytes: the input of fugu sbox.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::cli {

enum class BoxFormat : std::uint8_t { npy, text, hex, u8, u16le, u16be, u32le, u32be, rows, polynomial, des };

// lsb: bit 0 is x_0 and y_0. msb: the reverse on both sides. sage: as lsb, but a hexadecimal truth table has
// f(0) in the least significant bit of its last digit.
enum class BitOrder : std::uint8_t { lsb, msb, sage };

struct BoxOptions {
  std::optional<BoxFormat> format{};  // not given: detected
  std::optional<int> inputs{};
  std::optional<int> outputs{};
  BitOrder bit_order = BitOrder::lsb;
};

// The box in `bytes`. Throws Error{usage} if there is none, Error{damaged} for a broken .npy file.
spectral::SBox parse_box(std::string_view bytes, const BoxOptions& options);

// One box per row of an .npy array, or per nonempty line. Boxes are parsed on request, from any thread.
class BoxBatch {
 public:
  // Throws as parse_box().
  BoxBatch(std::string bytes, const BoxOptions& options);
  BoxBatch(const BoxBatch&) = delete;
  BoxBatch& operator=(const BoxBatch&) = delete;
  ~BoxBatch();

  std::size_t size() const;

  // Boxes first to first + count - 1. Throws as parse_box(), naming the line or row.
  std::vector<spectral::SBox> read(std::size_t first, std::size_t count) const;

 private:
  struct Lines;
  struct NpyRows;

  std::string bytes_;
  BoxOptions options_;
  std::unique_ptr<const Lines> lines_;
  std::unique_ptr<const NpyRows> npy_;  // null: lines
};

}  // namespace fugu::cli
