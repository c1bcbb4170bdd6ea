// Files whose lines or fields are messages of their own.
#include "cli/cipher/lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/files/files.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {
namespace {

using core::Direction;
using format::Codec;
using format::LinesReport;
using format::OptionUse;
using format::TextEncoding;

// "raw or openssl": those whose messages stand alone.
std::string formats_of_messages(Direction direction) {
  const auto ability = direction == Direction::encrypt ? format::Ability::seal : format::Ability::open;
  std::vector<const Codec*> all;
  std::ranges::copy_if(format::codecs(), std::back_inserter(all),
                       [&](const Codec* codec) { return codec->has_messages && codec->can(ability); });
  return format::names_of(all);
}

char delimiter(const Arguments& arguments) {
  const std::string given = arguments.value("delimiter").value_or(",");
  if (given == "tab") return '\t';
  if (given.size() == 1 && given != "\"" && given != "\r" && given != "\n") return given.front();
  throw Error(Errc::usage, "--delimiter takes one character, or tab");
}

format::TableOptions table_options(const Arguments& arguments) {
  if (!arguments.has("column")) throw Error(Errc::usage, "--csv needs --column NAME");
  return {arguments.values("column"), delimiter(arguments), arguments.has("with-header")};
}

void check_combinations(const Arguments& arguments, const Codec* codec, Direction direction) {
  if (codec == nullptr || codec->has_messages) return;
  const std::string_view option = arguments.has("csv") ? "csv" : "lines";
  const std::string formats = formats_of_messages(direction);
  if (!arguments.has("format"))
    throw Error(Errc::usage, fmt::format("--{} needs --format {}", option, formats));
  throw Error(Errc::usage,
              fmt::format("--{} and --format {} cannot be combined: messages of one line are of --format {}",
                          option, codec->name, formats));
}

std::optional<TextEncoding> encoding_of(const Codec* codec, Direction direction,
                                        const std::optional<TextForm>& text) {
  if (codec != nullptr && codec->is_text) {
    if (!text) return TextEncoding::binary;
    throw Error(Errc::usage,
                fmt::format("--format {} reads its digits itself: leave out -a, --hex and --signed-hex",
                            codec->name));
  }
  if (text) return text->encoding;
  return direction == Direction::encrypt ? std::optional(TextEncoding::base64) : std::nullopt;
}

// Where no format is known, because there is no message.
class NoCipher final : public format::MessageCipher {
 public:
  format::MessageFindings run(core::WipedBytes&) const override {
    throw Error(Errc::unknown_format, "is after 4 MiB without a message: name the format");
  }
};

const Codec& recognised(std::span<const std::byte> message, Direction direction) {
  const std::vector<const Codec*> found = format::recognise(message, message.size());
  if (found.size() == 1 && found.front()->has_messages) return *found.front();
  const std::string formats = formats_of_messages(direction);
  if (!found.empty() && std::ranges::none_of(found, &Codec::has_messages))
    throw Error(Errc::usage,
                fmt::format("its first message is in the format {}, which is not one of lines: {} are",
                            format::names_of(found), formats));
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
  options.threads = share.threads;
  options.counters = observer.counters;
  return options;
}

// Its errors repeat names of a table's header, which may hold anything.
format::Lines begun_lines(const CipherRequest& request, const Share& share, const Observer& observer,
                          stream::Source& source) {
  try {
    return format::Lines(source, options_of(request, share, observer));
  } catch (const Error& error) {
    throw Error(error.code(), printable(error.text()));
  }
}

format::Opened opened_as(const Codec& codec, const LinesReport& report, const std::string& noun) {
  format::Opened opened;
  opened.parameters = fmt::format("{} {}, {}", report.messages, noun, codec.name);
  opened.evidence = {!codec.needs_secret() || report.messages == 0, std::max(0.0, report.bits)};
  opened.all_content = report.all_content;
  if (report.bits < 1 && report.not_utf8 != 0)
    opened.notes.push_back(
        fmt::format("{} of {} {} are not UTF-8: perhaps Latin-1", report.not_utf8, report.messages, noun));
  return opened;
}

std::string noun_of(const CipherRequest& request) {
  return request.lines->table ? "fields" : "lines";
}

std::string place_of(const CipherRequest& request, const format::LeftMessage& left) {
  const std::string line = fmt::format("line {}", left.line);
  return request.lines->table
             ? fmt::format("{}, column {}", line, printable(request.lines->table->columns[left.column]))
             : line;
}

// "7, 19, 23"; of very many the first ones.
std::string numbers_of(const std::vector<format::LeftMessage>& left) {
  constexpr std::size_t kMostNumbers = 100;
  std::vector<std::uint64_t> numbers;
  for (const format::LeftMessage& one : left) {
    if (numbers.size() == kMostNumbers) break;
    numbers.push_back(one.line);
  }
  const std::size_t more = left.size() - numbers.size();
  return fmt::format("{}{}", fmt::join(numbers, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::optional<format::LinesOptions> lines_options(const Arguments& arguments, const Codec* codec,
                                                  Direction direction, const std::optional<TextForm>& text) {
  if (!arguments.has("lines") && !arguments.has("csv")) return std::nullopt;
  check_combinations(arguments, codec, direction);
  format::LinesOptions options;
  if (arguments.has("csv")) options.table = table_options(arguments);
  options.encoding = encoding_of(codec, direction, text);
  return options;
}

std::string encrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                          stream::Source& source, stream::Sink& sink) {
  const Codec& codec = *request.codec;
  const format::OptionValues values = option_values(codec, request.options, OptionUse::seal);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::seal);
  observer.begin(codec);
  format::Lines lines = begun_lines(request, share, observer, source);
  const auto cipher = format::sealing_cipher(codec, {values, observer.ask(codec)});
  const LinesReport report = lines.seal(*cipher, sink);
  return fmt::format("{} {}, {}", report.messages, noun_of(request), codec.name);
}

DecryptedLines decrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                             stream::Source& source, stream::Sink& sink) {
  format::Lines lines = begun_lines(request, share, observer, source);
  const auto first = lines.first_message();
  if (!first && request.codec == nullptr) {
    LinesReport report = lines.open(NoCipher(), true, sink);
    format::Opened opened = opened_as(format::default_codec(), report, noun_of(request));
    return {std::move(opened), std::move(report)};
  }
  const Codec& codec = request.codec != nullptr ? *request.codec : recognised(*first, request.direction);
  const format::OptionValues values = opening_values(request, codec);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::open);
  observer.begin(codec);
  const auto cipher =
      format::opening_cipher(codec, {values, observer.ask(codec), request.accept_weak_evidence});
  LinesReport report = lines.open(*cipher, codec.needs_secret(), sink);
  format::Opened opened = opened_as(codec, report, noun_of(request));
  if (first && !request.lines->encoding)
    opened.notes.push_back(lines.encoding() == TextEncoding::hex ? "read as hexadecimal digits (--hex)"
                                                                 : "read as base64 (-a)");
  return {std::move(opened), std::move(report)};
}

