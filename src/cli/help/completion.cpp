// Completion for bash, zsh and fish: subcommands, options, and the values that are few.
#include <fmt/ranges.h>

#include "cli/help/help.hpp"
#include "cli/process/console.hpp"
#include "cli/table/subcommands.hpp"

namespace fugu::cli {
namespace {

// A value is a word of the table, a directory, a file, or free text.
bool is_directory(const OptionSpec& option) {
  return option.argument == "DIR";
}
bool is_file(const OptionSpec& option) {
  return option.argument == "OUT" || option.argument == "FILE" || option.argument == "PLAIN";
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

using Words = std::vector<std::string_view>;

// What completes an option's value under one format.
struct FormatWords {
  std::string_view format;
  Words words;
};

// An option of a subcommand, once: `option.words` is replaced by the words of all formats that have it. They
// stand in `of_formats` too where several do.
struct Completed {
  OptionSpec option;
  Words words;
  std::vector<FormatWords> of_formats;
};

void add(std::vector<Completed>& all, const OptionSpec& option, std::string_view format) {
  auto known = std::ranges::find(all, option.name, [](const Completed& one) { return one.option.name; });
  if (known == all.end()) known = all.insert(known, {option, {}, {}});
  for (const std::string_view word : option.words)
    if (std::ranges::count(known->words, word) == 0) known->words.push_back(word);
  if (option.list != nullptr) known->words = option.list();
  if (!format.empty()) known->of_formats.push_back({format, {option.words.begin(), option.words.end()}});
}

std::vector<Completed> completed_options(const Subcommand& subcommand) {
  std::vector<Completed> all;
  for (const OptionGroup* group : subcommand.groups)
    for (const OptionSpec& option : group->options) add(all, option, group->format);
  for (Completed& one : all)
    if (one.of_formats.size() == 1) one.of_formats.clear();
  return all;
}

std::vector<std::string> dashed_names(const OptionSpec& option) {
  std::vector<std::string> names{fmt::format("--{}", option.name)};
  if (option.letter != 0) names.insert(names.begin(), fmt::format("-{}", option.letter));
  return names;
}

// "encrypt:--mode:raw|enc:--mode:raw"; `format` may be *.
std::string bash_pattern(const Subcommand& subcommand, const OptionSpec& option, std::string_view format) {
  std::vector<std::string> patterns;
  for (const std::string_view command : names_of(subcommand))
    for (const std::string& name : dashed_names(option))
      patterns.push_back(fmt::format("{}:{}:{}", command, name, format));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash_case(const std::string& pattern, const OptionSpec& option, const Words& words) {
  if (!words.empty()) return fmt::format("    {}) values='{}' ;;\n", pattern, fmt::join(words, " "));
  if (is_directory(option)) return fmt::format("    {}) kind=directory ;;\n", pattern);
  return option.argument.empty() ? "" : fmt::format("    {}) return ;;\n", pattern);
}

std::string bash_values(const Subcommand& subcommand, const Completed& completed) {
  const OptionSpec& option = completed.option;
  std::string cases;
  for (const auto& [format, words] : completed.of_formats)
    cases += bash_case(bash_pattern(subcommand, option, format), option, words);
  return cases + bash_case(bash_pattern(subcommand, option, "*"), option, completed.words);
}

std::string zsh_words(const Words& words) {
  return shell_quoted(replaced(fmt::format("{}", fmt::join(words, " ")), ":", "\\"));
}

// The values of an option that several formats have.
std::string zsh_by_format(const Completed& completed) {
  std::string cases;
  for (const auto& [format, words] : completed.of_formats)
    cases += fmt::format("{}) compadd -- {} ;; ", format, zsh_words(words));
  return fmt::format("{{case $format in {}*) compadd -- {} ;; esac}}", cases, zsh_words(completed.words));
}

std::string zsh_values(const Completed& completed) {
  if (completed.words.empty())
    return is_directory(completed.option) ? "_files -/" : is_file(completed.option) ? "_files" : "";
  return completed.of_formats.empty() ? fmt::format("({})", zsh_words(completed.words))
                                      : zsh_by_format(completed);
}

std::string zsh_option(const Completed& completed) {
  const OptionSpec& option = completed.option;
  const std::vector<std::string> names = dashed_names(option);
  const std::string help = shell_quoted(replaced(first_sentence(option.help), "[]\\", "\\"));
  std::string action;
  if (!option.argument.empty())
    action = fmt::format(":{}:{}", replaced(option.argument, ":", "\\"), zsh_values(completed));
  const std::string_view joint = option.argument.empty() ? "" : "=";
  if (names.size() == 1) return fmt::format("        '{}{}[{}]{}' \\\n", names[0], joint, help, action);
  return fmt::format("        '({} {})'{{{},{}{}}}'[{}]{}' \\\n", names[0], names[1], names[0], names[1],
                     joint, help, action);
}

// A line for each format's values of an option that several have.
std::string fish_by_format(const std::string& seen, const Completed& completed) {
  std::string lines;
  for (const auto& [format, words] : completed.of_formats)
    if (!words.empty())
      lines += fmt::format("complete -c {} -n '{}; and __fugu_format {}' -l {} -x -a '{}'\n", program_name(),
                           seen, format, completed.option.name, fmt::join(words, " "));
  return lines;
}

std::string fish_option(const Subcommand& subcommand, const Completed& completed) {
  const OptionSpec& option = completed.option;
  const std::string seen =
      fmt::format("__fish_seen_subcommand_from {}", fmt::join(names_of(subcommand), " "));
  std::string text = fmt::format("complete -c {} -n '{}'", program_name(), seen);
  if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
  text += fmt::format(" -l {} -d '{}'", option.name, replaced(first_sentence(option.help), "\\'", "\\"));
  if (option.argument.empty()) return text + "\n";
  if (!completed.of_formats.empty()) return text + " -x\n" + fish_by_format(seen, completed);
  if (!completed.words.empty()) return text + fmt::format(" -x -a '{}'\n", fmt::join(completed.words, " "));
  if (is_directory(option)) return text + " -x -a '(__fish_complete_directories)'\n";
  return text + (is_file(option) ? " -r -F\n" : " -x\n");
}

// The words of operands, by subcommand; the words of the first stand alone.
std::string bash_operands(const Subcommand& subcommand) {
  std::string cases;
  const std::string names = fmt::format("{}", fmt::join(names_of(subcommand), "|"));
  if (subcommand.first_words != nullptr)
    cases += fmt::format("    {}:2) values='{}' ;;\n", names, fmt::join(subcommand.first_words(), " "));
  if (subcommand.other_words != nullptr)
    cases += fmt::format("    {}:*) values='{}' ;;\n", names, fmt::join(subcommand.other_words(), " "));
  return cases;
}

std::string bash_completion() {
  std::vector<std::string_view> commands;
  std::string options;
  std::string values;
  std::string operands;
  for (const Subcommand& subcommand : subcommands()) {
    operands += bash_operands(subcommand);
    const auto names = names_of(subcommand);
    commands.insert(commands.end(), names.begin(), names.end());
    std::vector<std::string> words;
    for (const Completed& completed : completed_options(subcommand)) {
      for (std::string& name : dashed_names(completed.option)) words.push_back(std::move(name));
      values += bash_values(subcommand, completed);
    }
    options += fmt::format("    {}) options='{}' ;;\n", fmt::join(names, "|"), fmt::join(words, " "));
  }
  return fmt::format(
      "_{program}() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local options= values= kind= format= i\n  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n    return\n  fi\n"
      "  for ((i = 3; i < ${{#COMP_WORDS[@]}}; ++i)); do  # bash splits --format=NAME at the sign\n"
      "    case ${{COMP_WORDS[i-2]}}:${{COMP_WORDS[i-1]}} in *:--format|--format:=) "
      "format=${{COMP_WORDS[i]}} ;; esac\n  done\n"
      "  case ${{COMP_WORDS[1]}}:$previous:$format in\n{}  esac\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  if [[ -z $values$kind && $word != -* ]]; then\n    case ${{COMP_WORDS[1]}}:$COMP_CWORD in\n{}    "
      "esac\n  fi\n"
      "  if [[ $kind == directory ]]; then\n    COMPREPLY=($(compgen -d -- \"$word\"))\n"
      "  elif [[ -n $values ]]; then\n    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    [[ ${{COMPREPLY[0]-}} == *: ]] && compopt -o nospace 2>/dev/null\n"
      "  elif [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n  fi\n}}\n"
      "complete -o default -F _{program} {program}\n",
      fmt::join(commands, " "), values, options, operands, fmt::arg("program", program_name()));
}

std::string zsh_operand(std::string_view place, std::vector<std::string_view> (*words)()) {
  return words == nullptr ? fmt::format("        '{}:file:_files'", place)
                          : fmt::format("        '{}:word:({})'", place, zsh_words(words()));
}

std::string zsh_completion() {
  std::string commands;
  std::string cases;
  for (const Subcommand& subcommand : subcommands()) {
    for (const std::string_view name : names_of(subcommand))
      commands +=
          fmt::format("      '{}:{}'\n", name, shell_quoted(replaced(subcommand.summary, ":\\", "\\")));
    cases += fmt::format("    {})\n      _arguments -s \\\n", fmt::join(names_of(subcommand), "|"));
    for (const Completed& completed : completed_options(subcommand)) cases += zsh_option(completed);
    cases += fmt::format("{} \\\n{} ;;\n", zsh_operand("1", subcommand.first_words),
                         zsh_operand("*", subcommand.other_words));
  }
  return fmt::format(
      "#compdef {program}\n_{program}() {{\n  if ((CURRENT == 2)); then\n    local -a commands=(\n{}    )\n"
      "    _describe subcommand commands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n"
      "  local format=${{${{words[(r)--format=*]}}#--format=}}\n"
      "  [[ -n $format ]] || format=${{words[${{words[(i)--format]}} + 1]-}}\n"
      "  case ${{words[1]}} in\n{}  esac\n}}\n"
      "if [[ ${{funcstack[1]-}} == _{program} ]]; then\n  _{program} \"$@\"\nelse\n  compdef _{program} "
      "{program}\nfi\n",
      commands, cases, fmt::arg("program", program_name()));
}

std::string fish_completion() {
  std::string text =
      "function __fugu_format -d 'No --format is given, or this one'\n"
      "    set -l given (commandline -pc | string replace -rf '.*--format[= ](\\S+).*' '$1')\n"
      "    test -z \"$given\"; or test \"$given\" = $argv[1]\nend\n";
  for (const Subcommand& subcommand : subcommands())
    for (const std::string_view name : names_of(subcommand))
      text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program_name(), name,
                          replaced(subcommand.summary, "\\'", "\\"));
  for (const Subcommand& subcommand : subcommands()) {
    for (const Completed& completed : completed_options(subcommand))
      text += fish_option(subcommand, completed);
    for (const auto words : {subcommand.first_words, subcommand.other_words})
      if (words != nullptr)
        text += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}' -a '{}'\n", program_name(),
                            fmt::join(names_of(subcommand), " "), fmt::join(words(), " "));
  }
  return text;
}

}  // namespace

std::string completion(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  refuse("--completion takes bash, zsh or fish, not '{}'", shell);
}

}  // namespace fugu::cli
