#include "fugu/format/detail/message.hpp"

#include <algorithm>

#include "fugu/core/wiped.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {

void transform(engine::Engine& engine, const cipher::Schedule& schedule, mode::Settings settings,
               core::Direction direction, std::span<std::byte> message) {
  settings.padding = mode::Padding::none;
  mode::CipherStream(engine, schedule, settings, direction).process(message, message.size(), true);
}

void transform(engine::Engine& engine, std::span<const std::byte> key, const mode::Settings& settings,
               core::Direction direction, std::span<std::byte> message) {
  transform(engine, schedule_of(key), settings, direction, message);
}

cipher::Schedule schedule_of(std::span<const std::byte> key) {
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  return schedule;
}

mode::Iv iv_of(std::span<const std::byte> block) {
  mode::Iv iv;
  std::ranges::copy(block.first(iv.size()), iv.begin());
  return iv;
}

double beginning_bits(engine::Engine& engine, const cipher::Schedule& schedule,
                      const mode::Settings& settings, std::span<const std::byte> ciphertext) {
  core::WipedBytes beginning(ciphertext.begin(), ciphertext.end());
  if (mode::is_padded(settings.mode))
    beginning.resize(beginning.size() / core::kBlockBytes * core::kBlockBytes);
  transform(engine, schedule, settings, core::Direction::decrypt, beginning);
  return evidence_bits(beginning);
}

std::uint64_t load_big(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

double padding_bits(mode::Padding padding, std::size_t removed) {
  constexpr double kBitsOfCount = 5;  // a byte from 1 to 8
  if (!mode::always_pads(padding)) return 0;
  return padding == mode::Padding::iso10126 ? kBitsOfCount : 8 * static_cast<double>(removed);
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

std::uint64_t load_little(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i != 0; --i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i - 1]);
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(stream::kTextSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(stream::kTextSpace) + 1 - first);
}

void store_little(std::uint64_t value, std::span<std::byte> into) {
  for (std::byte& byte : into) {
    byte = static_cast<std::byte>(value & 0xff);
    value >>= 8;
  }
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return text_of(bytes).starts_with(magic);
}

std::optional<std::vector<std::byte>> parse_base64(std::string_view text) {
  std::vector<std::byte> bytes(text.size() + 8);
  const stream::DecodedText decoded = stream::decode_base64(text, bytes);
  if (!decoded) return std::nullopt;
  bytes.resize(decoded.bytes);
  return bytes;
}

}  // namespace fugu::format
