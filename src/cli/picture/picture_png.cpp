// Heat maps in pixels, by libpng: a palette of the shades, then text and background.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/picture/picture.hpp"
#include "cli/picture/pixel_letters.hpp"
#include "cli/picture/shades.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

constexpr png_byte kInk = kShades, kPaper = kShades + 1;
constexpr std::size_t kColours = kShades + 2;

// Around the cells, in pixels; on the right a gap, the scale and its values.
constexpr std::size_t kLeft = 72, kTop = 40, kBottom = 56, kGap = 16, kScaleWidth = 14, kRight = 120;
constexpr std::size_t kLetterScale = 2;
constexpr std::size_t kAdvance = kLetterScale * (kLetterWidth + 1);
constexpr std::size_t kLineHeight = kLetterScale * kLetterHeight;

class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height)
      : width_(width), height_(height), pixels_(width * height, kPaper) {}

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  const png_byte* pixels() const { return pixels_.data(); }

  // What lies outside is not drawn.
  void dot(std::size_t x, std::size_t y, png_byte colour) {
    if (x < width_ && y < height_) pixels_[y * width_ + x] = colour;
  }
  void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, png_byte colour) {
    for (std::size_t row = y; row < y + height; ++row)
      for (std::size_t column = x; column < x + width; ++column) dot(column, row, colour);
  }

  void text(std::size_t x, std::size_t y, std::string_view words) {
    for_each_dot(words, [&](std::size_t along, std::size_t down) {
      fill(x + along, y + down, kLetterScale, kLetterScale, kInk);
    });
  }
  // From the bottom to the top, beginning at y.
  void upright_text(std::size_t x, std::size_t y, std::string_view words) {
    for_each_dot(words, [&](std::size_t along, std::size_t down) {
      fill(x + down, y - along - kLetterScale, kLetterScale, kLetterScale, kInk);
    });
  }

 private:
  template <class Visit>
  static void for_each_dot(std::string_view words, Visit visit) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Letter letter = letter_of(words[i]);
      for (std::size_t row = 0; row < letter.size(); ++row) {
        for (std::size_t column = 0; column < kLetterWidth; ++column) {
          if ((letter[row] >> (kLetterWidth - 1 - column) & 1) != 0)
            visit(i * kAdvance + column * kLetterScale, row * kLetterScale);
        }
      }
    }
  }

  std::size_t width_;
  std::size_t height_;
  std::vector<png_byte> pixels_;
};

std::size_t width_of(std::string_view words) {
  return words.size() * kAdvance;
}

// Where words begin whose middle is at `middle`.
std::size_t centred(std::size_t middle, std::string_view words) {
  return middle - std::min(middle, width_of(words) / 2);
}

void draw_cells(Canvas& canvas, const HeatMap& map, std::size_t scale) {
  const Shades shades(map);
  for (std::size_t row = 0; row < map.rows; ++row) {
    for (std::size_t column = 0; column < map.columns; ++column)
      canvas.fill(kLeft + column * scale, kTop + row * scale, scale, scale,
                  static_cast<png_byte>(shades.of(map.cells[row * map.columns + column])));
  }
}

void draw_axes(Canvas& canvas, const HeatMap& map, std::size_t scale) {
  const std::size_t bottom = kTop + map.rows * scale;
  for (std::uint64_t i = 0; i < map.rows; i += HeatMap::tick_distance(map.rows)) {
    const std::string label = fmt::format("{:x}", map.first_row + i);
    const std::size_t middle = kTop + static_cast<std::size_t>(i) * scale + scale / 2;
    canvas.fill(kLeft - 5, middle, 4, 1, kInk);
    canvas.text(kLeft - 8 - std::min(kLeft - 8, width_of(label)), middle - kLineHeight / 2, label);
  }
  for (std::uint64_t i = 0; i < map.columns; i += HeatMap::tick_distance(map.columns)) {
    const std::string label = fmt::format("{:x}", map.first_column + i);
    const std::size_t middle = kLeft + static_cast<std::size_t>(i) * scale + scale / 2;
    canvas.fill(middle, bottom + 1, 1, 4, kInk);
    canvas.text(centred(middle, label), bottom + 8, label);
  }
  canvas.text(centred(kLeft + map.columns * scale / 2, map.column_label), bottom + 32, map.column_label);
  const std::size_t centre = kTop + map.rows * scale / 2;
  canvas.upright_text(4, centre + width_of(map.row_label) / 2, map.row_label);
}

