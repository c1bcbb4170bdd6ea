#include "fugu/error.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace fugu {
namespace {

constexpr std::string_view kBegin = "⟦";
constexpr std::string_view kEnd = "⟧";
constexpr std::string_view kNext = " ⟦";

// What is not an option of a format in C++ and Python, or has another name there.
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

bool is_choice(std::string_view value) {
  return value.find(' ') != std::string_view::npos;
}

std::string cpp_words(const std::string& name, const std::string& value) {
  const std::string option = name == "format" ? name : "option " + name;
  return option + (value.empty() ? "" : is_choice(value) ? ": " + value : " = " + value);
}

// In Python options of formats are entries of one argument.
std::string python_words(const std::string& name, const std::string& value, bool is_alone) {
  if (name == "format") return "format=" + (is_choice(value) ? value : '"' + value + '"');
  if (is_choice(value)) return "options[\"" + name + "\"]: " + value;
  if (is_alone && value.empty()) return "options[\"" + name + "\"]";
  return "options={\"" + name + "\": " + (value.empty() ? "True}" : '"' + value + "\"}");
}

std::string words_of(std::string_view piece, Spelling spelling, bool is_alone) {
  const auto* const other = std::ranges::find(kOtherNames, piece, &OtherName::piece);
  if (other != std::end(kOtherNames)) return other->words[static_cast<std::size_t>(spelling)];
  if (spelling == Spelling::program) return "--" + std::string(piece);
  const std::size_t blank = std::min(piece.find(' '), piece.size());
  const std::string name(piece.substr(0, blank));
  const std::string value(piece.substr(std::min(blank + 1, piece.size())));
  return spelling == Spelling::cpp ? cpp_words(name, value) : python_words(name, value, is_alone);
}

// The pieces that begin `text`, with a blank between them, which are taken off it.
std::vector<std::string_view> take_pieces(std::string_view& text) {
  std::vector<std::string_view> pieces;
  do {
    text.remove_prefix(text.find(kBegin) + kBegin.size());
    pieces.push_back(text.substr(0, text.find(kEnd)));
    text.remove_prefix(std::min(pieces.back().size() + kEnd.size(), text.size()));
  } while (text.starts_with(kNext) && text.find(kEnd) != std::string_view::npos);
  return pieces;
}

}  // namespace

std::string spelled(std::string_view text, Spelling spelling) {
  constexpr std::string_view kAnotherEntry = "}, options={";
  std::string result;
  for (std::size_t begin = 0; (begin = text.find(kBegin)) != std::string_view::npos;) {
    if (text.find(kEnd, begin) == std::string_view::npos) break;
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::vector<std::string_view> pieces = take_pieces(text);
    std::string words;
    for (const std::string_view piece : pieces)
      words += (words.empty()                   ? ""
                : spelling == Spelling::program ? " "
                                                : ", ") +
               words_of(piece, spelling, pieces.size() == 1);
    for (std::size_t at = 0; (at = words.find(kAnotherEntry)) != std::string::npos;)
      words.replace(at, kAnotherEntry.size(), ", ");
    result += words;
  }
  return result.append(text);
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
