// Results of fugu sbox: texts, boxes, and tables row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cli/options.hpp"
#include "cli/sbox/boxes.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::cli {

enum class BoxOutput : std::uint8_t { text, npy, npy16, raw, sage, hex, json, csv };

// The format of --to; text by default.
BoxOutput output_format(const Arguments& arguments);

void write_text(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

// For people: --quiet suppresses it on standard output.
void write_report(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

void write_box(const Arguments& arguments, std::optional<stream::FileId> input, const spectral::SBox& box);

// value / 2^bits in lowest terms.
std::string fraction(std::int64_t value, int bits);

struct RowFormat {
  BoxOutput format;
  Range rows;
  Range columns;
  std::optional<int> fraction_bits;  // denominators are 2 to this power
  bool sparse = false;               // text lists nonzero entries: "a b value"
};

class RowWriter {
 public:
  RowWriter(const RowFormat& format, stream::Sink& sink);

  // Writes the chosen columns of row a; call it in the order of the rows.
  void write(std::uint64_t a, std::span<const std::int32_t> row);
  void finish();

 private:
  void append_number(std::int32_t value);
  void append_numbers(std::span<const std::int32_t> row, std::string_view between);
  void append_sparse(std::uint64_t a, std::span<const std::int32_t> row);
  void append_narrow(std::span<const std::int32_t> row);
  void flush();

  RowFormat format_;
  char between_;  // numbers of a line
  stream::Sink& sink_;
  std::string text_;
};

}  // namespace fugu::cli
