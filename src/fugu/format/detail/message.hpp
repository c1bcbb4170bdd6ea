// Operations on a few blocks: key checks, headers, evidence for a passphrase; and fields of bytes in memory.
// Private to format.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/error.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {

using core::kBlockBytes;
using mode::Direction;
using mode::Mode;
using stream::trimmed;

// In place and without padding, whatever `settings` says; modes of whole blocks need whole blocks.
void transform(engine::Engine& engine, const cipher::Schedule& schedule, mode::Settings settings,
               core::Direction direction, std::span<std::byte> message);
void transform(engine::Engine& engine, std::span<const std::byte> key, const mode::Settings& settings,
               core::Direction direction, std::span<std::byte> message);

// As cipher::expand().
cipher::Schedule schedule_of(std::span<const std::byte> key);

mode::Iv iv_of(std::span<const std::byte> block);

// What `plaintext` has of the blocks that `ciphertext` has for the first time: equal blocks are as regular
// under a wrong key, so that the second one says nothing.
core::WipedBytes new_blocks(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext);

// The evidence_bits() of the beginning that `ciphertext` decrypts to, without a rest of a block in modes
// of whole blocks, and there without blocks that were seen before.
double beginning_bits(engine::Engine& engine, const cipher::Schedule& schedule,
                      const mode::Settings& settings, std::span<const std::byte> ciphertext);

// A wrong key produces `removed` bytes of this padding once in 2^bits.
double padding_bits(mode::Padding padding, std::size_t removed);

bool is_zero(std::span<const std::byte> bytes);  // whether all of them are 0

std::uint64_t load_little(std::span<const std::byte> bytes);  // at most 8
std::uint64_t load_big(std::span<const std::byte> bytes);
void store_little(std::uint64_t value, std::span<std::byte> into);

// The bytes as characters, and characters as bytes.
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The first `count` bytes, or all of fewer.
template <class Byte>
std::span<Byte> first_of(std::span<Byte> bytes, std::uint64_t count) {
  return bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes.size())));
}

template <class Bytes>
void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic);

// What --iv takes, for its error: of a format that takes the IV alone, and of raw Blowfish.
inline constexpr std::string_view kIvValues = "16 hexadecimal digits, text:, base64: or zero";
inline constexpr std::string_view kRawIvValues =
    "16 hexadecimal digits, text:, base64:, zero, prefix, key, openpgp, encrypted-zero or encrypted-ff";

// The IV in the option's value, but for raw's places. Throws Error{usage} for anything else.
mode::Iv parse_iv(std::string_view given, std::string_view values = kRawIvValues);

// Whether the bytes or the secret are at fault, so that another reading may fit. Other failures end the work.
bool concerns_input(const Error& error);

// Empty for invalid base64 (defined in stream/base64.hpp).
std::optional<std::vector<std::byte>> parse_base64(std::string_view text);

class Reader {
 public:
  // `bytes` outlive it. `ends_early` is the text of the Error{damaged} that every function throws where they
  // end before what it takes.
  Reader(std::span<const std::byte> bytes, const char* ends_early) : bytes_(bytes), ends_early_(ends_early) {}

  bool at_end() const { return bytes_.empty(); }
  std::span<const std::byte> left() const { return bytes_; }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) throw Error(Errc::damaged, ends_early_);
    const auto taken = bytes_.first(static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  void take_into(std::span<std::byte> field) { std::ranges::copy(take(field.size()), field.begin()); }
  std::vector<std::byte> take_copy(std::size_t size) {
    const auto taken = take(size);
    return {taken.begin(), taken.end()};
  }

  // Numbers of so many bytes.
  std::uint32_t little(std::size_t size) { return static_cast<std::uint32_t>(load_little(take(size))); }
  std::uint32_t big(std::size_t size) { return static_cast<std::uint32_t>(load_big(take(size))); }

 private:
  std::span<const std::byte> bytes_;
  const char* ends_early_;
};

}  // namespace fugu::format
