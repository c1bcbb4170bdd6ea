// Pictures as SVG, which is text, by hand.
#include "cli/picture/picture.hpp"

#include <png.h>
#include <zlib.h>

#include <numeric>

#include "cli/lab/work.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kGreen = "#0b6e4f";
constexpr std::string_view kGrid = "#e4e4e4";
constexpr std::string_view kText = "#222222";

std::string hex_colour(std::size_t shade, bool is_signed) {
  const Colour colour = colour_of(shade, is_signed);
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<' || c == '&' || c == '"' || byte < 0x20) {
      result += fmt::format("&#{};", byte < 0x20 ? '?' : byte);
    } else {
      result += c;
    }
  }
  return result;
}

enum class Anchor : std::uint8_t { start, middle, end };

std::string text_at(double x, double y, std::string_view text, Anchor anchor = Anchor::middle, int size = 12,
                    bool upright = false) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  return fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"{2}\" font-size=\"{3}\"{4}>{5}</text>\n", x, y,
      kAnchors[static_cast<int>(anchor)], size,
      upright ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y) : "", escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"1\"/>\n",
      x1, y1, x2, y2, colour);
}

std::string svg(double width, double height, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"DejaVu Sans, sans-serif\" fill=\"{2}\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, kText, body);
}

// The distance of ticks, at most ten of them: 1, 2 or 5 times a power of ten.
std::int64_t tick_step(std::int64_t span) {
  std::int64_t step = 1;
  for (int i = 0; span / step > 9; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

// The frame around the bars.
struct Frame {
  static constexpr double kLeft = 78, kTop = 44, kWidth = 560, kHeight = 300;

  std::int64_t low, high;  // values of the axis
  std::int64_t step;       // smallest distance of two values
  bool logarithmic;
  double most;  // the largest count

  explicit Frame(const spectral::Histogram& histogram)
      : low(histogram.begin()->first), high(histogram.rbegin()->first), step(0), logarithmic(false), most(0) {
    double least = 0;
    for (const auto& [value, count] : histogram) {
      step = std::gcd(step, value - low);
      most = std::max(most, static_cast<double>(count));
      least = least == 0 ? static_cast<double>(count) : std::min(least, static_cast<double>(count));
    }
    step = std::max<std::int64_t>(step, 1);
    logarithmic = most > 50 * least;
  }

  double x(double value) const {
    const auto span = static_cast<double>(high - low + step);
    return kLeft + (value - static_cast<double>(low) + 0.5 * static_cast<double>(step)) / span * kWidth;
  }
  double y(double count) const {
    const double part = logarithmic ? (std::log10(count) + 0.3) / (std::log10(most) + 0.3) : count / most;
    return kTop + kHeight * (1 - part * 0.96);
  }
  double bar_width() const {
    return std::max(1.5, 0.8 * kWidth * static_cast<double>(step) / static_cast<double>(high - low + step));
  }

  std::vector<double> count_ticks() const {
    std::vector<double> ticks;
    if (logarithmic) {
      const double by = std::log10(most) > 9 ? 100 : 10;
      for (double tick = 1; tick <= most; tick *= by) ticks.push_back(tick);
    } else {
      const auto by = static_cast<double>(tick_step(static_cast<std::int64_t>(most)));
      for (double tick = 0; tick <= most; tick += by) ticks.push_back(tick);
    }
    return ticks;
  }
};

std::string count_text(double count) {
  if (count < 1e5) return fmt::format("{:.0f}", count);
  const int exponent = static_cast<int>(std::floor(std::log10(count) + 1e-9));
  const double mantissa = count / std::pow(10, exponent);
  return mantissa < 1.05 ? fmt::format("1e{}", exponent) : fmt::format("{:.1f}e{}", mantissa, exponent);
}

std::string value_ticks(const Frame& frame) {
  std::string body;
  const std::int64_t by =
      std::max(frame.step, (tick_step(frame.high - frame.low) + frame.step - 1) / frame.step * frame.step);
  // Ticks are at multiples of the distance.
  std::int64_t first = frame.low;
  if (frame.low % frame.step == 0)
    while (first % by != 0) first += frame.step;
  for (std::int64_t value = first; value <= frame.high; value += by) {
    const double x = frame.x(static_cast<double>(value));
    body += line(x, Frame::kTop + Frame::kHeight, x, Frame::kTop + Frame::kHeight + 4, kText);
    body += text_at(x, Frame::kTop + Frame::kHeight + 18, std::to_string(value), Anchor::middle, 11);
  }
  return body;
}

// One subpath for each run of cells with one shade.
std::array<std::string, kShades> shade_paths(const HeatMap& map, double cell) {
  std::array<std::string, kShades> paths;
  const Shades shades(map);
  for (std::size_t row = 0; row < map.rows; ++row) {
    const std::int32_t* const values = &map.cells[row * map.columns];
    for (std::size_t from = 0, to = 0; from < map.columns; from = to) {
      const std::size_t shade = shades.of(values[from]);
      for (to = from + 1; to < map.columns && shades.of(values[to]) == shade; ++to) {
      }
      if (shade != shades.of(0)) {
        paths[shade] += fmt::format("M{:g} {:g}h{:g}v{:g}h-{:g}z", static_cast<double>(from) * cell,
                                    static_cast<double>(row) * cell, static_cast<double>(to - from) * cell,
                                    cell, static_cast<double>(to - from) * cell);
      }
    }
  }
  return paths;
}

// The legend of the shades.
std::string shade_scale(const HeatMap& map, double left, double top, double height) {
  const double step = height / kShades;
  std::string body;
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"14\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                        left, top + height - static_cast<double>(shade + 1) * step, step + 0.2,
                        hex_colour(shade, map.is_signed));
  }
  body += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n", left,
      top, height, kText);
  const Shades shades(map);
  for (const std::int64_t value : shades.ticks()) {
    const auto shade = static_cast<double>(shades.of(value));
    body +=
        text_at(left + 20, top + height - (shade + 0.5) * step + 4, std::to_string(value), Anchor::start, 11);
  }
  return body;
}

