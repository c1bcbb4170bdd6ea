#include "cli/options.hpp"

#include <fmt/ranges.h>

#include <boost/program_options.hpp>

#include "cli/commands.hpp"
#include "cli/help/help.hpp"
#include "cli/process/progress.hpp"
#include "cli/process/secrets.hpp"
#include "cli/table/subcommands.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::cli {
namespace {

namespace po = boost::program_options;

po::options_description describe(const Subcommand& subcommand) {
  po::options_description description;
  for (const OptionGroup* group : subcommand.groups) {
    for (const OptionSpec& option : group->options) {
      std::string name(option.name);
      if (option.letter != 0) name += fmt::format(",{}", option.letter);
      if (description.find_nothrow(std::string(option.name), false) != nullptr) continue;  // several formats'
      description.add_options()(name.c_str(), new po::untyped_value(option.argument.empty()));
    }
  }
  return description;
}

// Boost's own texts are not used: generating one never ends when an option's name holds "%original_token%".
std::string text_of(const po::invalid_syntax& error) {
  const std::string option = error.get_option_name();
  switch (error.kind()) {
    case po::invalid_syntax::missing_parameter:
      return fmt::format("option '{}' needs a value", option);
    case po::invalid_syntax::extra_parameter:
      return fmt::format("option '{}' takes no value", option);
    case po::invalid_syntax::empty_adjacent_parameter:
      return fmt::format("option '{}' has no value after the equal sign", option);
    default:
      return fmt::format("option '{}' cannot be understood", option);
  }
}

[[noreturn]] void refuse_with_help(const Subcommand& subcommand, std::string_view text) {
  refuse("{}; see {} {} --help", text, program_name(), subcommand.name);
}

// The option's name in a word of the command line: "--pass" in "--pass=x", "-p" in "-px".
std::string_view option_name(std::string_view word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

std::string suggestion(const Subcommand& subcommand, std::string_view word) {
  std::vector<std::string_view> names;
  for (const OptionGroup* group : subcommand.groups)
    for (const OptionSpec& option : group->options) names.push_back(option.name);
  if (word.starts_with("-p") && std::ranges::count(names, "pass") != 0)
    return fmt::format(" (a passphrase is given by --pass {})", kPassphrasePlaceNames);
  if (!word.starts_with("--")) return "";
  const std::string_view bare = word.substr(2);
  return did_you_mean(bare.substr(0, bare.find('=')), names, "--");
}

po::parsed_options run_parser(const Subcommand& subcommand, const std::vector<std::string>& tokens) {
  const po::options_description description = describe(subcommand);
  constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return po::command_line_parser(tokens).options(description).style(style).run();
  } catch (const po::invalid_syntax& error) {
    refuse_with_help(subcommand, text_of(error));
  } catch (const po::error_with_option_name& error) {
    const std::string word = error.get_option_name();
    refuse_with_help(subcommand, fmt::format("unrecognised option '{}'{}", option_name(word),
                                             suggestion(subcommand, word)));
  }
}

std::uint64_t read_number(std::string_view option, std::string_view text, std::uint64_t at_least,
                          std::uint64_t at_most) {
  const std::optional<std::uint64_t> number = format::parse_number(text);
  if (number && *number >= at_least && *number <= at_most) return *number;
  refuse("--{} takes {} number from {} to {}", option, text.find(',') == text.npos ? "a" : "one", at_least,
         at_most);
}

std::uint64_t read_size(std::string_view option, std::string_view text, std::uint64_t at_least,
                        std::uint64_t at_most) {
  const std::optional<std::uint64_t> size = format::parse_size(text);
  if (size && *size >= at_least && *size <= at_most) return *size;
  throw Error(
      Errc::usage,
      fmt::format("--{} takes a size from {} to {}; K, M and G or KiB, MiB and GiB are powers of 1024",
                  option, size_text(at_least), size_text(at_most)));
}

// Takes the words off flags that may have one ("--rm=fast"): Boost would let such a flag take the next
// argument, a file's name, for its value.
std::map<std::string, std::vector<std::string>, std::less<>> take_words(const Subcommand& subcommand,
                                                                        std::vector<std::string>& tokens) {
  std::map<std::string, std::vector<std::string>, std::less<>> words;
  const auto end = std::ranges::find(tokens, "--");
  for (const OptionGroup* group : subcommand.groups) {
    for (const OptionSpec& option : group->options) {
      const std::string flag = fmt::format("--{}", option.name);
      const bool is_also_bare = std::find(tokens.begin(), end, flag) != end;  // the bare flag asks for more
      for (auto token = tokens.begin(); token != end && !option.word.empty(); ++token) {
        if (!token->starts_with(flag + "=")) continue;
        const std::string given = token->substr(flag.size() + 1);
        if (given != option.word) refuse_word(option.name, given, {option.word});
        *token = flag;
        if (!is_also_bare) words[std::string(option.name)] = {given};
      }
    }
  }
  return words;
}

bool may_repeat(const Subcommand& subcommand, std::string_view name) {
  return std::ranges::any_of(subcommand.groups, [name](const OptionGroup* group) {
    const auto option = std::ranges::find(group->options, name, &OptionSpec::name);
    return option != group->options.end() && option->repeats;
  });
}

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void refuse_by_groups(const Arguments& arguments) {
  for (const OptionGroup* group : arguments.subcommand().groups) {
    for (const auto& [one, other] : group->apart) refuse_together(arguments, {one, other});
    for (const auto& [option, needed] : group->needs) {
      if (arguments.has(option) && !arguments.has(needed)) refuse("--{} needs --{}", option, needed);
    }
    for (const OptionSpec& option : group->options) {
      const std::optional<std::string> given = arguments.value(option.name);
      if (!given || !option.takes_words_alone || is_among(option.words, *given)) continue;
      if (option.name == "format" && format::find_codec(*given) != nullptr)
        refuse("--format {} is only opened; {} writes {}", *given, arguments.subcommand().name,
               fmt::join(option.words, ", "));
      refuse_word(option.name, *given, {option.words.begin(), option.words.end()});
    }
  }
}

// Those that every operation of a subcommand has.
constexpr std::string_view kOptionsOfEvery[] = {"output",   "force",       "threads", "engine",
                                                "progress", "no-progress", "quiet",   "verbose"};

}  // namespace

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Arguments parse(const Subcommand& subcommand, const std::vector<std::string>& tokens) {
  Arguments arguments(subcommand);
  std::vector<std::string> bare = tokens;
  arguments.values_ = take_words(subcommand, bare);
  for (const po::option& option : run_parser(subcommand, bare).options) {
    if (option.string_key.empty()) {
      arguments.operands_.push_back(option.value.front());
      continue;
    }
    std::vector<std::string>& values = arguments.values_[option.string_key];
    if (!values.empty() && !option.value.empty() && !may_repeat(subcommand, option.string_key))
      refuse("--{} is given twice", option.string_key);
    values.push_back(option.value.empty() ? "" : option.value.front());
  }
  refuse_more_operands(arguments, subcommand.max_operands);
  refuse_by_groups(arguments);
  return arguments;
}

