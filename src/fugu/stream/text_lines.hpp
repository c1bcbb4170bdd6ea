// The line layout and the white space of encoded text, and what decoding one in memory gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fugu::stream {

// White space, which means nothing inside and after a text encoding.
inline constexpr std::string_view kTextSpace = " \t\r\n\v\f";

// Without the white space around it.
constexpr std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kTextSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kTextSpace) + 1 - first);
}

// wrapped: each line ends in a newline, including the last. single: one line without a newline.
enum class TextLines : std::uint8_t { wrapped, single };

// A text up to its end, or up to what is not valid.
struct DecodedText {
  std::size_t bytes = 0;        // written
  std::size_t at = 0;           // the offset of the character at fault; at the end, the text's size
  const char* fault = nullptr;  // "is not a hexadecimal digit", "the text ends inside a byte"; null: none
  bool at_end = false;          // the fault is one of the whole text

  explicit operator bool() const { return fault == nullptr; }
};

}  // namespace fugu::stream
