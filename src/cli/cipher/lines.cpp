// Files whose lines, fields or values are messages of their own.
#include "cli/cipher/run.hpp"

#include <fmt/ranges.h>
#include <regex.h>

#include <cctype>
#include <iterator>

namespace fugu::cli {
namespace {

using core::Direction;
using format::Codec;
using format::LinesReport;
using format::OptionUse;
using format::TextEncoding;

char delimiter(const Arguments& arguments) {
  const std::string given = arguments.value("delimiter").value_or(",");
  if (given == "tab") return '\t';
  if (given.size() == 1 && given != "\"" && given != "\r" && given != "\n") return given.front();
  refuse("--delimiter takes one character, or tab");
}

format::TableOptions table_options(const Arguments& arguments) {
  if (!arguments.has("column")) refuse("--csv needs --column NAME");
  return {arguments.values("column"), delimiter(arguments), arguments.has("with-header")};
}

// An expression of grep -E. libc matches it without backtracking: at most the square of a line's length. What
// only other languages have would mean something else here, and is refused.
class Expression {
 public:
  explicit Expression(const std::string& text) {
    refuse_other_languages(text);
    const int status = ::regcomp(&compiled_, text.c_str(), REG_EXTENDED);
    if (status == 0) return;
    std::array<char, 128> why{};
    ::regerror(status, &compiled_, why.data(), why.size());
    refuse("--match takes a grep -E expression: {}", why.data());
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() { ::regfree(&compiled_); }

  std::optional<format::Match> find(std::string_view line, std::size_t from) const {
    for (; from <= line.size(); ++from) {
      std::array<regmatch_t, 2> at{};
      at[0] = {static_cast<regoff_t>(from), static_cast<regoff_t>(line.size())};
      if (::regexec(&compiled_, line.data(), at.size(), at.data(), REG_STARTEND) != 0) break;
      const regmatch_t& value = at[compiled_.re_nsub == 0 ? 0 : 1];
      const auto next = static_cast<std::size_t>(at[0].rm_eo);
      if (value.rm_so >= 0 && next > from)
        return format::Match{static_cast<std::size_t>(value.rm_so), static_cast<std::size_t>(value.rm_eo),
                             next};
      from = std::max(from, next);
    }
    return std::nullopt;
  }

 private:
  static void refuse_other_languages(std::string_view text) {
    bool in_brackets = false;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const std::string_view pair = text.substr(i, 2);
      if (in_brackets ? text[i] == ']' : text[i] == '[') {
        in_brackets = !in_brackets;
        if (in_brackets) i += pair == "[^" ? 2U : 1U;  // a first ] is a character
      } else if (!in_brackets && pair[0] == '\\') {
        constexpr std::string_view kLetters = "wWsSbB";
        if (std::isalnum(static_cast<unsigned char>(pair[1])) != 0 && kLetters.find(pair[1]) == kLetters.npos)
          throw Error(
              Errc::usage,
              fmt::format("--match takes a grep -E expression, which has no {}: a digit is [0-9]", pair));
        ++i;
      } else if (!in_brackets && (pair == "*?" || pair == "+?" || pair == "}?" || pair == "(?")) {
        refuse(
            "--match takes a grep -E expression, which has no {}: text between quotation marks is "
            "\"([^\"]*)\"",
            pair);
      }
    }
  }

