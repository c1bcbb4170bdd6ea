// fugu-open on Windows.
#include <algorithm>
#include <array>
#include <optional>

#include "cli/open/conversation.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/platform/windows/files.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kMaxUnits = format::kMaxPassphraseBytes;  // of an input line

// The mode of a console; empty for files and pipes.
std::optional<DWORD> console_mode(HANDLE stream) noexcept {
  DWORD mode = 0;
  if (::GetConsoleMode(stream, &mode) == 0) return std::nullopt;
  return mode;
}

void write_to(DWORD number, std::string_view text) noexcept {
  const HANDLE stream = ::GetStdHandle(number);
  DWORD put = 0;
  if (!console_mode(stream)) {
    ::WriteFile(stream, text.data(), static_cast<DWORD>(text.size()), &put, nullptr);
    return;
  }
  const std::wstring units = platform::wide(text);
  ::WriteConsoleW(stream, units.data(), static_cast<DWORD>(units.size()), &put, nullptr);
}

// A line that is wiped, as the console or a file has it.
template <class Unit>
struct Line {
  ~Line() { core::wipe(units.data(), sizeof units); }

  std::array<Unit, kMaxUnits> units;
  std::size_t size = 0;
};

[[noreturn]] void refuse_length() {
  throw Error(Errc::usage, "holds more than " + std::to_string(kMaxUnits) + " bytes");
}

[[noreturn]] void refuse_end() {
  throw Error(Errc::io, "ended before a line was read");
}

auth::SecretBytes read_console(HANDLE console, DWORD mode, std::string_view prompt) {
  Line<wchar_t> line;
  DWORD got = 0;
  ::SetConsoleMode(console, (mode | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT) & ~DWORD{ENABLE_ECHO_INPUT});
  show_error(prompt);
  const bool done = ::ReadConsoleW(console, line.units.data(), kMaxUnits, &got, nullptr) != 0;
  ::SetConsoleMode(console, mode);
  show_error("\n");
  if (!done || got == 0) refuse_end();
  const auto* const end = std::find_if(line.units.data(), line.units.data() + got,
                                       [](wchar_t unit) { return unit == L'\r' || unit == L'\n'; });
  if (end == line.units.data() + got) refuse_length();
  const int units = static_cast<int>(end - line.units.data());
  if (units == 0) return {};
  const auto convert = [&](char* to, int bytes) {
    return ::WideCharToMultiByte(CP_UTF8, 0, line.units.data(), units, to, bytes, nullptr, nullptr);
  };
  auth::SecretBytes passphrase(static_cast<std::size_t>(convert(nullptr, 0)));
  convert(reinterpret_cast<char*>(passphrase.data()), static_cast<int>(passphrase.size()));
  return passphrase;
}

// By the byte, so that the next line stays unread.
auth::SecretBytes read_pipe(HANDLE pipe) {
  Line<std::byte> line;
  DWORD got = 0;
  std::byte next{};
  while (::ReadFile(pipe, &next, 1, &got, nullptr) != 0 && got == 1 && next != std::byte{'\n'}) {
    if (line.size == kMaxUnits) refuse_length();
    line.units[line.size++] = next;
  }
  if (got == 0 && line.size == 0) refuse_end();
  if (line.size != 0 && line.units[line.size - 1] == std::byte{'\r'}) --line.size;
  return auth::SecretBytes(std::span(line.units).first(line.size));
}

// Whether the console ends with this program, since it was started for it by a click or a drop.
bool owns_console() noexcept {
  std::array<DWORD, 2> processes;
  return ::GetConsoleProcessList(processes.data(), processes.size()) == 1 && is_interactive();
}

}  // namespace

void show(std::string_view text) noexcept {
  write_to(STD_OUTPUT_HANDLE, text);
}

void show_error(std::string_view text) noexcept {
  write_to(STD_ERROR_HANDLE, text);
}

bool is_interactive() noexcept {
  return console_mode(::GetStdHandle(STD_INPUT_HANDLE)).has_value();
}

auth::SecretBytes ask_passphrase(std::string_view prompt) {
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  const std::optional<DWORD> mode = console_mode(input);
  if (!mode) return read_pipe(input);
  return read_console(input, *mode, prompt);
}

}  // namespace fugu::cli

int wmain(int count, wchar_t** arguments) {
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) names.push_back(fugu::platform::narrow(arguments[i]));
  const int status = fugu::cli::open_files(names);
  if (fugu::cli::owns_console()) {
    fugu::cli::show_error("Enter closes this window.");
    wchar_t line[2];
    DWORD got = 0;
    ::ReadConsoleW(::GetStdHandle(STD_INPUT_HANDLE), line, 2, &got, nullptr);
  }
  return status;
}