std::string mask_ticks(std::uint64_t first, std::uint64_t count, double at, double start, double cell,
                       bool rows) {
  std::string body;
  for (std::uint64_t i = 0; i < count; i += HeatMap::tick_distance(count)) {
    const double place = start + (static_cast<double>(i) + 0.5) * cell;
    const std::string label = fmt::format("{:x}", first + i);
    body += rows ? text_at(at - 6, place + 4, label, Anchor::end, 11)
                 : text_at(place, at + 15, label, Anchor::middle, 11);
  }
  return body;
}

void write_picture(const Arguments& arguments, std::optional<stream::FileId> input, bool binary,
                   const std::string& picture) {
  write_output(arguments, {.binary = binary, .input = input, .option = "plot"}, picture);
}

// Each cell is a square of `scale` pixels a side.
std::vector<png_byte> pixels_of(const HeatMap& map, std::size_t scale) {
  const Shades shades(map);
  std::vector<png_byte> pixels;
  pixels.reserve(map.cells.size() * scale * scale);
  for (std::size_t row = 0; row < map.rows; ++row) {
    std::vector<png_byte> line;
    for (const std::int32_t value : std::span(map.cells).subspan(row * map.columns, map.columns))
      line.insert(line.end(), scale, static_cast<png_byte>(shades.of(value)));
    for (std::size_t i = 0; i < scale; ++i) pixels.insert(pixels.end(), line.begin(), line.end());
  }
  return pixels;
}

std::array<png_byte, 3 * kShades> palette_of(const HeatMap& map) {
  std::array<png_byte, 3 * kShades> palette;
  for (std::size_t i = 0; i < kShades; ++i) {
    const Colour colour = colour_of(i, map.is_signed);
    palette[3 * i] = static_cast<png_byte>(colour.red);
    palette[3 * i + 1] = static_cast<png_byte>(colour.green);
    palette[3 * i + 2] = static_cast<png_byte>(colour.blue);
  }
  return palette;
}

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

// An iTXt chunk, whose text is UTF-8, not compressed, of no language.
std::string text_chunk(std::string_view keyword, std::string_view text) {
  const std::string content = fmt::format("iTXt{}{}{}", keyword, std::string_view("\0\0\0\0\0", 5), text);
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(content.size() - 4));
  chunk += content;
  const auto* const bytes = reinterpret_cast<const Bytef*>(content.data());
  append_big_endian(chunk, static_cast<std::uint32_t>(::crc32(0, bytes, static_cast<uInt>(content.size()))));
  return chunk;
}

}  // namespace

std::uint32_t HeatMap::darkest() const {
  const auto magnitude = [](std::int32_t value) { return static_cast<std::uint32_t>(std::abs(value)); };
  std::uint32_t largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (first_row + row != 0 && first_column + column != 0)
        largest = std::max(largest, magnitude(cells[row * columns + column]));
    }
  }
  return std::max(largest, std::uint32_t{1});
}

std::string HeatMap::heading() const {
  return fmt::format("{}: {}", title, values);
}

std::string HeatMap::description() const {
  return fmt::format(
      "{}. Rows from top to bottom: {}, from {:x}. Columns from left to right: {}, from {:x}. Colours go "
      "from {}{}; values of larger magnitude have the colours of the ends.",
      heading(), row_label, first_row, column_label, first_column,
      is_signed ? fmt::format("-{}, dark, through 0, grey, to ", darkest()) : "0, white, to ",
      is_signed ? fmt::format("{}, light", darkest()) : fmt::format("{}, dark", darkest()));
}

