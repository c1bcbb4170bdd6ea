// The options that a subcommand accepts, and those that the user gave.
//
// An OptionSpec is a row of the one table behind subcommands.hpp, or derived from a format's own row:
// parsing, help, the manual page, the shell completion and a test all read it, so an option cannot exist in
// one of them only.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::cli {

// Throws Error{usage}: a text of fmt.
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  throw Error(Errc::usage, fmt::format(text, std::forward<Values>(values)...));
}

struct OptionSpec {
  std::string_view name;      // long name, without dashes
  char letter = 0;            // short name, or 0
  std::string_view argument;  // the name of the value in help; empty: a flag
  std::string_view help;
  std::span<const std::string_view> words = {};  // values for the shell completion, if they are few
  std::string_view word = {};  // the one value that a flag may have, in the same argument (--rm=fast)
  std::vector<std::string_view> (*list)() = nullptr;  // supplies `words` from a table of the library
  bool repeats = false;                               // it may be given several times, with a value each
  bool takes_words_alone = false;                     // its value must be one of `words`
};

// Two options, of this group or another one of the subcommand.
using OptionPair = std::pair<std::string_view, std::string_view>;

struct OptionGroup {
  std::string_view title;
  std::span<const OptionSpec> options;
  std::string_view format = {};  // the format whose options they are: another may have some of the same name
  std::span<const OptionPair> apart = {};  // pairs that must not be given together
  std::span<const OptionPair> needs = {};  // the first means something only with the second
  bool is_special = false;                 // not for everybody: short help gives only its name
};

class Arguments;

struct Subcommand {
  std::string_view name;
  std::string_view summary;   // one line
  std::string_view operands;  // "[FILE...]"
  std::string_view details;   // paragraphs for help and manual
  std::span<const OptionGroup* const> groups;
  int (*run)(const Arguments&) = nullptr;
  std::size_t max_operands = std::numeric_limits<std::size_t>::max();
  std::span<const std::string_view> aliases = {};  // other names
  // What the shell completes as the first operand, and as the others; null: names of files.
  std::vector<std::string_view> (*first_words)() = nullptr;
  std::vector<std::string_view> (*other_words)() = nullptr;
};

class Arguments {
 public:
  explicit Arguments(const Subcommand& subcommand) : subcommand_(&subcommand) {}

  const Subcommand& subcommand() const { return *subcommand_; }
  bool has(std::string_view option) const { return values_.count(option) != 0; }
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;  // all values of an option that repeats
  const std::vector<std::string>& operands() const { return operands_; }
  Arguments with_first_operand(std::string_view operand) const {
    Arguments result = *this;
    result.operands_.emplace(result.operands_.begin(), operand);
    return result;
  }

 private:
  friend Arguments parse(const Subcommand&, const std::vector<std::string>&);

  const Subcommand* subcommand_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // values of each option, in order
  std::vector<std::string> operands_;
};

// Parses the words after the subcommand's name, once. Abbreviated names are not accepted; "--" ends the
// options; "-" is an operand. Throws Error{usage}, with the nearest name for an unknown one, whose value is
// not repeated, since it may be a secret; and for what OptionGroup::apart, needs and takes_words_alone
// refuse.
Arguments parse(const Subcommand& subcommand, const std::vector<std::string>& tokens);

// Throws Error{usage} naming both when two of the options are given together.
void refuse_together(const Arguments& arguments, std::initializer_list<std::string_view> options);

// Throws Error{usage} naming the first operand beyond `most`.
void refuse_more_operands(const Arguments& arguments, std::size_t most);

// For subcommands with several operations, such as fugu spectral walsh. Throws Error{usage} for a given
// option that is neither among `own`, names with blanks between them, nor one of those for every operation:
// outputs, engines and messages. Checks the values of these.
void refuse_unused_options(const Arguments& arguments, std::string_view operation, std::string_view own);

// Values of options; each throws Error{usage} naming the option and its accepted values.
std::uint64_t number_value(const Arguments& arguments, std::string_view option, std::uint64_t at_least,
                           std::uint64_t at_most, std::uint64_t otherwise);
std::uint64_t size_value(const Arguments& arguments, std::string_view option, std::uint64_t at_least,
                         std::uint64_t at_most, std::uint64_t otherwise);  // read by format::parse_size()

// The shortest spelling that these read: "64M".
std::string size_text(std::uint64_t bytes);

// --threads; 0 or no option means every processor this process may run on.
unsigned thread_count(const Arguments& arguments);

// The same for comma-separated lists. Empty when the option is not given.
std::vector<std::string> list_value(const Arguments& arguments, std::string_view option);
std::vector<std::uint64_t> number_list(const Arguments& arguments, std::string_view option,
                                       std::uint64_t at_least, std::uint64_t at_most);
std::vector<std::uint64_t> size_list(const Arguments& arguments, std::string_view option,
                                     std::uint64_t at_least, std::uint64_t at_most);

struct Range {
  std::uint64_t first;
  std::uint64_t count;
};

// "FIRST:COUNT", each read by format::parse_size(); {0, all} when the option is not given.
Range range_value(const Arguments& arguments, std::string_view option, std::uint64_t all);

// One of a few words, each standing for a value.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};

[[noreturn]] void refuse_word(std::string_view option, std::string_view given,
                              const std::vector<std::string_view>& words);

// " (did you mean WORD?)", with `dashes` before the word, or nothing if none of them is near.
std::string did_you_mean(std::string_view given, std::span<const std::string_view> words,
                         std::string_view dashes = "");

// "a, b or c".
std::string alternatives(std::span<const std::string_view> words);

// The names of the rows of a table.
template <class Rows>
std::vector<std::string_view> names_in(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

template <class T, std::size_t n>
T choice_of(std::string_view option, std::string_view given, const Choice<T> (&choices)[n]) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices) {
    if (choice.word == given) return choice.value;
    words.push_back(choice.word);
  }
  refuse_word(option, given, words);
}

template <class T, std::size_t n>
std::optional<T> choice_value(const Arguments& arguments, std::string_view option,
                              const Choice<T> (&choices)[n]) {
  const std::optional<std::string> given = arguments.value(option);
  if (!given) return std::nullopt;
  return choice_of(option, *given, choices);
}

// Throws std::bad_alloc for sizes beyond a 32-bit address space.
inline std::size_t to_size(std::uint64_t size) {
  if (!std::in_range<std::ptrdiff_t>(size)) throw std::bad_alloc();
  return static_cast<std::size_t>(size);
}

}  // namespace fugu::cli
