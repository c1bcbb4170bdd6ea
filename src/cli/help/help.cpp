#include "cli/help/help.hpp"

#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/table/subcommands.hpp"
#include "fugu/version.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kHelpColumn = 24;
constexpr std::ptrdiff_t kMaxLines = 80;  // the most lines of a subcommand's help that says all

constexpr std::string_view kRecipes = "recipes";

constexpr StatusRow kStatuses[] = {
    {"0", "success"},
    {"1", "usage"},
    {"2",
     "input or output failed; also, without a message, when the reader of standard output has closed the "
     "pipe"},
    {"3", "wrong passphrase or key"},
    {"4", "the input is damaged, truncated or altered"},
    {"5", "unknown format, or a parameter that the file does not store is missing"},
    {"6", "an engine failed or is not available"},
    {"7", "a self-test, verification or comparison found a difference"},
    {"8",
     "undecided: whether a passphrase is right (the plaintext looks like noise), or whether boxes are "
     "equivalent"},
    {"130",
     "ended by Ctrl-C, as a shell reports it: temporary files are removed, then the signal ends the program"},
};

// Breaks at spaces; the first line continues at `column`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > kColumns) {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

std::string synopsis(const OptionSpec& option) {
  std::string text = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
  text += fmt::format("--{}", option.name);
  if (!option.argument.empty()) text += fmt::format(" {}", option.argument);
  return text;
}

std::string row(std::string_view left, std::string_view right) {
  std::string text = fmt::format("  {}", left);
  if (text.size() + 2 > kHelpColumn) {
    text += fmt::format("\n{:{}}", "", kHelpColumn);
  } else {
    text += std::string(kHelpColumn - text.size(), ' ');
  }
  return text + wrapped(right, kHelpColumn, kHelpColumn);
}

std::string one_line(std::string_view title, const std::vector<std::string>& names) {
  std::string line = fmt::format("  {:{}}", title, kHelpColumn - 2);
  for (const std::string& name : names) {
    const std::size_t behind = &name == &names.back() ? 0 : 4;  // " ..."
    if (line.size() + name.size() + behind > kColumns) return line + "...\n";
    line += name + " ";
  }
  line.back() = '\n';
  return line;
}

// What everybody needs, a sentence each, and the names of the other options.
std::string short_options_text(const Subcommand& subcommand) {
  std::string text;
  std::string others;
  bool has_formats = false;
  for (const OptionGroup* group : subcommand.groups) {
    has_formats |= !group->format.empty();
    if (!group->format.empty() || group->is_special) {
      std::vector<std::string> names;
      for (const OptionSpec& option : group->options) names.push_back(fmt::format("--{}", option.name));
      others += one_line(group->format.empty() ? group->title : group->format, names);
      continue;
    }
    text += fmt::format("{}:\n", group->title);
    for (const OptionSpec& option : group->options)
      text += row(synopsis(option), fmt::format("{}.", first_sentence(option.help)));
  }
  if (others.empty()) return text;
  const std::string manual = fmt::format("'{} help --man | man -l -'", program_name());
  const std::string about =
      has_formats ? fmt::format("'{} help {} --format NAME' explains the options of a format, {} all:",
                                program_name(), subcommand.name, manual)
                  : fmt::format("{} explains:", manual);
  return text + "More:\n" + wrapped(about, 0, 0) + others;
}

// An operation is explained with its subcommand.
const Subcommand& subcommand_to_explain(const std::vector<std::string>& operands) {
  const std::string& name = operands.front();
  if (format::find_codec(name) != nullptr) refuse("{} is a format: see fugu formats {}", name, name);
  const Subcommand& found = find_subcommand(name);
  if (operands.size() > 1 && found.operands.find("OPERATION") == std::string_view::npos)
    refuse("'{}' is one argument too many: {} has no operations", printable(operands[1]), found.name);
  return found;
}

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

std::string wrapped_text(std::string_view text, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, indent, indent);
}

std::string usage_text() {
  std::string text = fmt::format("usage: {} SUBCOMMAND [options] [FILE...]\n\n", program().synopsis);
  for (const UsageRow& common : program().common) text += row(common.command, common.does);
  return text + fmt::format("\n{} --help lists all subcommands, {} SUBCOMMAND --help their options.\n",
                            program_name(), program_name());
}

std::string help_text() {
  std::string text =
      fmt::format("usage: {} SUBCOMMAND [options] [FILE...]\n\n{}\n\n", program().synopsis, program().about);
  for (const Subcommand& subcommand : subcommands())
    text += row(fmt::format("{}", fmt::join(names_of(subcommand), ", ")), subcommand.summary);
  text += "\nexit status:\n";
  for (const StatusRow& status : kStatuses) text += row(status.status, status.meaning);
  return text + wrapped(kSeveral, 0, 0) + fmt::format("\n{} SUBCOMMAND --help says more.\n", program_name());
}

std::string options_text(std::span<const OptionSpec> options) {
  std::string text;
  for (const OptionSpec& option : options) text += row(synopsis(option), option.help);
  return text;
}

std::string_view first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  if (end != std::string_view::npos) return text.substr(0, end);
  return text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
}

std::string help_text(const Subcommand& subcommand) {
  std::string text = fmt::format("usage: {} {} [options]{}{}\n\n", program().synopsis, subcommand.name,
                                 subcommand.operands.empty() ? "" : " ", subcommand.operands);
  if (!subcommand.details.empty()) text += wrapped(subcommand.details, 0, 0);
  std::string all = text;
  for (const OptionGroup* group : subcommand.groups)
    all += fmt::format("\n{}:\n{}", group->title, options_text(group->options));
  return std::ranges::count(all, '\n') <= kMaxLines ? all : text + "\n" + short_options_text(subcommand);
}

std::string help_text(const Subcommand& subcommand, std::string_view format) {
  const format::Codec& codec = codec_named(format);
  std::string text =
      fmt::format("usage: {} {} --format {} [options]{}{}\n\n", program().synopsis, subcommand.name,
                  codec.name, subcommand.operands.empty() ? "" : " ", subcommand.operands);
  const auto own = std::ranges::find(subcommand.groups, codec.name, &OptionGroup::format);
  const auto rows = own == subcommand.groups.end() ? std::span<const OptionSpec>() : (*own)->options;
  return text + format_text(codec, rows);
}

std::span<const StatusRow> statuses() {
  return kStatuses;
}

std::string version_text() {
  return fmt::format("{} {}", program_name(), version());
}

std::vector<std::string_view> subcommand_names() {
  return names_in(subcommands());
}

std::vector<std::string_view> help_words() {
  std::vector<std::string_view> words = subcommand_names();
  words.push_back(kRecipes);
  return words;
}

int run_help(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (arguments.has("man")) {
    if (!operands.empty()) refuse("--man prints the whole manual page and takes no name");
    write_result(manual_page());
  } else if (arguments.has("completion")) {
    write_result(completion(operands.empty() ? "bash" : operands.front()));
  } else if (operands.empty()) {
    if (arguments.has("format")) refuse("--format needs a subcommand: help decrypt --format NAME");
    write_result(help_text());
  } else if (const auto format = arguments.value("format")) {
    write_result(help_text(subcommand_to_explain(operands), *format));
  } else if (operands.front() == kRecipes) {
    write_result(recipes_text());
  } else {
    const bool is_subcommand = std::ranges::count(subcommand_names(), operands.front()) != 0;
    const std::string option = is_subcommand ? "" : option_help(operands.front());
    write_result(option.empty() ? help_text(subcommand_to_explain(operands)) : option);
  }
  return kSuccess;
}

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
