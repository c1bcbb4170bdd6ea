// Entries of an S-box as consecutive numbers or by coordinates, and the box that they make.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sbox/boxes.hpp"

namespace fugu::cli {

struct Entry {
  std::uint32_t value = 0;
  std::size_t line = 0;  // 0: unknown
};
using Entries = std::vector<Entry>;

// `most`: the outputs that an entry has room for. Throws Error{usage} for entries that do not make a box.
spectral::SBox box_of(const Entries& entries, const BoxOptions& options, int most = 32);

// A number as one of many languages writes it.
std::optional<std::uint32_t> number_of(std::string_view word);

// Numbers in any brackets, with comments.
Entries numbers_of(std::string_view text);

spectral::SBox parse_text(std::string_view text, const BoxOptions& options);

// Numbers in the order of --from des, which are rearranged.
spectral::SBox parse_des(std::string_view text, const BoxOptions& options);

// A run of hexadecimal digits, with spaces and underscores.
spectral::SBox parse_hex_box(std::string_view text, const BoxOptions& options);
bool is_hex(std::string_view text);
std::string without_spaces(std::string_view text);

// Integers of `entry_bytes` bytes each.
template <std::size_t entry_bytes, std::endian order>
spectral::SBox parse_raw(std::string_view bytes, const BoxOptions& options);

spectral::SBox box_of_row(std::span<const std::int64_t> row, const BoxOptions& options);

// Nonempty lines; '#' begins a comment.
std::vector<Line> lines_of(std::string_view text);

// Truth tables in bits or hexadecimal digits, y0 first. Throws Error{usage} naming the line.
spectral::SBox parse_rows(std::string_view text, const BoxOptions& options);

// A polynomial over the field of the options.
spectral::SBox parse_univariate(std::string_view text, const BoxOptions& options);

// Algebraic normal forms.
spectral::SBox parse_polynomials(std::string_view text, const BoxOptions& options);

[[noreturn]] void refuse_sage_order();

}  // namespace fugu::cli
