#include "fugu/error.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace fugu {
namespace {

constexpr std::string_view kBegin = "⟦";
constexpr std::string_view kEnd = "⟧";
constexpr std::string_view kNext = " ⟦";

// Names that are not options of a format in C++ and Python, or are called differently there.
struct OtherName {
  std::string_view piece;
  const char* words[3];  // by Spelling
};
constexpr OtherName kOtherNames[] = {
    {"yes", {"accept_weak_evidence", "--yes", "accept_weak_evidence=True"}},
    {"salvage", {"salvage", "--salvage", "salvage=True"}},
    {"pass", {"Secret::passphrase", "--pass", "passphrase="}},
    {"key", {"Secret::key", "--key", "key="}},
    {"key hex", {"the bytes", "--key hex-file:F or hex-env:V", "key=bytes.fromhex(text)"}},
    {"key base64", {"the bytes", "--key base64-file:F or base64-env:V", "key=base64.b64decode(text)"}},
    {"format", {"format", "--format", "format="}},
    {"hex", {"encoding = hex", "--hex", "bytes.fromhex(data)"}},
    {"signed-hex", {"encoding = signed_hex", "--signed-hex", "int(data, 16)"}},
    {"a", {"encoding = base64", "-a", "base64.b64decode(data)"}},
    {"f", {"another name", "-f", "another name"}}};

// In Python options of formats are entries of one argument.
std::string python_words(const std::string& name, const std::string& value, bool is_choice, bool is_alone) {
  const std::string quoted = is_choice ? value : '"' + value + '"';
  if (name == "format") return "format=" + quoted;
  if (is_choice || (is_alone && value.empty()))
    return "options[\"" + name + "\"]" + (is_choice ? ": " + value : "");
  return "options={\"" + name + "\": " + (value.empty() ? "True" : quoted) + "}";
}

std::string words_of(std::string_view piece, Spelling spelling, bool is_alone) {
  const auto* const other = std::ranges::find(kOtherNames, piece, &OtherName::piece);
  if (other != std::end(kOtherNames)) return other->words[static_cast<std::size_t>(spelling)];
  if (spelling == Spelling::program) return "--" + std::string(piece);
  const std::size_t blank = std::min(piece.find(' '), piece.size());
  const std::string name(piece.substr(0, blank));
  const std::string value(piece.substr(std::min(blank + 1, piece.size())));
  const bool is_choice = value.find(' ') != std::string::npos;
  if (spelling == Spelling::python) return python_words(name, value, is_choice, is_alone);
  return (name == "format" ? name : "option " + name) +
         (value.empty() ? "" : (is_choice ? ": " : " = ") + value);
}

}  // namespace

std::string spelled(std::string_view text, Spelling spelling) {
  std::string result;
  for (std::size_t end = 0; (end = text.find(kEnd)) < text.size();) {
    const std::size_t begin = std::min(text.rfind(kBegin, end), end);
    const std::string_view piece = text.substr(begin, end - begin);
    const bool follows = begin == 1 && text.front() == ' ' && !result.empty();
    result += follows && spelling != Spelling::program ? ", " : text.substr(0, begin);
    text.remove_prefix(end + kEnd.size());
    result += piece.empty()
                  ? std::string(kEnd)
                  : words_of(piece.substr(kBegin.size()), spelling, !follows && !text.starts_with(kNext));
  }
  result += text;
  constexpr std::string_view kAnotherEntry = "}, options={";
  for (std::size_t at = 0; (at = result.find(kAnotherEntry)) < result.size();)
    result.replace(at, kAnotherEntry.size(), ", ");
  return result;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Error::Error(Errc code, std::string text)
    : code_(code), text_(std::move(text)), spelled_(spelled(text_, Spelling::cpp)) {}

void Error::add_context(std::string_view outer) {
  *this = Error(code_, std::string(outer) + ": " + text_);
}

Error system_error(std::string_view what, int errno_value) {
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(errno_value);
  return Error(Errc::io, std::move(text));
}

}  // namespace fugu
