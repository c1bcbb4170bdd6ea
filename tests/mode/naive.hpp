// The modes by their definitions (NIST SP 800-38A, 6), one block at a time over OpenSSL's Blowfish-ECB.
// CipherStream is compared with them. For little-endian words, the bytes of both words are reversed around
// OpenSSL's cipher.
#pragma once

#include <array>

#include "fugu/auth/reference.hpp"
#include "fugu/mode/mode.hpp"
#include "support/bytes.hpp"

namespace fugu::mode::testing {

using test::Bytes;
using test::pattern;
using BlockBytes = std::array<std::byte, 8>;

inline BlockBytes operator^(BlockBytes a, const BlockBytes& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

class NaiveEncryption {
 public:
  NaiveEncryption(std::span<const std::byte> key, const Settings& settings)
      : settings_(settings),
        ecb_(auth::ReferenceMode::ecb, true, key),
        chain_(settings.iv.value_or(BlockBytes{})) {}

  // `data` is already padded if the mode takes whole blocks only.
  Bytes operator()(const Bytes& data) {
    Bytes out;
    const std::size_t unit = settings_.mode == Mode::cfb8 || settings_.mode == Mode::ofb8 ? 1 : 8;
    for (std::size_t at = 0; at < data.size(); at += unit) {
      BlockBytes in{};
      const std::size_t bytes = std::min(unit, data.size() - at);
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), bytes, in.begin());
      const BlockBytes result = next(in);
      out.insert(out.end(), result.begin(), result.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
    return out;
  }

 private:
  BlockBytes next(const BlockBytes& in) {
    switch (settings_.mode) {
      case Mode::ecb:
        return encrypt(in);
      case Mode::cbc:
        return chain_ = encrypt(in ^ chain_);
      case Mode::cfb64:
        return chain_ = in ^ encrypt(chain_);
      case Mode::ofb:
        return in ^ (chain_ = encrypt(chain_));
      case Mode::cfb8: {
        const BlockBytes out = in ^ encrypt(chain_);
        std::rotate(chain_.begin(), chain_.begin() + 1, chain_.end());
        chain_.back() = out.front();
        return out;
      }
      case Mode::ofb8: {
        const BlockBytes keystream = encrypt(chain_);
        std::rotate(chain_.begin(), chain_.begin() + 1, chain_.end());
        chain_.back() = keystream.front();
        return in ^ keystream;
      }
      case Mode::pcbc: {
        const BlockBytes out = encrypt(in ^ chain_);
        chain_ = in ^ out;
        return out;
      }
      case Mode::ctr:
        break;
    }
    const BlockBytes out = in ^ encrypt(chain_);
    increment(chain_);
    return out;
  }

  BlockBytes encrypt(BlockBytes block) {
    if (settings_.words == ByteOrder::little) turn_words(block);
    ecb_.update(block, block);
    if (settings_.words == ByteOrder::little) turn_words(block);
    return block;
  }

  static void turn_words(BlockBytes& block) {
    std::reverse(block.begin(), block.begin() + 4);
    std::reverse(block.begin() + 4, block.end());
  }

  // Adds one by hand, from the least significant byte on.
  void increment(BlockBytes& counter) const {
    const bool little = settings_.counter == ByteOrder::little;
    for (std::size_t i = 0; i < 8; ++i) {
      std::byte& digit = counter[little ? i : 7 - i];
      digit = static_cast<std::byte>(std::to_integer<unsigned>(digit) + 1);
      if (digit != std::byte{0}) return;
    }
  }

  Settings settings_;
  auth::ReferenceBlowfish ecb_;
  BlockBytes chain_;
};

// Returns the padded form of data (RFC 5652, 6.3 for pkcs7; ANSI X9.23; ISO 7816-4), or nothing if such data
// have none.
inline std::optional<Bytes> padded(Bytes data, Padding padding) {
  const std::size_t over = data.size() % 8;
  const auto count = static_cast<std::byte>(8 - over);
  const auto add = [&](std::byte first, std::byte fill, std::byte last) {
    data.insert(data.end(), 8 - over, fill);
    data[data.size() - (8 - over)] = first;
    data.back() = over == 7 && first != std::byte{0} ? first : last;
  };
  const std::byte zero{0}, one{0x80}, space{0x20};
  if (padding == Padding::pkcs7) add(count, count, count);
  if (padding == Padding::x923) add(zero, zero, count);
  if (padding == Padding::one_and_zeros) add(one, zero, zero);
  if (padding == Padding::always_zero) add(zero, zero, zero);
  if (padding == Padding::always_space) add(space, space, space);
  if (over == 0) return data;
  if (padding == Padding::one_and_zeros_or_none) add(one, zero, zero);
  if (padding == Padding::none) return std::nullopt;
  if (padding == Padding::zero) data.insert(data.end(), 8 - over, std::byte{0});
  if (padding == Padding::space) data.insert(data.end(), 8 - over, std::byte{0x20});
  return data;
}

}  // namespace fugu::mode::testing
