// Results of fugu sbox.
#pragma once

#include <optional>
#include <string>

#include "cli/sbox/boxes.hpp"

namespace fugu::cli {

enum class BoxOutput : std::uint8_t { text, npy, npy16, raw, sage, hex };

// The format of --to; text by default.
BoxOutput output_format(const Arguments& arguments);

void write_text(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

// For people: --quiet suppresses it on standard output.
void write_report(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

void write_box(const Arguments& arguments, std::optional<stream::FileId> input, const spectral::SBox& box);

}  // namespace fugu::cli
