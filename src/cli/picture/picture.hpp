// Pictures of --plot: a histogram as bars, a table as a heat map. Colours grow darker with the magnitude, or
// lighter with a signed value, so that they are distinct in grey too.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>

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
  std::string values;  // what the colours show, such as "absolute values"
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

// The colours of heat maps, the same in every kind of picture.
inline constexpr std::size_t kShades = 33;

struct Colour {
  int red, green, blue;
};

// White for 0, and darker for more; signed: from dark blue through grey for 0 to light yellow.
inline Colour colour_of(std::size_t shade, bool is_signed) {
  static constexpr Colour kMagnitudes[] = {
      {255, 255, 255}, {190, 224, 191}, {90, 174, 110}, {11, 110, 79}, {2, 28, 20}};
  static constexpr Colour kSigned[] = {
      {8, 29, 88}, {44, 84, 150}, {150, 150, 150}, {236, 176, 92}, {255, 250, 210}};
  const Colour* const stops = is_signed ? kSigned : kMagnitudes;
  constexpr std::size_t kLast = std::size(kMagnitudes) - 1;
  const double place = static_cast<double>(shade) / (kShades - 1) * kLast;
  const auto stop = std::min(static_cast<std::size_t>(place), kLast - 1);
  const double part = place - static_cast<double>(stop);
  const auto between = [&](int a, int b) { return static_cast<int>(std::lround(a + part * (b - a))); };
  const Colour a = stops[stop], b = stops[stop + 1];
  return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

// The shades of a map's values. Only 0 has the shade of 0; entries far above the darkest, such as delta(0,0),
// are as dark as that.
class Shades {
 public:
  explicit Shades(const HeatMap& map) : signed_(map.is_signed), darkest_(map.darkest()) {}

  std::size_t of(std::int64_t value) const {
    const std::size_t zero = signed_ ? (kShades - 1) / 2 : 0;
    if (value == 0) return zero;
    const auto most = static_cast<double>(kShades - 1 - zero);
    const double part = std::min(1.0, static_cast<double>(std::abs(value)) / darkest_);
    const auto away = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(part * most)));
    return value < 0 ? zero - away : zero + away;
  }

  // The values that the scale names.
  std::vector<std::int64_t> ticks() const {
    const std::int64_t parts = std::min<std::int64_t>(darkest_, signed_ ? 2 : 4);
    std::vector<std::int64_t> values;
    for (std::int64_t i = signed_ ? -parts : 0; i <= parts; ++i)
      values.push_back(std::int64_t{darkest_} * i / parts);
    return values;
  }

 private:
  bool signed_;
  std::uint32_t darkest_;
};

}  // namespace fugu::cli