std::unique_ptr<stream::Source> require_one_message(const CipherRequest& request, Observer& observer,
                                                    std::unique_ptr<stream::Source> source) {
  const Codec* const codec = request.codec;
  if (!request.text || codec == nullptr || !codec->has_messages || request.direction == Direction::encrypt)
    return source;
  constexpr std::size_t kHeadBytes = std::size_t{4} << 20;  // of longer text the rest is not looked at
  std::vector<std::byte> head(kHeadBytes);
  head.resize(source->read(head));
  source = stream::prepend(head, std::move(source));
  const format::OptionValues values = opening_values(request, *codec);
  const std::string why = format::why_many_messages(
      {reinterpret_cast<const char*>(head.data()), head.size()}, head.size() < kHeadBytes,
      request.text->encoding, [&] {
        return format::opening_cipher(*codec, {values, observer.ask(*codec), request.accept_weak_evidence});
      });
  if (why.empty()) return source;
  throw Error(Errc::unknown_format,
              why + ": --lines decrypts one message per line; if all are one message, join the lines");
}

int report_left(const std::string& input, const CipherRequest& request, const LinesReport& report,
                std::string_view state) {
  if (report.left.empty()) return kSuccess;
  const std::string title = input_title(input);
  for (const format::LeftMessage& left : report.left)
    say(fmt::format("{}: {}: {}{}", title, place_of(request, left), printable(left.reason), state));
  say(fmt::format("{}: {} of {} {} {}: {}", title, report.left.size(), report.messages, noun_of(request),
                  state.empty() ? "do not open" : "were left as they are",
                  (request.lines->table ? "lines " : "") + numbers_of(report.left)));
  return exit_status(Errc::damaged);
}

void add_to_row(nlohmann::ordered_json& row, const CipherRequest& request, const LinesReport& report) {
  auto left = nlohmann::ordered_json::array();
  for (const format::LeftMessage& one : report.left) {
    nlohmann::ordered_json entry{{"line", one.line}};
    if (request.lines->table) entry["column"] = request.lines->table->columns[one.column];
    entry["reason"] = one.reason;
    left.push_back(std::move(entry));
  }
  row.update({{"messages", report.messages},
              {"opened", report.messages - report.left.size()},
              {"left", std::move(left)}});
}

std::string count_text(const CipherRequest& request, const LinesReport& report) {
  return fmt::format("{} of {} {} open", report.messages - report.left.size(), report.messages,
                     noun_of(request));
}

}  // namespace fugu::cli