  regex_t compiled_{};
};

std::string_view given_option(const Arguments& arguments) {
  return arguments.has("match") ? "match" : arguments.has("csv") ? "csv" : "lines";
}

void check_combinations(const Arguments& arguments, const Codec* codec, Direction direction) {
  if (codec == nullptr || codec->has_messages) return;
  const std::string_view option = given_option(arguments);
  const std::string formats = formats_that(direction, std::mem_fn(&Codec::has_messages));
  if (!arguments.has("format")) refuse("--{} needs --format {}", option, formats);
  refuse("--{} and --format {} cannot be combined: single-line messages are in {}", option, codec->name,
         formats);
}

std::optional<TextEncoding> encoding_of(const Codec* codec, Direction direction,
                                        const std::optional<TextForm>& text) {
  if (codec != nullptr && codec->is_text) {
    if (!text) return TextEncoding::binary;
    refuse("--format {} reads its digits itself: leave out -a, --hex and --signed-hex", codec->name);
  }
  if (text) return text->encoding;
  return direction == Direction::encrypt ? std::optional(TextEncoding::base64) : std::nullopt;
}

// Where no format is known, because there is no message.
class NoCipher final : public format::MessageCipher {
 public:
  format::MessageFindings run(core::WipedBytes&) const override {
    throw Error(Errc::unknown_format, "has no message in its first 4 MiB: give --format NAME");
  }
};

const Codec& recognised(std::span<const std::byte> message, Direction direction) {
  const std::vector<const Codec*> found = format::recognise(message, message.size());
  if (found.size() == 1 && found.front()->has_messages) return *found.front();
  const std::string formats = formats_that(direction, std::mem_fn(&Codec::has_messages));
  if (!found.empty() && std::ranges::none_of(found, &Codec::has_messages))
    refuse("the first message is in the format {}, but single-line messages are in {}",
           format::names_of(found), formats);
  throw Error(Errc::unknown_format,
              fmt::format("the first message does not show its format: give --format {}", formats));
}

// The options that open what encrypt has written with them, too.
format::OptionValues opening_values(const CipherRequest& request, const Codec& codec) {
  format::OptionValues values = option_values(codec, request.options, OptionUse::open);
  if (request.direction == Direction::encrypt && codec.add_seal_defaults != nullptr)
    codec.add_seal_defaults(values);
  return values;
}

format::LinesOptions options_of(const CipherRequest& request, const Share& share, const Observer& observer) {
  format::LinesOptions options = *request.lines;
  options.accept_weak_evidence = request.accept_weak_evidence;
  options.threads = share.threads;
  options.counters = observer.counters;
  return options;
}

// `found`: the parameters that were found by trial.
format::Opened opened_as(const Codec& codec, const LinesReport& report, std::string_view noun,
                         const std::string& found = {}) {
  format::Opened opened;
  opened.by_trial = !found.empty();
  opened.parameters =
      fmt::format("{}, {}", counted(report.messages, noun), found.empty() ? codec.name : found);
  opened.evidence = {!codec.needs_secret() || report.messages == 0, std::max(0.0, report.bits)};
  opened.all_content = report.all_content;
  if (report.not_utf8 != 0)
    opened.notes.push_back(fmt::format("{} of {} {} not UTF-8: perhaps Latin-1", report.not_utf8,
                                       counted(report.messages, noun), report.not_utf8 == 1 ? "is" : "are"));
  return opened;
}

std::string_view noun_of(const CipherRequest& request) {
  return request.lines->noun();
}

std::string place_of(const CipherRequest& request, const format::LeftMessage& left) {
  const std::string line = fmt::format("line {}", left.line);
  return request.lines->table ? fmt::format("{}, column {}", line, request.lines->table->columns[left.column])
                              : line;
}

// "7, 19, 23", and how many more there are.
std::string numbers_of(const LinesReport& report) {
  std::vector<std::uint64_t> numbers;
  for (const format::LeftMessage& one : report.named) numbers.push_back(one.line);
  const std::uint64_t more = report.left - numbers.size();
  return fmt::format("{}{}", fmt::join(numbers, ", "),
                     more == 0 ? "" : fmt::format(" and {} more, which --json lists", more));
}

}  // namespace

std::optional<format::LinesOptions> lines_options(const Arguments& arguments, const Codec* codec,
                                                  Direction direction, const std::optional<TextForm>& text) {
  if (!arguments.has(given_option(arguments))) return std::nullopt;
  check_combinations(arguments, codec, direction);
  format::LinesOptions options;
  if (arguments.has("csv")) options.table = table_options(arguments);
  if (const auto expression = arguments.value("match"))
    options.match = [compiled = std::make_shared<const Expression>(*expression)](
                        std::string_view line, std::size_t from) { return compiled->find(line, from); };
  if (arguments.has("json")) options.most_named = SIZE_MAX;
  options.encoding = encoding_of(codec, direction, text);
  return options;
}

std::string encrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                          stream::Source& source, stream::Sink& sink) {
  const Codec& codec = *request.codec;
  const format::OptionValues values = option_values(codec, request.options, OptionUse::seal);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::seal);
  observer.begin(codec);
  format::Lines lines(source, options_of(request, share, observer));
  const auto cipher = format::sealing_cipher(codec, {values, observer.ask(codec)});
  const LinesReport report = lines.seal(*cipher, sink);
  return fmt::format("{}, {}", counted(report.messages, noun_of(request)), codec.name);
}