void refuse_together(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  std::string_view first;
  for (const std::string_view option : options) {
    if (!arguments.has(option)) continue;
    if (!first.empty()) refuse("--{} and --{} cannot be combined: give one of them", first, option);
    first = option;
  }
}

void refuse_more_operands(const Arguments& arguments, std::size_t most) {
  if (arguments.operands().size() <= most) return;
  refuse_with_help(arguments.subcommand(),
                   fmt::format("'{}' is one argument too many", printable(arguments.operands()[most])));
}

void refuse_unused_options(const Arguments& arguments, std::string_view operation, std::string_view own) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < own.size(); at += names.back().size() + 1)
    names.push_back(own.substr(at, own.find(' ', at) - at));
  for (const OptionGroup* group : arguments.subcommand().groups) {
    for (const OptionSpec& option : group->options) {
      if (!arguments.has(option.name) || is_among(names, option.name) ||
          is_among(kOptionsOfEvery, option.name))
        continue;
      refuse("--{} does not apply to {}, which takes --{}", option.name, operation, fmt::join(names, ", --"));
    }
  }
  static_cast<void>(thread_count(arguments));
  static_cast<void>(progress_style(arguments));
}

std::uint64_t number_value(const Arguments& arguments, std::string_view option, std::uint64_t at_least,
                           std::uint64_t at_most, std::uint64_t otherwise) {
  const std::optional<std::string> text = arguments.value(option);
  return text ? read_number(option, *text, at_least, at_most) : otherwise;
}

