// The formats of boxes: entries as consecutive numbers or by coordinates, and the box that they make.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cli/sbox/boxes.hpp"

namespace fugu::cli {

// The format of --from; null: to be detected. Throws Error{usage}.
ParseBox format_option(const Arguments& arguments);

bool is_npy(std::string_view bytes, const BoxOptions& options);
bool is_univariate(const BoxOptions& options);

// In the order of bits of the options. Throw Error{usage} for what makes no box.
spectral::SBox parse_box(std::string_view bytes, const BoxOptions& options);
spectral::SBox box_of_row(std::span<const std::int64_t> row, const BoxOptions& options);

// A number as one of many languages writes it.
std::optional<std::uint32_t> number_of(std::string_view word);

// Nonempty lines; '#' begins a comment.
std::vector<Line> lines_of(std::string_view text);

[[noreturn]] void refuse_sage_order();

}  // namespace fugu::cli