std::string bars_svg(const Bars& bars) {
  const Frame frame(bars.histogram);
  const double bottom = Frame::kTop + Frame::kHeight;
  std::string body = text_at(Frame::kLeft, 24, bars.title, Anchor::start, 14);
  for (const double tick : frame.count_ticks()) {
    body += line(Frame::kLeft, frame.y(tick), Frame::kLeft + Frame::kWidth, frame.y(tick), kGrid);
    body += text_at(Frame::kLeft - 6, frame.y(tick) + 4, count_text(tick), Anchor::end, 11);
  }
  body += fmt::format("<g fill=\"{}\">\n", kGreen);
  for (const auto& [value, count] : bars.histogram) {
    const double top = frame.y(static_cast<double>(count));
    body += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{}: {}</title></rect>\n",
        frame.x(static_cast<double>(value)) - frame.bar_width() / 2, top, frame.bar_width(), bottom - top,
        value, count);
  }
  body +=
      "</g>\n" + line(Frame::kLeft, bottom, Frame::kLeft + Frame::kWidth, bottom, kText) + value_ticks(frame);
  body += text_at(Frame::kLeft + Frame::kWidth / 2, bottom + 40, bars.x_label);
  body += text_at(20, Frame::kTop + Frame::kHeight / 2,
                  bars.y_label + (frame.logarithmic ? ", logarithmic" : ""), Anchor::middle, 12, true);
  return svg(Frame::kLeft + Frame::kWidth + 24, bottom + 56, body);
}

std::string heat_map_svg(const HeatMap& map) {
  constexpr double kLeft = 66, kTop = 44, kSide = 512;
  const double cell = kSide / static_cast<double>(std::max(map.rows, map.columns));
  const double width = cell * static_cast<double>(map.columns);
  const double height = cell * static_cast<double>(map.rows);
  std::string body = text_at(kLeft, 24, map.heading(), Anchor::start, 14);
  body += fmt::format("<g transform=\"translate({} {})\" shape-rendering=\"crispEdges\">\n", kLeft, kTop);
  body += fmt::format("<rect width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", width, height,
                      hex_colour(Shades(map).of(0), map.is_signed));
  const auto paths = shade_paths(map, cell);
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    if (!paths[shade].empty())
      body += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", hex_colour(shade, map.is_signed), paths[shade]);
  }
  body += fmt::format("<rect width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n</g>\n", width,
                      height, kText);
  body += mask_ticks(map.first_row, map.rows, kLeft, kTop, cell, true);
  body += mask_ticks(map.first_column, map.columns, kTop + height, kLeft, cell, false);
  body += text_at(kLeft + width / 2, kTop + height + 36, map.column_label);
  body += text_at(18, kTop + height / 2, map.row_label, Anchor::middle, 12, true);
  body += shade_scale(map, kLeft + width + 18, kTop, std::min(height, 200.0));
  return svg(kLeft + width + 96, kTop + std::max(height, 60.0) + 52, body);
}

bool is_png(const Arguments& arguments) {
  const std::string name = *arguments.value("plot");
  if (name.ends_with(".png")) return true;
  if (name.ends_with(".svg")) return false;
  refuse("--plot takes a name that ends in .svg or .png, not '{}'", printable(name));
}

void plot(const Arguments& arguments, std::optional<stream::FileId> input, const Bars& bars) {
  if (is_png(arguments)) refuse("bars are drawn only as .svg");
  write_picture(arguments, input, false, bars_svg(bars));
}

void plot(const Arguments& arguments, std::optional<stream::FileId> input, const HeatMap& map) {
  const bool png = is_png(arguments);
  if (!png && std::max(map.rows, map.columns) > kMaxDrawnCells) {
    refuse("{0} x {1} cells need a .png; .svg takes at most {2} x {2}", map.rows, map.columns,
           kMaxDrawnCells);
  }
  write_picture(arguments, input, png, png ? heat_map_png(map) : heat_map_svg(map));
  if (png) say_note(map.description());
}

std::string heat_map_png(const HeatMap& map) {
  const std::size_t scale = std::max<std::size_t>(1, kMaxDrawnCells / std::max(map.rows, map.columns));
  const auto pixels = pixels_of(map, scale);
  const auto palette = palette_of(map);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(map.columns * scale);
  image.height = static_cast<png_uint_32>(map.rows * scale);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = kShades;
  png_alloc_size_t bytes = 0;
  std::string picture;
  if (png_image_write_get_memory_size(image, bytes, 0, pixels.data(), 0, palette.data())) {
    picture.resize(bytes);
    if (png_image_write_to_memory(&image, picture.data(), &bytes, 0, pixels.data(), 0, palette.data()) != 0) {
      picture.resize(bytes);
      constexpr std::size_t kHeader = 33;  // the signature and IHDR, which come first
      return picture.insert(kHeader,
                            text_chunk("Title", map.title) + text_chunk("Description", map.description()));
    }
  }
  throw Error(Errc::io, fmt::format("the picture was not made: {}", image.message));
}

}  // namespace fugu::cli
