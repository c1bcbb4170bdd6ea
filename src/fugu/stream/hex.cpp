#include "fugu/stream/hex.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/stream/detail/text_codec.hpp"

namespace fugu::stream {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kLineBytes = 30;

using Pair = std::array<char, 2>;

constexpr std::array<Pair, 256> kPairs = [] {
  std::array<Pair, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
  return pairs;
}();

enum Kind : std::uint8_t { space = 16, stranger };  // below 16: four bits of data

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  kinds.fill(stranger);
  for (const char c : kTextSpace) kinds[static_cast<unsigned char>(c)] = space;
  for (std::uint8_t bits = 0; bits < 16; ++bits) {
    kinds[static_cast<unsigned char>(kDigits[bits])] = bits;
    kinds[static_cast<unsigned char>("0123456789ABCDEF"[bits])] = bits;
  }
  return kinds;
}();

std::uint8_t kind_of(std::byte c) {
  return kKinds[std::to_integer<std::size_t>(c)];
}

// What to say of a character between the digits, by the spelling that it belongs to.
const char* is_not_a_digit(char c) {
  switch (c) {
    case '\\':
      return "is a backslash: take out the \\x before the digits";
    case 'x':
    case 'X':
      return "is an x: take out the 0x or \\x before the digits";
    case ':':
    case ',':
    case ';':
    case '-':
      return "separates the digits: take out all but digits and spaces";
    case '"':
    case '\'':
      return "is a quotation mark: take out the quotes";
    default:
      return "is not a hexadecimal digit";
  }
}

class Encoder final : public LineEncoder {
 public:
  Encoder(Sink& inner, TextLines lines) : LineEncoder(inner, lines, kLineBytes) {}

 private:
  char* encode(std::span<const std::byte> line, char* to) const override {
    for (const std::byte byte : line) {
      std::memcpy(to, kPairs[std::to_integer<std::size_t>(byte)].data(), 2);
      to += 2;
    }
    return to;
  }
};

class Decoder final : public Source {
 public:
  explicit Decoder(std::unique_ptr<Source> inner) : text_(std::move(inner)) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size() && text_.more()) {
      filled += decode_pairs(into.subspan(filled));
      if (filled < into.size() && !text_.ahead().empty()) filled += decode_character(into[filled]);
    }
    if (filled < into.size() && high_) throw Error(Errc::damaged, "hexadecimal text ends inside a byte");
    return filled;
  }

  std::optional<FileId> file_id() const override { return text_.inner().file_id(); }
  void cancel() noexcept override { text_.inner().cancel(); }

 private:
  // Decodes two digits at a time, as long as the text is pure data and `into` has room.
  std::size_t decode_pairs(std::span<std::byte> into) {
    if (high_) return 0;
    const std::span<const std::byte> text = text_.ahead();
    const std::size_t most = std::min(text.size() / 2, into.size());
    std::size_t bytes = 0;
    for (; bytes < most; ++bytes) {
      const unsigned high = kind_of(text[2 * bytes]), low = kind_of(text[2 * bytes + 1]);
      if ((high | low) >= space) break;
      into[bytes] = static_cast<std::byte>(high << 4 | low);
    }
    text_.take(2 * bytes);
    return bytes;
  }

  // Returns whether the next character completed a byte.
  bool decode_character(std::byte& into) {
    const std::uint8_t kind = kind_of(text_.ahead().front());
    if (kind == stranger)
      text_.refuse(is_not_a_digit(static_cast<char>(text_.ahead().front())));
    text_.take(1);
    if (kind == space) return false;
    const bool completes = high_.has_value();
    if (completes) {
      into = static_cast<std::byte>(*std::exchange(high_, std::nullopt) << 4 | kind);
    } else {
      high_ = kind;
    }
    return completes;
  }

  CharacterReader text_;
  std::optional<unsigned> high_;  // half a byte that waits for its second digit
};

}  // namespace

int hex_digit(char c) noexcept {
  const std::uint8_t kind = kKinds[static_cast<unsigned char>(c)];
  return kind < space ? kind : -1;
}

std::unique_ptr<Sink> hex_encoder(Sink& inner, TextLines lines) {
  return std::make_unique<Encoder>(inner, lines);
}

std::unique_ptr<Source> hex_decoder(std::unique_ptr<Source> inner) {
  return std::make_unique<Decoder>(std::move(inner));
}

}  // namespace fugu::stream
