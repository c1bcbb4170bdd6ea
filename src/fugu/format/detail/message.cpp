#include "fugu/format/detail/message.hpp"

#include <set>

#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/option.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::format {
namespace {

// The bytes that the option's value spells; empty if it spells none.
std::optional<std::vector<std::byte>> iv_bytes(std::string_view given) {
  constexpr std::string_view kText = "text:", kBase64 = "base64:";
  if (given.starts_with(kBase64)) return parse_base64(given.substr(kBase64.size()));
  if (!given.starts_with(kText)) return parse_hex(given);
  const auto text = std::as_bytes(std::span(given.substr(kText.size())));
  return std::vector<std::byte>(text.begin(), text.end());
}

}  // namespace

bool concerns_input(const Error& error) {
  return error.doubts_secret() || error.code() == Errc::damaged || error.code() == Errc::unknown_format;
}

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

core::WipedBytes new_blocks(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) {
  std::set<std::uint64_t> seen;
  core::WipedBytes blocks;
  blocks.reserve(plaintext.size());
  for (std::size_t at = 0; at < plaintext.size(); at += core::kBlockBytes) {
    if (!seen.insert(load_big(ciphertext.subspan(at, core::kBlockBytes))).second) continue;
    const auto block = plaintext.subspan(at, std::min(core::kBlockBytes, plaintext.size() - at));
    append(blocks, block);
  }
  return blocks;
}

double beginning_bits(engine::Engine& engine, const cipher::Schedule& schedule,
                      const mode::Settings& settings, std::span<const std::byte> ciphertext) {
  core::WipedBytes beginning(ciphertext.begin(), ciphertext.end());
  if (mode::is_padded(settings.mode))
    beginning.resize(beginning.size() / core::kBlockBytes * core::kBlockBytes);
  transform(engine, schedule, settings, core::Direction::decrypt, beginning);
  return evidence_bits(mode::is_padded(settings.mode) ? new_blocks(ciphertext, beginning) : beginning);
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

mode::Iv parse_iv(std::string_view given, std::string_view values) {
  mode::Iv iv;
  if (given == "zero") return iv;
  const std::optional<std::vector<std::byte>> bytes = iv_bytes(given);
  if (bytes && bytes->size() == iv.size()) return iv_of(*bytes);
  std::string text = "⟦iv⟧ takes " + std::string(values);
  if (given.size() == core::kBlockBytes && given.find(':') == std::string_view::npos)
    text += "; for 8 characters as they are give text:12345678";
  else if (bytes)
    text += "; an IV has 8 bytes, and this one " + std::to_string(bytes->size());
  throw Error(Errc::usage, text);
}

}  // namespace fugu::format
