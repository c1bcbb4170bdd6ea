// The page of recipes as text: of man(7) what it uses.
#include <algorithm>

#include "cli/help/help.hpp"

namespace fugu::cli {
namespace {

std::string unescaped(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"\\-", "-"}, {"\\(aq", "'"}, {"\\(ha", "^"}, {"\\e", "\\"}, {"\\&", ""}, {"\\fI", ""}, {"\\fR", ""}};
  std::string text;
  while (!line.empty()) {
    const auto* const escape =
        std::ranges::find_if(kEscapes, [&](const auto& one) { return line.starts_with(one.first); });
    const bool is_escape = escape != std::end(kEscapes);
    text += is_escape ? escape->second : line.substr(0, 1);
    line.remove_prefix(is_escape ? escape->first.size() : 1);
  }
  return text;
}

}  // namespace

std::string recipes_text() {
  constexpr std::size_t kTitle = 2, kCommand = 6;
  std::string text, paragraph;
  std::size_t indent = 0;
  const auto begin = [&](std::size_t next) {
    if (!paragraph.empty()) text += wrapped_text(unescaped(paragraph), indent);
    paragraph.clear();
    indent = next;
  };
  for (std::string_view rest = kRecipesPage; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view request = line.substr(0, line.starts_with('.') ? line.find(' ') : 0);
    std::string words(line.substr(std::min(line.size(), request.empty() ? 0 : request.size() + 1)));
    if (!request.empty()) std::erase(words, '"');
    if (request == ".\\\"" || request == ".TH") continue;
    if (request == ".BR") words.erase(words.rfind(' '), 1);
    if (request == ".SH") {
      begin(0);
      text += (text.empty() ? "" : "\n") + words + "\n";
    } else if (request == ".PP") {
      begin(0);
      text += "\n";
    } else if (request == ".TP" || request == ".fi") {
      begin(kTitle);
    } else if (request == ".nf") {
      begin(kCommand);
    } else if (indent == kCommand) {
      text += std::string(kCommand, ' ') + unescaped(line) + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + words;
    }
  }
  begin(0);
  return text;
}

}  // namespace fugu::cli