std::uint64_t size_value(const Arguments& arguments, std::string_view option, std::uint64_t at_least,
                         std::uint64_t at_most, std::uint64_t otherwise) {
  const std::optional<std::string> text = arguments.value(option);
  return text ? read_size(option, *text, at_least, at_most) : otherwise;
}

std::vector<std::string> list_value(const Arguments& arguments, std::string_view option) {
  std::vector<std::string> items;
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return items;
  for (std::size_t at = 0; at <= text->size(); at += items.back().size() + 1) {
    items.push_back(text->substr(at, text->find(',', at) - at));
    if (items.back().empty()) refuse("--{} takes a list such as A,B; an item is empty", option);
  }
  return items;
}

std::vector<std::uint64_t> number_list(const Arguments& arguments, std::string_view option,
                                       std::uint64_t at_least, std::uint64_t at_most) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& item : list_value(arguments, option))
    numbers.push_back(read_number(option, item, at_least, at_most));
  return numbers;
}

std::vector<std::uint64_t> size_list(const Arguments& arguments, std::string_view option,
                                     std::uint64_t at_least, std::uint64_t at_most) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& item : list_value(arguments, option))
    sizes.push_back(read_size(option, item, at_least, at_most));
  return sizes;
}

Range range_value(const Arguments& arguments, std::string_view option, std::uint64_t all) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return {0, all};
  const std::size_t colon = std::min(text->find(':'), text->size());
  const auto first = format::parse_size(std::string_view(*text).substr(0, colon));
  const auto count = format::parse_size(std::string_view(*text).substr(std::min(colon + 1, text->size())));
  if (first && count) return {*first, *count};
  refuse("--{} takes FIRST:COUNT, where K, M and G or KiB, MiB and GiB are powers of 1024, not '{}'", option,
         *text);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMG";
  std::size_t unit = 0;
  for (; unit < kUnits.size() && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, unit == 0 ? "" : kUnits.substr(unit - 1, 1));
}

unsigned thread_count(const Arguments& arguments) {
  constexpr std::uint64_t kMaxThreads = 1024;
  const std::uint64_t given = number_value(arguments, "threads", 0, kMaxThreads, 0);
  return given == 0 ? platform::usable_processors() : static_cast<unsigned>(given);
}

Loudness loudness_of(const Arguments& arguments) {
  if (arguments.has("quiet")) return Loudness::quiet;
  return arguments.has("verbose") ? Loudness::verbose : Loudness::normal;
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> words,
                         std::string_view dashes) {
  const auto nearest = format::nearest_word(given, words);
  return nearest ? fmt::format(" (did you mean {}{}?)", dashes, *nearest) : "";
}

std::string alternatives(std::span<const std::string_view> words) {
  return words.size() < 2
             ? fmt::format("{}", fmt::join(words, ""))
             : fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

void refuse_word(std::string_view option, std::string_view given,
                 const std::vector<std::string_view>& words) {
  refuse("--{} takes {}, not '{}'{}", option, fmt::join(words, ", "), given, did_you_mean(given, words));
}

int run_words(const std::vector<std::string>& words, const std::function<int(const Arguments&)>& run) {
  if (words.empty()) {
    say_lines(usage_text());
    return exit_status(Errc::usage);
  }
  const bool is_version = words.front() == "--version";
  const bool is_help = is_version || words.front() == "--help" || words.front() == "-h";
  const Subcommand& subcommand = find_subcommand(is_help ? "help" : words.front());
  const Arguments arguments = parse(
      subcommand, is_version ? std::vector{words.front()} : std::vector(words.begin() + 1, words.end()));
  if (arguments.has("help") || arguments.has("version")) {
    const auto format = arguments.has("format") ? arguments.value("format") : std::nullopt;
    write_result(arguments.has("version") ? version_text() + "\n"
                 : format                 ? help_text(subcommand, *format)
                                          : help_text(subcommand));
    return kSuccess;
  }
  set_loudness(loudness_of(arguments));
  return run(arguments);
}

int report_current_failure() {
  try {
    throw;
  } catch (const ReaderGone& gone) {
    return exit_status(gone.code());
  } catch (...) {
    const Error error = current_failure();
    say(error.text());
    return exit_status(error.code());
  }
}

int guarded_main(const std::function<int()>& work) {
  try {
    prepare_process();
    return work();
  } catch (...) {
    return report_failure("", report_current_failure);
  }
}

}  // namespace fugu::cli
