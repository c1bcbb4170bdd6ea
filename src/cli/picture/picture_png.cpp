// Heat maps in pixels, by libpng. There are no letters: what a picture shows is text in its file.
#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <array>
#include <span>
#include <string_view>

#include "cli/picture/picture.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

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
