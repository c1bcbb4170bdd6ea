#include "cli/process/secret_input.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "cli/process/secrets.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::cli {
namespace {

[[noreturn]] void refuse_length() {
  throw Error(Errc::usage, "holds more than " + std::to_string(kMaxSecretBytes) + " bytes");
}

auth::SecretBytes front(const auth::SecretBytes& buffer, std::size_t bytes) {
  return auth::SecretBytes(buffer.span().first(bytes));
}

}  // namespace

auth::SecretBytes read_line(int descriptor, std::string_view when_empty) {
  auth::SecretBytes buffer(kMaxSecretBytes + 1);
  for (std::size_t used = 0; used < buffer.size(); ++used) {
    const bool ended = stream::read_some(descriptor, buffer.span().subspan(used, 1)) == 0;
    if (ended && used == 0) throw Error(Errc::io, std::string(when_empty));
    if (ended || buffer.data()[used] == std::byte{'\n'}) return front(buffer, used);
  }
  refuse_length();
}

auth::SecretBytes read_all(int descriptor) {
  auth::SecretBytes buffer(kMaxSecretBytes + 1);
  std::size_t used = 0;
  while (used < buffer.size()) {
    const std::size_t got = stream::read_some(descriptor, buffer.span().subspan(used));
    if (got == 0) return front(buffer, used);
    used += got;
  }
  refuse_length();
}

namespace {

// Read by the signal handlers: `changed_terminal` is set last and cleared first.
termios settings_before;
std::atomic<int> changed_terminal = -1;
static_assert(std::atomic<int>::is_always_lock_free);

termios silent_settings() noexcept {
  termios silent = settings_before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
  return silent;
}

// The open prompt, which the handler of SIGTSTP shows again.
std::string_view open_prompt;

void set_suspension_action(void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGTSTP, &action, nullptr);
}

// Ctrl-Z at the prompt: the shell gets its echo back, and the prompt is repeated once the program is in the
// foreground again. A background process that changes the terminal is stopped once more until then.
extern "C" void suspend_prompt(int) {
  const int failure = errno;
  const int terminal = changed_terminal;
  restore_terminal();
  set_suspension_action(SIG_DFL);
  ::raise(SIGTSTP);
  set_suspension_action(suspend_prompt);
  const termios silent = silent_settings();
  if (terminal != -1 && ::tcsetattr(terminal, TCSAFLUSH, &silent) == 0) {
    changed_terminal = terminal;
    static_cast<void>(::write(terminal, open_prompt.data(), open_prompt.size()) == 0);
  }
  errno = failure;
}

// Shows `prompt` and turns the echo off while it lives.
class SilentPrompt {
 public:
  SilentPrompt(int terminal, std::string_view prompt) {
    if (::tcgetattr(terminal, &settings_before) != 0) throw system_error("terminal", errno);
    ::sigaction(SIGTSTP, nullptr, &suspension_before_);
    open_prompt = prompt;
    changed_terminal = terminal;
    const termios silent = silent_settings();
    if (stream::retry_interrupted([&] { return ::tcsetattr(terminal, TCSAFLUSH, &silent); }) != 0) {
      const int failure = errno;
      restore_terminal();
      throw system_error("terminal", failure);
    }
    if (suspension_before_.sa_handler != SIG_IGN) set_suspension_action(suspend_prompt);
  }
  SilentPrompt(const SilentPrompt&) = delete;
  SilentPrompt& operator=(const SilentPrompt&) = delete;
  ~SilentPrompt() {
    ::sigaction(SIGTSTP, &suspension_before_, nullptr);
    restore_terminal();
  }

 private:
  struct sigaction suspension_before_ {};
};

stream::Descriptor terminal_or_none() {
  return stream::Descriptor(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
}

stream::Descriptor open_terminal() {
  stream::Descriptor terminal = terminal_or_none();
  if (terminal) return terminal;
  throw Error(Errc::usage, "no passphrase: there is no terminal to ask on; give --pass " +
                               std::string(kPassphrasePlaceNames));
}

}  // namespace

bool has_terminal() {
  return static_cast<bool>(terminal_or_none());
}

auth::SecretBytes ask_secret(std::string_view prompt) {
  return ask_secret(prompt, open_terminal().get());
}

auth::SecretBytes ask_secret(std::string_view prompt, int terminal) {
  const SilentPrompt silent(terminal, prompt);
  stream::write_all(terminal, std::as_bytes(std::span(prompt)));
  return read_line(terminal, "no passphrase was typed");
}

void show_on_terminal(std::span<const std::byte> text) {
  stream::write_all(open_terminal().get(), text);
}

bool restore_terminal() noexcept {
  const int terminal = changed_terminal.exchange(-1);
  if (terminal == -1) return false;
  static_cast<void>(::write(terminal, "\n", 1) == 0);
  ::tcsetattr(terminal, TCSAFLUSH, &settings_before);
  return true;
}

}  // namespace fugu::cli