format::Opened decrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                             stream::Source& source, stream::Sink& sink, LinesReport& report) {
  format::Lines lines(source, options_of(request, share, observer));
  const auto some = lines.some_messages();
  if (some.empty() && request.codec == nullptr) {
    report = lines.open(NoCipher(), true, sink);
    return opened_as(format::default_codec(), report, noun_of(request));
  }
  const Codec& codec =
      request.codec != nullptr ? *request.codec : recognised(some.front(), request.direction);
  const format::OptionValues values = opening_values(request, codec);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::open);
  observer.begin(codec);
  const auto cipher =
      format::opening_cipher(codec, {values, observer.ask(codec), request.accept_weak_evidence}, some);
  report = lines.open(*cipher, codec.needs_secret(), sink);
  format::Opened opened = opened_as(codec, report, noun_of(request), cipher->found());
  if (report.others != 0)
    opened.notes.push_back(fmt::format(
        "{} of {} {} not look encrypted, and {} as {}", report.others,
        counted(report.messages + report.others, noun_of(request)), report.others == 1 ? "does" : "do",
        report.others == 1 ? "stays" : "stay", report.others == 1 ? "it is" : "they are"));
  if (!some.empty() && !request.lines->encoding)
    opened.notes.push_back(lines.encoding() == TextEncoding::hex ? "read as hexadecimal digits (--hex)"
                                                                 : "read as base64 (-a)");
  return opened;
}

std::unique_ptr<stream::Source> require_one_message(const CipherRequest& request, Observer& observer,
                                                    std::unique_ptr<stream::Source> source) {
  const Codec* const codec = request.codec;
  if (!request.text || codec == nullptr || !codec->has_messages || request.direction == Direction::encrypt)
    return source;
  constexpr std::size_t kHeadBytes = std::size_t{4} << 20;  // the rest of a longer text is only watched
  std::vector<std::byte> head(kHeadBytes);
  source = format::without_mark(std::move(source));
  head.resize(source->read(head));
  const bool is_all = head.size() < kHeadBytes;
  const format::OptionValues values = opening_values(request, *codec);
  const std::string why = format::why_many_messages(
      {reinterpret_cast<const char*>(head.data()), head.size()}, is_all, request.text->encoding,
      [&](std::span<const core::WipedBytes> some) {
        return format::opening_cipher(*codec, {values, observer.ask(*codec), request.accept_weak_evidence},
                                      some);
      });
  if (!why.empty()) throw Error(Errc::unknown_format, why + std::string(format::kAdviceForMany));
  source = stream::prepend(head, std::move(source));
  return is_all ? std::move(source) : format::watched_text(std::move(source), request.text->encoding);
}

int report_left(const std::string& input, const CipherRequest& request, const LinesReport& report,
                std::string_view state) {
  if (report.left == 0) return kSuccess;
  const std::string_view title = input_title(input);
  for (const format::LeftMessage& left : report.named)
    say(fmt::format("{}: {}: {}{}", title, place_of(request, left), left.reason, state));
  const bool is_one = report.left == 1;
  say(fmt::format(
      "{}: {} of {} {}: {}", title, report.left, counted(report.messages, noun_of(request)),
      state.empty() ? (is_one ? "does not open" : "do not open")
                    : (is_one ? "was left as it is" : "were left as they are"),
      (request.lines->may_hold_others() ? (is_one ? "line " : "lines ") : "") + numbers_of(report)));
  return exit_status(Errc::damaged);
}

void add_to_row(nlohmann::ordered_json& row, const CipherRequest& request, const LinesReport& report) {
  auto left = nlohmann::ordered_json::array();
  for (const format::LeftMessage& one : report.named) {
    nlohmann::ordered_json entry{{"line", one.line}};
    if (request.lines->table) entry["column"] = request.lines->table->columns[one.column];
    entry["reason"] = one.reason;
    left.push_back(std::move(entry));
  }
  row.update(
      {{"messages", report.messages}, {"opened", report.messages - report.left}, {"left", std::move(left)}});
  if (request.lines->may_hold_others()) row["others"] = report.others;
}

std::string count_text(const CipherRequest& request, const LinesReport& report) {
  const std::uint64_t open = report.messages - report.left;
  return fmt::format("{} of {} {}", open, counted(report.messages, noun_of(request)),
                     open == 1 ? "opens" : "open");
}

}  // namespace fugu::cli
