// The modes of operation and paddings, and the parameters that each needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fugu/core/block.hpp"
#include "fugu/core/feistel.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "fugu/export.hpp"

namespace fugu::mode {

using core::ByteOrder;
using core::Direction;

// NIST SP 800-38A names all but the last two; ofb and cfb64 feed back whole blocks, cfb8 and ofb8 single
// bytes. pcbc chains each block to the plaintext and the ciphertext of the one before, as Kerberos 4 did.
enum class Mode : std::uint8_t { ecb, cbc, cfb64, cfb8, ofb, ctr, ofb8, pcbc };

// pkcs7 adds 1 to 8 bytes (RFC 5652, 6.3); zero and space fill only an incomplete last block; none requires
// whole blocks. Only ecb, cbc and pcbc are padded, unless Settings::pads_streams. Removing zero or space
// padding removes all such bytes of the last block: 8, since programs differ in what they add to whole
// blocks, and also those of the data itself; always_zero and always_space add and remove 1 to 8. x923 is
// zeros and then their number, counting itself; of iso10126 only that number is defined, and random bytes
// stand before it. one_and_zeros is a byte 80 and zeros (ISO 7816-4); one_and_zeros_or_none adds nothing to
// whole blocks, and removes nothing where the pattern is missing. residual adds nothing: in cbc a last part
// of n < 8 bytes is combined with the first n bytes of the encryption of the ciphertext block before it;
// clear_rest leaves such a part as it is. cs1, cs2 and cs3 steal ciphertext (addendum to NIST SP 800-38A), in
// cbc alone. Only CipherStream does these.
enum class Padding : std::uint8_t {
  pkcs7,
  zero,
  space,
  none,
  x923,
  iso10126,
  one_and_zeros,
  one_and_zeros_or_none,
  residual,
  always_zero,
  always_space,
  clear_rest,
  cs1,
  cs2,
  cs3
};

// Memory image. Wiped on destruction: derived from a passphrase, it would prove a guess; as the state of a
// chain it is keystream (OFB) or reveals plaintext (PCBC).
class Iv : public std::array<std::byte, core::kBlockBytes> {
 public:
  Iv() : array{} {}
  Iv(const array& bytes) : array(bytes) {}
  Iv(const Iv&) = default;
  Iv& operator=(const Iv&) = default;
  ~Iv() { core::wipe(data(), size()); }
};

struct Settings {
  Mode mode = Mode::cbc;
  Padding padding = Padding::pkcs7;  // only for ecb, cbc and pcbc
  std::optional<Iv> iv = {};         // ecb: unused; the others need it; ctr: the first counter block
  ByteOrder words = ByteOrder::big;
  ByteOrder counter = ByteOrder::big;  // ctr only
  bool pads_streams = false;           // CipherStream pads the other modes too, as Java's CFB/PKCS5Padding
};

// Whether the blocks of a file must be processed one after the other.
FUGU_EXPORT bool is_serial(Mode mode, Direction direction) noexcept;
FUGU_EXPORT bool is_padded(Mode mode) noexcept;

// Whether data of every length gets 1 to 8 bytes more. Private to the library.
bool always_pads(Padding padding) noexcept;

// Whether data of every length keeps it, in modes of whole blocks too. Private to the library.
constexpr bool keeps_length(Padding padding) noexcept {
  return padding == Padding::residual || padding >= Padding::clear_rest;
}
constexpr bool steals(Padding padding) noexcept {
  return padding >= Padding::cs1;
}
constexpr bool can_end_so(Mode mode, Padding padding) noexcept {
  if (padding == Padding::clear_rest) return mode == Mode::ecb || mode == Mode::cbc || mode == Mode::pcbc;
  return !keeps_length(padding) || mode == Mode::cbc;
}

// The number of padding bytes at the end of the data's last block, which is shorter only if the data is;
// empty if this padding did not write that block. Private to the library.
std::optional<std::size_t> padding_bytes(Padding padding, std::span<const std::byte> last_block) noexcept;

// The one table of mode names.
struct ModeName {
  Mode mode;
  std::string_view name;   // "cbc"
  std::string_view alias;  // another name of the same mode; empty for most
};

// In the order of Mode.
inline constexpr std::array kModeNames{
    ModeName{Mode::ecb, "ecb", ""},   ModeName{Mode::cbc, "cbc", ""},  ModeName{Mode::cfb64, "cfb", "cfb64"},
    ModeName{Mode::cfb8, "cfb8", ""}, ModeName{Mode::ofb, "ofb", ""},  ModeName{Mode::ctr, "ctr", ""},
    ModeName{Mode::ofb8, "ofb8", ""}, ModeName{Mode::pcbc, "pcbc", ""}};

FUGU_EXPORT std::string_view name_of(Mode mode) noexcept;

// Finds a mode by name or alias; empty if there is none.
FUGU_EXPORT std::optional<Mode> mode_named(std::string_view name) noexcept;

// An Error{wrong_key} that knows which padding the last block looks like: zero, space, none for text without
// any, and pkcs7 where it looks like nothing. The text does not say which: that would reveal something about
// the plaintext.
class FUGU_EXPORT WrongPadding : public Error {
 public:
  explicit WrongPadding(Padding looks_like)
      : Error(Errc::wrong_key, "the padding is not valid: wrong key or passphrase, or damaged data"),
        looks_like_(looks_like) {}

  Padding looks_like() const noexcept { return looks_like_; }

 private:
  Padding looks_like_;
};

// An Error{damaged}: the ciphertext is not whole blocks, as its mode needs.
class FUGU_EXPORT WrongLength : public Error {
 public:
  WrongLength()
      : Error(Errc::damaged,
              "the length is not a multiple of 8 bytes: the data is truncated or in another mode") {}
};

}  // namespace fugu::mode