// The largest value is at the top.
void draw_scale(Canvas& canvas, const HeatMap& map, std::size_t left, std::size_t height) {
  for (std::size_t y = 0; y < height; ++y)
    canvas.fill(left, kTop + y, kScaleWidth, 1, static_cast<png_byte>((height - 1 - y) * kShades / height));
  const Shades shades(map);
  for (const std::int64_t value : shades.ticks()) {
    const std::size_t middle = kTop + height - 1 - (2 * shades.of(value) + 1) * height / (2 * kShades);
    canvas.fill(left + kScaleWidth, middle, 4, 1, kInk);
    canvas.text(left + kScaleWidth + 8, middle - kLineHeight / 2, std::to_string(value));
  }
}

Canvas drawn(const HeatMap& map) {
  const std::size_t scale =
      std::max<std::size_t>(1, kMostDrawnCells / std::max(map.rows, map.columns));  // pixels of a cell's side
  const std::size_t cells = kLeft + map.columns * scale;
  const std::size_t height = std::max<std::size_t>(map.rows * scale, 128);
  Canvas canvas(std::max(cells + kRight, kLeft + width_of(map.heading()) + kGap), kTop + height + kBottom);
  canvas.text(kLeft, (kTop - kLineHeight) / 2, map.heading());
  draw_cells(canvas, map, scale);
  draw_axes(canvas, map, scale);
  draw_scale(canvas, map, cells + kGap, std::min<std::size_t>(height, 256));
  return canvas;
}

std::array<png_byte, 3 * kColours> palette_of(const HeatMap& map) {
  std::array<png_byte, 3 * kColours> palette;
  for (std::size_t i = 0; i < kColours; ++i) {
    Colour colour = i == kInk ? Colour{34, 34, 34} : Colour{255, 255, 255};
    if (i < kShades) colour = colour_of(i, map.is_signed);
    palette[3 * i] = static_cast<png_byte>(colour.red);
    palette[3 * i + 1] = static_cast<png_byte>(colour.green);
    palette[3 * i + 2] = static_cast<png_byte>(colour.blue);
  }
  return palette;
}

std::string description_of(const HeatMap& map) {
  return fmt::format(
      "{}. Rows from top to bottom: {}, from {:x}. Columns from left to right: {}, from {:x}. The scale on "
      "the "
      "right goes from {}{}; values of larger magnitude have the colours of its ends.",
      map.heading(), map.row_label, map.first_row, map.column_label, map.first_column,
      map.is_signed ? fmt::format("-{}, dark, over 0, grey, to ", map.darkest()) : "0, white, to ",
      map.is_signed ? fmt::format("{}, light", map.darkest()) : fmt::format("{}, dark", map.darkest()));
}

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

// The CRC of the PNG specification, section 5.5.
std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// An iTXt chunk, whose text is UTF-8, not compressed, of no language.
std::string text_chunk(std::string_view keyword, std::string_view text) {
  const std::string content = fmt::format("iTXt{}{}{}", keyword, std::string_view("\0\0\0\0\0", 5), text);
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(content.size() - 4));
  chunk += content;
  append_big_endian(chunk, crc_of(content));
  return chunk;
}

}  // namespace

std::string heat_map_png(const HeatMap& map) {
  const Canvas canvas = drawn(map);
  const auto palette = palette_of(map);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(canvas.width());
  image.height = static_cast<png_uint_32>(canvas.height());
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = kColours;
  png_alloc_size_t bytes = 0;
  std::string picture;
  if (png_image_write_get_memory_size(image, bytes, 0, canvas.pixels(), 0, palette.data())) {
    picture.resize(bytes);
    if (png_image_write_to_memory(&image, picture.data(), &bytes, 0, canvas.pixels(), 0, palette.data()) !=
        0) {
      picture.resize(bytes);
      constexpr std::size_t kHeader = 33;  // the signature and IHDR, which come first
      return picture.insert(kHeader,
                            text_chunk("Title", map.title) + text_chunk("Description", description_of(map)));
    }
  }
  throw Error(Errc::io, fmt::format("the picture was not made: {}", image.message));
}

}  // namespace fugu::cli
