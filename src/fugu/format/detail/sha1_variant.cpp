#include "fugu/format/detail/sha1_variant.hpp"

#include <algorithm>
#include <bit>

#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kSha1BlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kWords = 16;

using State = std::array<std::uint32_t, 5>;
using Block = std::span<const std::byte, kSha1BlockBytes>;

constexpr State kInitial{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};  // FIPS 180-4, 5.3.1

std::uint32_t load_word(std::span<const std::byte> bytes, core::ByteOrder order) {
  return static_cast<std::uint32_t>(order == core::ByteOrder::big ? load_big(bytes) : load_little(bytes));
}

void store_word(std::span<std::byte> bytes, std::uint32_t word, core::ByteOrder order) {
  store_little(order == core::ByteOrder::big ? core::byte_swap(word) : word, bytes);
}

// The functions and constants of FIPS 180-4, 4.1.1 and 4.2.1.
std::uint32_t mix(unsigned round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

// FIPS 180-4, 6.1.3: the message schedule is a ring of 16 words.
void compress(State& state, Block block, core::ByteOrder order) {
  std::array<std::uint32_t, kWords> w;
  for (std::size_t i = 0; i < kWords; ++i) w[i] = load_word(block.subspan(4 * i, 4), order);
  auto [a, b, c, d, e] = state;
  for (unsigned round = 0; round < 80; ++round) {
    std::uint32_t& word = w[round % kWords];
    if (round >= kWords)
      word =
          std::rotl(w[(round + 13) % kWords] ^ w[(round + 8) % kWords] ^ w[(round + 2) % kWords] ^ word, 1);
    const std::uint32_t next = std::rotl(a, 5) + mix(round, b, c, d) + e + word;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const State added{a, b, c, d, e};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
  core::wipe(w.data(), sizeof w);
}

}  // namespace

Sha1Digest sha1_variant(std::span<const std::byte> message, const Sha1Variant& variant) {
  State state = variant.zero_state ? State{} : kInitial;
  const std::uint64_t bits = 8 * std::uint64_t{message.size()};
  for (; message.size() >= kSha1BlockBytes; message = message.subspan(kSha1BlockBytes))
    compress(state, message.first<kSha1BlockBytes>(), variant.words);
  std::array<std::byte, 2 * kSha1BlockBytes> tail{};
  std::ranges::copy(message, tail.begin());
  tail[message.size()] = std::byte{0x80};
  const std::size_t most = kSha1BlockBytes - 1 - kLengthBytes - (variant.is_openoffice ? 4 : 0);
  const std::size_t bytes = message.size() <= most ? kSha1BlockBytes : 2 * kSha1BlockBytes;
  for (unsigned i = 0; i < kLengthBytes; ++i) tail[bytes - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  for (std::size_t at = 0; at < bytes; at += kSha1BlockBytes)
    compress(state, std::span(tail).subspan(at).first<kSha1BlockBytes>(), variant.words);
  core::wipe(tail.data(), tail.size());
  Sha1Digest digest;
  for (std::size_t i = 0; i < state.size(); ++i)
    store_word(std::span(digest).subspan(4 * i, 4), state[i], variant.words);
  return digest;
}

}  // namespace fugu::format
