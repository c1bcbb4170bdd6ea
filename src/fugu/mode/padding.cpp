// Padding of the last block.
#include "fugu/mode/detail/padding.hpp"

#include <algorithm>

#include "fugu/mode/wrong_padding.hpp"

namespace fugu::mode {
namespace {

using core::kBlockBytes;

std::byte filler(Padding padding) {
  return padding == Padding::space ? std::byte{' '} : std::byte{0};
}

std::size_t trailing_fillers(std::span<const std::byte> plaintext, std::byte fill) {
  const auto last_block = plaintext.last(std::min(plaintext.size(), kBlockBytes));
  const auto data_end =
      std::find_if(last_block.rbegin(), last_block.rend(), [&](std::byte b) { return b != fill; });
  return std::min(static_cast<std::size_t>(data_end - last_block.rbegin()), kBlockBytes - 1);
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
    const std::size_t fillers = trailing_fillers(block, filler(padding));
    if (fillers > 1 || (fillers == 1 && is_text(block.first(kBlockBytes - 1)))) return padding;
  }
  return is_text(block) ? Padding::none : Padding::pkcs7;
}

std::size_t pkcs7_bytes(std::span<const std::byte> plaintext) {
  const auto n = plaintext.empty() ? 0 : std::to_integer<std::size_t>(plaintext.back());
  const bool valid =
      n >= 1 && n <= kBlockBytes && n <= plaintext.size() &&
      std::ranges::all_of(plaintext.last(n), [&](std::byte b) { return b == plaintext.back(); });
  if (!valid) throw WrongPadding(looks_like(plaintext));
  return n;
}

}  // namespace

std::size_t add_padding(Padding padding, std::span<std::byte> buffer, std::size_t size_bytes) {
  const std::size_t missing = (kBlockBytes - size_bytes % kBlockBytes) % kBlockBytes;
  if (padding == Padding::none) {
    if (missing != 0) throw Error(Errc::usage, "the input is not a multiple of 8 bytes: it needs a padding");
    return size_bytes;
  }
  const std::size_t added = padding == Padding::pkcs7 && missing == 0 ? kBlockBytes : missing;
  if (buffer.size() - size_bytes < added) throw Error(Errc::usage, "no room for the padding");
  std::ranges::fill(buffer.subspan(size_bytes, added),
                    padding == Padding::pkcs7 ? static_cast<std::byte>(added) : filler(padding));
  return size_bytes + added;
}

void check_ciphertext_size(Padding padding, std::size_t last_bytes) {
  if (last_bytes % kBlockBytes != 0) throw WrongLength();
  if (padding == Padding::pkcs7 && last_bytes == 0)
    throw Error(Errc::damaged, "no data where padding has to be");
}

std::size_t unpadded_size(Padding padding, std::span<const std::byte> plaintext) {
  switch (padding) {
    case Padding::pkcs7:
      return plaintext.size() - pkcs7_bytes(plaintext);
    case Padding::zero:
    case Padding::space:
      return plaintext.size() - trailing_fillers(plaintext, filler(padding));
    case Padding::none:
      break;
  }
  return plaintext.size();
}

}  // namespace fugu::mode
