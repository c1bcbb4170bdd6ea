#include "cli/help.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/subcommands.hpp"
#include "fugu/version.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kHelpColumn = 24;

constexpr std::string_view kAbout = "Blowfish for files: encrypts and decrypts, both ways with OpenSSL.";

struct StatusRow {
  std::string_view status;
  std::string_view meaning;
};
constexpr StatusRow kStatuses[] = {
    {"0", "success"},
    {"1", "usage"},
    {"2", "input or output failed; also, without a message, when nobody reads standard output any more"},
    {"3", "wrong passphrase or key"},
    {"4", "the input is damaged, truncated or altered"},
    {"5", "unknown format, or a parameter it does not store is missing"},
    {"6", "an engine failed or is not present"},
    {"7", "a self-test or verification found a difference"},
    {"130", "ended by a signal; temporary files are removed"},
};
constexpr std::string_view kSeveral = "Of several files, the largest status counts.";

// Breaks at spaces; the first line continues what stands at `column` already.
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

// man(7): a hyphen that is meant as one, and no line that begins with a request.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '-') {
      result += "\\-";
    } else if (c == '\\') {
      result += "\\e";
    } else if ((c == '.' || c == '\'') && result.empty()) {
      result += fmt::format("\\&{}", c);
    } else {
      result += c;
    }
  }
  return result;
}

std::string manual_option(const OptionSpec& option) {
  std::string text = ".TP\n";
  if (option.letter != 0) text += fmt::format("\\fB\\-{}\\fR, ", option.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", troff(option.name));
  if (!option.argument.empty()) text += fmt::format(" \\fI{}\\fR", option.argument);
  return text + "\n" + troff(option.help) + "\n";
}

std::string manual_subcommand(const Subcommand& subcommand) {
  std::string text = fmt::format(".SS fugu {} [options] {}\n{}: {}\n", subcommand.name, subcommand.operands,
                                 troff(subcommand.summary), troff(subcommand.details));
  for (const OptionGroup* group : subcommand.groups) {
    text += fmt::format(".PP\n{}:\n", group->title);
    for (const OptionSpec& option : group->options) text += manual_option(option);
  }
  return text;
}

std::string option_words(const Subcommand& subcommand) {
  std::string words;
  for (const OptionGroup* group : subcommand.groups) {
    for (const OptionSpec& option : group->options) {
      if (option.letter != 0) words += fmt::format("-{} ", option.letter);
      words += fmt::format("--{} ", option.name);
    }
  }
  words.pop_back();
  return words;
}

}  // namespace

std::string help_text() {
  std::string text = fmt::format("usage: fugu SUBCOMMAND [options] [FILE...]\n\n{}\n\n", kAbout);
  for (const Subcommand& subcommand : subcommands()) text += row(subcommand.name, subcommand.summary);
  text += "\nexit status:\n";
  for (const StatusRow& status : kStatuses) text += row(status.status, status.meaning);
  return text + wrapped(kSeveral, 0, 0) + "\nfugu SUBCOMMAND --help says more.\n";
}

std::string help_text(const Subcommand& subcommand) {
  std::string text = fmt::format("usage: fugu {} [options]{}{}\n\n", subcommand.name,
                                 subcommand.operands.empty() ? "" : " ", subcommand.operands);
  if (!subcommand.details.empty()) text += wrapped(subcommand.details, 0, 0);
  for (const OptionGroup* group : subcommand.groups) {
    text += fmt::format("\n{}:\n", group->title);
    for (const OptionSpec& option : group->options) text += row(synopsis(option), option.help);
  }
  return text;
}

std::string manual_page() {
  std::string text = fmt::format(".TH FUGU 1 \"\" \"{}\"\n.SH NAME\nfugu \\- {}\n.SH SYNOPSIS\n.B fugu\n",
                                 version_text(), troff(kAbout));
  text += ".I SUBCOMMAND\n[options] [\\fIFILE\\fR...]\n.SH SUBCOMMANDS\n";
  for (const Subcommand& subcommand : subcommands()) text += manual_subcommand(subcommand);
  text += ".SH EXIT STATUS\n";
  for (const StatusRow& status : kStatuses)
    text += fmt::format(".TP\n.B {}\n{}\n", status.status, troff(status.meaning));
  return text + fmt::format(".PP\n{}\n.SH SEE ALSO\n.BR openssl\\-enc (1)\n", kSeveral);
}

std::string bash_completion() {
  std::string names;
  std::string cases;
  for (const Subcommand& subcommand : subcommands()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", subcommand.name);
    cases += fmt::format("    {}) words='{}' ;;\n", subcommand.name, option_words(subcommand));
  }
  return fmt::format(
      "_fugu() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n    return\n  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n  fi\n}}\n"
      "complete -o default -F _fugu fugu\n",
      names, cases);
}

std::string version_text() {
  return fmt::format("fugu {}", version());
}

int run_help(const Arguments& arguments) {
  refuse_together(arguments, {"man", "completion"});
  if (arguments.has("man")) {
    write_result(manual_page());
  } else if (arguments.has("completion")) {
    write_result(bash_completion());
  } else if (arguments.operands().empty()) {
    write_result(help_text());
  } else {
    write_result(help_text(find_subcommand(arguments.operands().front())));
  }
  return kSuccess;
}

}  // namespace fugu::cli
