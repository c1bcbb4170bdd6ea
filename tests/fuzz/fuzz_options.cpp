// The command line: subcommand and options, their values and combinations, hexadecimal digits and ranges.
// Input: words, one per line, the first a subcommand's name. Nothing is opened, asked for or run.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cipher/request.hpp"
#include "cli/cipher/sealed_run.hpp"
#include "cli/cipher/work_options.hpp"
#include "cli/subcommands.hpp"
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
  if (cli::parse_hex(text, bytes)) fuzz::require(text.size() == 16, "hexadecimal digits of another length");
  try {
    const cli::SealedRange range = cli::parse_range(text);
    fuzz::require(text.find(':') != std::string::npos, "a range without a colon");
    static_cast<void>(range);
  } catch (const Error&) {
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
    for (const auto direction : {core::Direction::encrypt, core::Direction::decrypt}) {
      static_cast<void>(cli::cipher_request(arguments, direction));
    }
  } catch (const Error& error) {
    fuzz::require(!error.text().empty(), "an error without a text");
  }
  return 0;
}
