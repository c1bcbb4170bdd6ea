// Completion for bash, zsh and fish: subcommands, options, and the values that are few.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help.hpp"
#include "cli/process/console.hpp"
#include "cli/subcommands.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

// A value is a word of the table, a directory, a file, or free text.
bool is_directory(const OptionSpec& option) {
  return option.argument == "DIR";
}
bool is_file(const OptionSpec& option) {
  return option.argument == "OUT" || option.argument == "FILE" || option.argument == "PLAIN";
}

// The first sentence of a help text, without the dot.
std::string_view first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  if (end != std::string_view::npos) return text.substr(0, end);
  return text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
}

std::string replaced(std::string_view text, std::string_view these, std::string_view before) {
  std::string result;
  for (const char c : text) {
    if (these.find(c) != std::string_view::npos) result += before;
    result += c;
  }
  return result;
}

// Quotes for a POSIX shell, in single quotes.
std::string shell_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

template <class Take>
void for_each_option(const Subcommand& subcommand, Take take) {
  for (const OptionGroup* group : subcommand.groups)
    for (const OptionSpec& option : group->options) take(option);
}

std::vector<std::string> dashed_names(const OptionSpec& option) {
  std::vector<std::string> names{fmt::format("--{}", option.name)};
  if (option.letter != 0) names.insert(names.begin(), fmt::format("-{}", option.letter));
  return names;
}

// "encrypt:--format|enc:--format"
std::string bash_pattern(const Subcommand& subcommand, const OptionSpec& option) {
  std::vector<std::string> patterns;
  for (const std::string_view command : names_of(subcommand))
    for (const std::string& name : dashed_names(option))
      patterns.push_back(fmt::format("{}:{}", command, name));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash_values(const Subcommand& subcommand, const OptionSpec& option) {
  const std::string pattern = bash_pattern(subcommand, option);
  if (!option.words.empty())
    return fmt::format("    {}) values='{}' ;;\n", pattern, fmt::join(option.words, " "));
  if (is_directory(option)) return fmt::format("    {}) kind=directory ;;\n", pattern);
  return option.argument.empty() ? "" : fmt::format("    {}) return ;;\n", pattern);
}

std::string zsh_option(const OptionSpec& option) {
  const std::vector<std::string> names = dashed_names(option);
  const std::string help = shell_quoted(replaced(first_sentence(option.help), "[]\\", "\\"));
  std::string action;
  if (!option.argument.empty()) {
    const std::string what = replaced(option.argument, ":", "\\");
    const std::string values = replaced(fmt::format("{}", fmt::join(option.words, " ")), ":", "\\");
    const std::string how = !values.empty()        ? fmt::format("({})", values)
                            : is_directory(option) ? "_files -/"
                            : is_file(option)      ? "_files"
                                                   : "";
    action = fmt::format(":{}:{}", what, how);
  }
  const std::string_view joint = option.argument.empty() ? "" : "=";
  if (names.size() == 1) return fmt::format("        '{}{}[{}]{}' \\\n", names[0], joint, help, action);
  return fmt::format("        '({} {})'{{{},{}{}}}'[{}]{}' \\\n", names[0], names[1], names[0], names[1],
                     joint, help, action);
}

std::string fish_option(const Subcommand& subcommand, const OptionSpec& option) {
  std::string text = fmt::format("complete -c fugu -n '__fish_seen_subcommand_from {}'",
                                 fmt::join(names_of(subcommand), " "));
  if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
  text += fmt::format(" -l {} -d '{}'", option.name, replaced(first_sentence(option.help), "\\'", "\\"));
  if (option.argument.empty()) return text + "\n";
  if (!option.words.empty()) return text + fmt::format(" -x -a '{}'\n", fmt::join(option.words, " "));
  if (is_directory(option)) return text + " -x -a '(__fish_complete_directories)'\n";
  return text + (is_file(option) ? " -r -F\n" : " -x\n");
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string_view> commands;
  std::string options;
  std::string values;
  for (const Subcommand& subcommand : subcommands()) {
    const auto names = names_of(subcommand);
    commands.insert(commands.end(), names.begin(), names.end());
    std::vector<std::string> words;
    for_each_option(subcommand, [&](const OptionSpec& option) {
      for (std::string& name : dashed_names(option)) words.push_back(std::move(name));
      values += bash_values(subcommand, option);
    });
    options += fmt::format("    {}) options='{}' ;;\n", fmt::join(names, "|"), fmt::join(words, " "));
  }
  return fmt::format(
      "_fugu() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local options= values= kind=\n  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n    return\n  fi\n"
      "  case ${{COMP_WORDS[1]}}:$previous in\n{}  esac\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  if [[ $kind == directory ]]; then\n    COMPREPLY=($(compgen -d -- \"$word\"))\n"
      "  elif [[ -n $values ]]; then\n    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    [[ ${{COMPREPLY[0]-}} == *: ]] && compopt -o nospace 2>/dev/null\n"
      "  elif [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n  fi\n}}\n"
      "complete -o default -F _fugu fugu\n",
      fmt::join(commands, " "), values, options);
}

std::string zsh_completion() {
  std::string commands;
  std::string cases;
  for (const Subcommand& subcommand : subcommands()) {
    for (const std::string_view name : names_of(subcommand))
      commands +=
          fmt::format("      '{}:{}'\n", name, shell_quoted(replaced(subcommand.summary, ":\\", "\\")));
    cases += fmt::format("    {})\n      _arguments -s \\\n", fmt::join(names_of(subcommand), "|"));
    for_each_option(subcommand, [&](const OptionSpec& option) { cases += zsh_option(option); });
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef fugu\n_fugu() {{\n  if ((CURRENT == 2)); then\n    local -a commands=(\n{}    )\n"
      "    _describe subcommand commands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case ${{words[1]}} in\n{}  esac\n}}\n"
      "if [[ ${{funcstack[1]-}} == _fugu ]]; then\n  _fugu \"$@\"\nelse\n  compdef _fugu fugu\nfi\n",
      commands, cases);
}

std::string fish_completion() {
  std::string text;
  for (const Subcommand& subcommand : subcommands())
    for (const std::string_view name : names_of(subcommand))
      text += fmt::format("complete -c fugu -n __fish_use_subcommand -f -a {} -d '{}'\n", name,
                          replaced(subcommand.summary, "\\'", "\\"));
  for (const Subcommand& subcommand : subcommands())
    for_each_option(subcommand, [&](const OptionSpec& option) { text += fish_option(subcommand, option); });
  return text;
}

std::string completion(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw Error(Errc::usage, fmt::format("--completion takes bash, zsh or fish, not '{}'", printable(shell)));
}

}  // namespace fugu::cli
