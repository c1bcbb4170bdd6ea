// Tells a text of many messages, one per line, from one message whose text is wrapped.
#include <algorithm>

#include "fugu/core/block.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/lines/lines.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kLeastWrapped = 60;  // characters of a line: programs wrap at 60, 64 and 76
constexpr double kLeastPaddingBits = 8;

// Without the last one if it may go on. Blank lines say nothing.
std::vector<std::string_view> lines_of(std::string_view head, bool ends) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const std::size_t feed = head.find('\n');
    if (feed == head.npos && !ends) break;
    const std::string_view line = trimmed(head.substr(0, feed));
    if (!line.empty()) lines.push_back(line);
    head.remove_prefix(feed == head.npos ? head.size() : feed + 1);
  }
  return lines;
}

bool have_different_lengths(const std::vector<std::string_view>& lines, bool ends) {
  const std::size_t first = lines.front().size();
  const auto before_last = std::span(lines).first(lines.size() - (ends ? 1 : 0));
  const bool differ =
      std::ranges::any_of(before_last, [&](std::string_view line) { return line.size() != first; });
  return differ || (ends && lines.back().size() > first);
}

core::WipedBytes decoded_line(std::string_view line, TextEncoding encoding) {
  core::WipedBytes bytes(line.size() + core::kBlockBytes);
  const stream::DecodedText decoded = decode_text(line, encoding, bytes);
  bytes.resize(decoded ? decoded.bytes : 0);
  return bytes;
}

bool ends_in_padding(const MessageCipher& cipher, core::WipedBytes message) {
  try {
    return cipher.run(message).bits >= kLeastPaddingBits;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string why_many_messages(std::string_view head, bool ends, TextEncoding encoding,
                              const std::function<std::unique_ptr<MessageCipher>()>& cipher) {
  const std::vector<std::string_view> lines = lines_of(head, ends);
  if (lines.size() < 2) return {};
  const bool differ = have_different_lengths(lines, ends);
  const bool are_short =
      std::ranges::all_of(lines, [](std::string_view line) { return line.size() < kLeastWrapped; });
  if (!differ && !are_short) return {};
  const auto bytes_of = [&](std::string_view line) { return decoded_line(line, encoding).size(); };
  if (std::ranges::any_of(lines, [&](std::string_view line) { return bytes_of(line) == 0; })) return {};
  const std::unique_ptr<MessageCipher> opens = cipher();
  const auto is_broken = [&](std::string_view line) { return bytes_of(line) % core::kBlockBytes != 0; };
  if (opens->has_whole_blocks() && std::ranges::any_of(lines, is_broken)) return {};
  if (differ) return "its lines differ in length, and each is a message by itself";
  const bool are_paddings = std::ranges::all_of(
      lines, [&](std::string_view line) { return ends_in_padding(*opens, decoded_line(line, encoding)); });
  return are_paddings ? "each of its lines ends in a padding, as a message by itself does" : "";
}

}  // namespace fugu::format
