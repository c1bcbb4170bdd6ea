#include "cli/process/terminal.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <span>

#include "cli/process/secret_input.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"

namespace fugu::cli {
namespace {

// Read by the signal handler: `changed_terminal` is set last and cleared first.
termios settings_before;
std::atomic<int> changed_terminal = -1;
static_assert(std::atomic<int>::is_always_lock_free);

// Ctrl-Z at the prompt would hand the shell a terminal without echo: it waits until the prompt is done.
sigset_t suspension() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTSTP);
  return signals;
}

class EchoOff {
 public:
  explicit EchoOff(int terminal) {
    if (::tcgetattr(terminal, &settings_before) != 0) throw system_error("terminal", errno);
    termios silent = settings_before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    changed_terminal = terminal;
    if (stream::retry_interrupted([&] { return ::tcsetattr(terminal, TCSAFLUSH, &silent); }) == 0) return;
    const int failure = errno;
    restore_terminal();
    throw system_error("terminal", failure);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;
  ~EchoOff() { restore_terminal(); }
};

void show(int terminal, std::string_view text) {
  stream::write_all(terminal, std::as_bytes(std::span(text)));
}

}  // namespace

auth::SecretBytes ask_secret(std::string_view prompt) {
  const stream::Descriptor terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal) {
    throw Error(Errc::usage,
                "no passphrase: there is no terminal to ask on; give --pass file:F, env:V, fd:N or cmd:C");
  }
  const stream::SignalBlock until_done(suspension());
  const EchoOff silent(terminal.get());
  show(terminal.get(), prompt);
  auth::SecretBytes line = read_line(terminal.get());
  show(terminal.get(), "\n");
  return line;
}

void restore_terminal() noexcept {
  const int terminal = changed_terminal.exchange(-1);
  if (terminal != -1) ::tcsetattr(terminal, TCSAFLUSH, &settings_before);
}

}  // namespace fugu::cli
