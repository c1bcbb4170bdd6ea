// Pictures of --plot: a histogram as bars, a table as a heat map. Colours grow darker with the magnitude, or
// lighter with a signed value, so that they are distinct in grey too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

// Above this many cells per side, a picture is drawn in pixels only.
inline constexpr std::size_t kMaxDrawnCells = 512;
inline constexpr std::uint64_t kMaxPictureCells = std::uint64_t{1} << 26;

struct Bars {
  std::string title;
  std::string x_label;
  std::string y_label;
  spectral::Histogram histogram;  // not empty
};

struct HeatMap {
  std::string title;
  std::string row_label;
  std::string column_label;
  std::string values;  // that the colours show, such as "absolute values"
  std::uint64_t first_row = 0;
  std::uint64_t first_column = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_signed = false;
  std::vector<std::int32_t> cells{};  // row by row; not below 0 unless signed

  std::string heading() const;

  // The heading, the axes and the scale in a few sentences.
  std::string description() const;

  // Every so many rows or columns have a tick.
  static std::uint64_t tick_distance(std::uint64_t count) { return count < 16 ? 1 : count / 8; }

  // The value of the darkest colour, or of the first and last: the largest magnitude outside row 0 and column
  // 0, which are the same for every box.
  std::uint32_t darkest() const;
};

std::string bars_svg(const Bars& bars);
std::string heat_map_svg(const HeatMap& map);
std::string heat_map_png(const HeatMap& map);

// Whether --plot names a .png file. Throws Error{usage} for a name that ends in neither .svg nor .png.
bool is_png(const Arguments& arguments);

// Write the file that --plot names. Throw Error{usage} if such a picture is not drawn in its format.
void plot(const Arguments& arguments, std::optional<stream::FileId> input, const Bars& bars);
void plot(const Arguments& arguments, std::optional<stream::FileId> input, const HeatMap& map);

}  // namespace fugu::cli
