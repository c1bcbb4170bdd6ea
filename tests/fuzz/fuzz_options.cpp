// The command line: subcommand and options, their values and combinations, hexadecimal digits and ranges.
// Input: words, one per line, the first a subcommand's name. Nothing is opened, asked for or run.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cipher/run.hpp"
#include "cli/files/work_options.hpp"
#include "cli/table/subcommands.hpp"
#include "fuzz.hpp"

namespace {

using namespace fugu;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    // No argument of a program holds a zero byte.
    lines.back().resize(std::min(lines.back().size(), lines.back().find('\0')));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

void try_values(const std::string& text) {
  std::array<std::byte, 8> bytes{};
  if (format::parse_hex(text, bytes))
    fuzz::require(text.size() == 16, "hexadecimal digits of another length");
  for (const format::Codec* codec : format::codecs()) {
    format::OptionValues values(codec->options);
    for (const format::OptionRow& row : codec->options) {
      try {
        values.set(row.name, text);
        if (row.type == format::OptionType::number)
          fuzz::require(values.number(row.name).has_value(), "a number is lost");
        if (codec->check != nullptr) codec->check(values, row.use);
      } catch (const Error& error) {
        fuzz::require(error.code() == Errc::usage, "an option's value is an error of another kind");
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> words = lines_of({reinterpret_cast<const char*>(data), size});
  for (const std::string& word : words) try_values(word);
  try {
    const cli::Subcommand& subcommand = cli::find_subcommand(words.front());
    const cli::Arguments arguments = cli::parse(subcommand, {words.begin() + 1, words.end()});
    static_cast<void>(cli::work_options(arguments));
    for (const auto direction : {core::Direction::encrypt, core::Direction::decrypt})
      static_cast<void>(cli::cipher_request(arguments, direction));
  } catch (const Error& error) {
    fuzz::require(!error.text().empty(), "an error without a text");
  }
  return 0;
}
