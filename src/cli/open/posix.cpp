// fugu-open on POSIX.
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>

#include "cli/open/conversation.hpp"
#include "cli/process/secret_input.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"

namespace fugu::cli {
namespace {

void write_to(int descriptor, std::string_view text) noexcept {
  try {
    stream::write_all(descriptor, std::as_bytes(std::span(text)));
  } catch (...) {  // a failure cannot be reported anywhere
  }
}

// Turns the echo of standard input off while it lives.
class Silence {
 public:
  Silence() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) throw system_error("terminal", errno);
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) != 0) throw system_error("terminal", errno);
  }
  ~Silence() {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    show_error("\n");
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  termios before_{};
};

}  // namespace

void show(std::string_view text) noexcept {
  write_to(STDOUT_FILENO, text);
}

void show_error(std::string_view text) noexcept {
  write_to(STDERR_FILENO, text);
}

bool is_interactive() noexcept {
  return ::isatty(STDIN_FILENO) != 0;
}

auth::SecretBytes ask_passphrase(std::string_view prompt) {
  std::optional<Silence> silence;
  if (is_interactive()) {
    silence.emplace();  // first, since it discards what was typed before
    show_error(prompt);
  }
  return read_line(STDIN_FILENO);
}

}  // namespace fugu::cli

int main(int count, char** arguments) {
  return fugu::cli::open_files({arguments + 1, arguments + count});
}
