// The properties of a mode that do not depend on the key: its names, requirements and padding.
#include "fugu/mode/settings.hpp"

#include <algorithm>

#include "fugu/mode/detail/serial.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::mode {
namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kModeNames); ++i)
    if (static_cast<std::size_t>(kModeNames[i].mode) != i) return false;
  return true;
}
static_assert(is_in_order());

using core::kBlockBytes;

std::byte filler(Padding padding) {
  return padding == Padding::space || padding == Padding::always_space ? std::byte{' '} : std::byte{0};
}

std::size_t count_at_end(std::span<const std::byte> bytes, std::byte fill) {
  const auto data_end = std::find_if(bytes.rbegin(), bytes.rend(), [&](std::byte b) { return b != fill; });
  return static_cast<std::size_t>(data_end - bytes.rbegin());
}

// The number that the last byte counts, if the bytes counted before it are all `fill`.
std::optional<std::size_t> counted(std::span<const std::byte> block, std::optional<std::byte> fill) {
  const auto n = block.empty() ? 0 : std::to_integer<std::size_t>(block.back());
  if (n < 1 || n > block.size()) return std::nullopt;
  const bool valid = !fill || count_at_end(block.first(block.size() - 1), *fill) >= n - 1;
  return valid ? std::optional(n) : std::nullopt;
}

std::optional<std::size_t> one_and_zeros(std::span<const std::byte> block) {
  const std::size_t zeros = count_at_end(block, std::byte{0});
  const bool has_one = zeros < block.size() && block[block.size() - zeros - 1] == std::byte{0x80};
  return has_one ? std::optional(zeros + 1) : std::nullopt;
}

std::optional<std::size_t> nonzero(std::size_t bytes) {
  return bytes == 0 ? std::nullopt : std::optional(bytes);
}

bool is_text(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned>(byte);
    return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r');
  });
}

// The padding that the last block shows. A wrong key seldom produces one: two fillers, or text and fillers.
Padding looks_like(std::span<const std::byte> plaintext) {
  if (plaintext.size() < kBlockBytes) return Padding::pkcs7;
  const auto block = plaintext.last(kBlockBytes);
  for (const Padding padding : {Padding::zero, Padding::space}) {
    const std::size_t fillers = *padding_bytes(padding, block);
    if (fillers > 1 || (fillers == 1 && is_text(block.first(kBlockBytes - 1)))) return padding;
  }
  return is_text(block) ? Padding::none : Padding::pkcs7;
}

// What is added to the data: not empty.
void fill(Padding padding, std::span<std::byte> added) {
  const auto count = static_cast<std::byte>(added.size());
  std::ranges::fill(added, padding == Padding::pkcs7 ? count : filler(padding));
  if (padding == Padding::iso10126) platform::system_random(added);
  if (padding == Padding::x923 || padding == Padding::iso10126) added.back() = count;
  if (padding == Padding::one_and_zeros || padding == Padding::one_and_zeros_or_none)
    added.front() = std::byte{0x80};
}

}  // namespace

std::string_view name_of(Mode mode) noexcept {
  return kModeNames[static_cast<std::size_t>(mode)].name;
}

std::optional<Mode> mode_named(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(kModeNames, [name](const ModeName& row) {
    return !name.empty() && (row.name == name || row.alias == name);
  });
  if (found == kModeNames.end()) return std::nullopt;
  return found->mode;
}

bool is_serial(Mode mode, Direction direction) noexcept {
  const bool chained = mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8 || mode == Mode::pcbc;
  return mode == Mode::ofb || mode == Mode::ofb8 || (chained && direction == Direction::encrypt);
}

bool is_padded(Mode mode) noexcept {
  return mode == Mode::ecb || mode == Mode::cbc || mode == Mode::pcbc;
}

// A padding that is always added cannot have written an empty block.
bool always_pads(Padding padding) noexcept {
  return !padding_bytes(padding, {});
}

std::optional<std::size_t> padding_bytes(Padding padding, std::span<const std::byte> block) noexcept {
  switch (padding) {
    case Padding::pkcs7:
      return counted(block, block.empty() ? std::byte{0} : block.back());
    case Padding::x923:
      return counted(block, std::byte{0});
    case Padding::iso10126:
      return counted(block, std::nullopt);
    case Padding::zero:
    case Padding::space:
      return count_at_end(block, filler(padding));
    case Padding::always_zero:
    case Padding::always_space:
      return nonzero(count_at_end(block, filler(padding)));
    case Padding::one_and_zeros:
      return one_and_zeros(block);
    case Padding::one_and_zeros_or_none:
      return one_and_zeros(block).value_or(0);
    case Padding::none:
    case Padding::residual:
    case Padding::clear_rest:
    case Padding::cs1:
    case Padding::cs2:
    case Padding::cs3:
      break;
  }
  return 0;
}

std::size_t add_padding(Padding padding, std::span<std::byte> buffer, std::size_t size_bytes) {
  const std::size_t missing = (kBlockBytes - size_bytes % kBlockBytes) % kBlockBytes;
  if (padding == Padding::none) {
    if (missing != 0) throw Error(Errc::usage, "the input is not a multiple of 8 bytes: it needs padding");
    return size_bytes;
  }
  const std::size_t added = always_pads(padding) && missing == 0 ? kBlockBytes : missing;
  if (added == 0 || keeps_length(padding)) return size_bytes;
  if (buffer.size() - size_bytes < added) throw Error(Errc::usage, "no room for the padding");
  fill(padding, buffer.subspan(size_bytes, added));
  return size_bytes + added;
}

void check_ciphertext_size(Padding padding, std::size_t last_bytes) {
  if (last_bytes % kBlockBytes != 0 && !keeps_length(padding)) throw WrongLength();
  if (always_pads(padding) && last_bytes == 0) throw Error(Errc::damaged, "the padding is missing");
}

std::size_t unpadded_size(Padding padding, std::span<const std::byte> plaintext) {
  const std::optional<std::size_t> bytes =
      padding_bytes(padding, plaintext.last(std::min(plaintext.size(), kBlockBytes)));
  if (!bytes) throw WrongPadding(looks_like(plaintext));
  return plaintext.size() - *bytes;
}

}  // namespace fugu::mode
