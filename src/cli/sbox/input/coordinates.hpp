// S-boxes with one coordinate per line.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/sbox/input/parse.hpp"

namespace fugu::cli {

struct Row {
  std::string_view text;
  std::size_t number;
};

// Nonempty lines; '#' begins a comment.
std::vector<Row> rows_of(std::string_view text);

// Truth tables in bits or hexadecimal digits, y0 first. Throws Error{usage} naming the line.
spectral::SBox parse_rows(std::string_view text, const BoxOptions& options);

// Algebraic normal forms.
spectral::SBox parse_polynomials(std::string_view text, const BoxOptions& options);

[[noreturn]] void refuse_sage_order();

}  // namespace fugu::cli
