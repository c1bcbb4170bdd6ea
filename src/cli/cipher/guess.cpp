// fugu guess: tries recipes on data without a header, and prints the commands that open it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "cli/cipher/request.hpp"
#include "cli/commands.hpp"
#include "cli/files/files.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "fugu/format/guess/guess.hpp"

namespace fugu::cli {
namespace {

using format::Fit;
using format::Fits;
using format::SecretKind;

constexpr double kMaxBits = 1000;  // more bits would say nothing more
constexpr std::string_view kPlain = "/._-:=,+@%";

// One word of a POSIX shell's command line. What must not reach a terminal is escaped by printf, whose output
// a shell takes without the line ends at its end, and by bash's quotes, which not every shell has, only
// there.
std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  if (printable(text) != text) {
    std::string escaped;
    for (const char c : text)
      escaped += c >= ' ' && c < 0x7f && c != '\'' && c != '\\' && c != '%'
                     ? std::string(1, c)
                     : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    return text.ends_with('\n') ? "$'" + escaped + "'" : "\"$(printf '" + escaped + "')\"";
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct GuessQuestion {
  std::string file;
  SecretQuestion secret;
  std::string place;  // of the secret, as the user named it
  format::GuessGiven given;
};

GuessQuestion guess_question(const Arguments& arguments) {
  GuessQuestion asked;
  asked.file = arguments.operands().empty() ? std::string(kStandardStream) : arguments.operands().front();
  asked.place = arguments.value(arguments.has("key") ? "key" : "pass").value_or("");
  if (asked.place.empty())
    throw Error(Errc::usage, "give the key (--key) or passphrase (--pass) to guess with");
  asked.secret.source = arguments.has("key") ? key_source(arguments) : passphrase_source(arguments);
  asked.secret.kind = arguments.has("key") ? SecretKind::key : SecretKind::passphrase;
  asked.secret.max_key_bytes = format::kMaxPassphraseBytes;
  const auto most = std::numeric_limits<std::uint64_t>::max();
  asked.given.iv = arguments.value("iv").value_or("");
  asked.given.skip = number_value(arguments, "skip", 0, most, 0);
  if (arguments.has("length")) asked.given.length = number_value(arguments, "length", 0, most, most);
  if (const auto salt = arguments.value("salt")) {
    asked.given.salt.resize(8);
    if (!format::parse_hex(*salt, asked.given.salt))
      throw Error(Errc::usage, "--salt takes 16 hexadecimal digits");
  }
  return asked;
}

std::string command(const GuessQuestion& asked, const std::string& options) {
  const std::string secret =
      (asked.secret.kind == SecretKind::key ? "--key " : "--pass ") + shell_word(asked.place);
  const bool like_option = asked.file.starts_with('-') && asked.file != kStandardStream;
  return fmt::format("fugu decrypt {} {} {}{}", options, secret, like_option ? "./" : "",
                     shell_word(asked.file));
}

std::string fits_text(const GuessQuestion& asked, const Fits& fits) {
  std::string lines = fmt::format("{}: {} recipes tried\n", printable(input_title(asked.file)), fits.tried);
  for (std::size_t i = 0; i < fits.best.size(); ++i) {
    const Fit& fit = fits.best[i];
    lines += fmt::format("{:2}. {}\n    ", i + 1, printable(command(asked, fit.options)));
    if (fit.plaintext_bytes)
      lines += fmt::format("{} of plaintext, {} of padding; ", counted(*fit.plaintext_bytes, "byte"),
                           fit.padding_bytes);
    lines += fmt::format("as good by chance: once in 2^{:.0f}\n", std::min(fit.bits, kMaxBits));
    if (!fit.remark.empty()) lines += fmt::format("    {}\n", fit.remark);
    if (!fit.same.empty()) lines += fmt::format("    the same plaintext: {}\n", fmt::join(fit.same, "; "));
  }
  if (fits.close > 1)
    lines += fmt::format("the first {} are about equally likely, and give different bytes\n", fits.close);
  return lines + fmt::format("not tried: {}\n", fmt::join(fits.not_tried, "; "));
}

nlohmann::ordered_json fits_json(const GuessQuestion& asked, const Fits& fits) {
  auto rows = nlohmann::ordered_json::array();
  for (const Fit& fit : fits.best) {
    nlohmann::ordered_json row{{"command", command(asked, fit.options)},
                               {"options", fit.options},
                               {"bits", std::min(fit.bits, kMaxBits)},
                               {"plaintext_bytes", nullptr},
                               {"padding_bytes", fit.padding_bytes},
                               {"remark", fit.remark},
                               {"same", fit.same}};
    if (fit.plaintext_bytes) row["plaintext_bytes"] = *fit.plaintext_bytes;
    rows.push_back(std::move(row));
  }
  return {{"version", kJsonVersion}, {"file", asked.file},         {"tried", fits.tried},
          {"close", fits.close},     {"recipes", std::move(rows)}, {"not_tried", fits.not_tried}};
}

Fits guess_file(const GuessQuestion& asked, RunSecret& secret) {
  try {
    const auto source = open_input(asked.file);
    const format::Codec* const codec = known_by_magic(*source);
    if (codec != nullptr && !has_files_without_header(*codec))
      throw Error(
          Errc::unknown_format,
          fmt::format("is in the format {}, which fugu decrypt opens; guess is for files without a header",
                      codec->name));
    return format::guess(*source, asked.secret.kind, secret.bytes(), asked.given);
  } catch (Error& error) {
    if (error.code() != Errc::usage) error.add_context(input_title(asked.file));
    throw;
  }
}

}  // namespace

int run_guess(const Arguments& arguments) {
  const GuessQuestion asked = guess_question(arguments);
  RunSecret secret(asked.secret);
  const auto begin = std::chrono::steady_clock::now();
  const Fits fits = guess_file(asked, secret);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  say_detail(fmt::format("{}: {} recipes in {:.1f} s", input_title(asked.file), fits.tried, elapsed.count()));
  if (arguments.has("json")) write_result(json_text(fits_json(asked, fits)));
  if (!fits.best.empty() && !arguments.has("json"))
    write_result(spelled(fits_text(asked, fits), Spelling::program));
  if (!fits.best.empty()) return kSuccess;
  if (fits.tried == 0)
    throw Error(Errc::unknown_format,
                fmt::format("{}: nothing was tried: it has no whole block of 8 bytes{}",
                            input_title(asked.file), asked.given.skip != 0 ? " after --skip" : ""));
  throw Error(
      Errc::wrong_key,
      fmt::format(
          "{}: none of the {} recipes tried fits: the {} is wrong, or something that was not tried fits: {}",
          input_title(asked.file), fits.tried, secret.kind_name(), fmt::join(fits.not_tried, "; ")));
}

}  // namespace fugu::cli
