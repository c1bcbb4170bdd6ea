#include "fugu/format/detail/iv.hpp"

#include <optional>
#include <string>
#include <vector>

#include "fugu/core/block.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/option.hpp"

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

mode::Iv parse_iv(std::string_view given, std::string_view values) {
  mode::Iv iv;
  if (given == "zero") return iv;
  const std::optional<std::vector<std::byte>> bytes = iv_bytes(given);
  if (bytes && bytes->size() == iv.size()) return iv_of(*bytes);
  std::string text = "--iv takes " + std::string(values);
  if (given.size() == core::kBlockBytes && given.find(':') == std::string_view::npos)
    text += "; 8 characters themselves are text:12345678";
  else if (bytes)
    text += "; an iv has 8 bytes, and this one " + std::to_string(bytes->size());
  throw Error(Errc::usage, text);
}

}  // namespace fugu::format
