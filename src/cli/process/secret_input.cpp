#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "cli/process/secrets.hpp"
#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::cli {
namespace {

[[noreturn]] void refuse_length() {
  throw Error(Errc::usage, "holds more than " + std::to_string(kMaxSecretBytes) + " bytes");
}

auth::SecretBytes front(const auth::SecretBytes& buffer, std::size_t bytes) {
  return auth::SecretBytes(buffer.span().first(bytes));
}

// The process, or the process group as a negative number, that must not outlive this program; 0: none.
std::atomic<pid_t> running = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// True between the start of a command and the setting of `running`. A signal handler on another thread waits
// for its end.
std::atomic<bool> starting = false;
static_assert(std::atomic<bool>::is_always_lock_free);

class Starting {
 public:
  Starting() noexcept { starting = true; }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;
  ~Starting() { starting = false; }
};

// A command may ask on the terminal, which only its foreground group can do, and there Ctrl-C and Ctrl-Z
// reach all of that group. Elsewhere a group of its own lets one signal end everything that the command has
// started.
bool in_foreground() {
  const stream::Descriptor terminal(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC));
  return terminal && ::tcgetpgrp(terminal.get()) == ::getpgrp();
}

// The child starts with the signals of an ordinary program: this one blocks SIGUSR1 and ignores SIGPIPE and
// SIGXFSZ.
class SpawnSettings {
 public:
  SpawnSettings(int output, bool own_group) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes);
    const sigset_t none = platform::signals_of({});
    ::posix_spawnattr_setsigmask(&attributes, &none);
    const sigset_t changed = platform::signals_of({SIGPIPE, SIGXFSZ});
    ::posix_spawnattr_setsigdefault(&attributes, &changed);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(&attributes,
                               static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

pid_t start_shell(const std::string& command, int output, bool own_group) {
  const SpawnSettings settings(output, own_group);
  std::string shell = "sh";
  std::string option = "-c";
  std::string text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failure =
      ::posix_spawn(&child, "/bin/sh", &settings.actions, &settings.attributes, arguments, environ);
  if (failure != 0) throw system_error("cannot be run", failure);
  return child;
}

// A running shell. It is ended with this object, or by end_command(), and always waited for.
class Shell {
 public:
  Shell(const std::string& command, int output) {
    const bool own_group = !in_foreground();
    const platform::SignalBlock until_known(platform::asynchronous_signals());
    const Starting until_then;
    child_ = start_shell(command, output, own_group);
    running = own_group ? -child_ : child_;
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  ~Shell() {
    if (child_ == 0) return;
    ::kill(running, SIGKILL);
    reap();
  }

  // The status of the command, as from waitpid(2).
  int wait() {
    siginfo_t ended;
    const auto until_end = [&] {
      return ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOWAIT);
    };
    if (stream::retry_interrupted(until_end) != 0) throw system_error("cannot be waited for", errno);
    return reap();
  }

 private:
  // Forgets the number first: another process may reuse it afterwards.
  int reap() noexcept {
    const platform::SignalBlock until_forgotten(platform::asynchronous_signals());
    running = 0;
    int status = 0;
    stream::retry_interrupted([&] { return ::waitpid(child_, &status, 0); });
    child_ = 0;
    return status;
  }

  pid_t child_ = 0;
};

// The child has reported the reason itself.
void require_success(int status) {
  if (WIFSIGNALED(status)) throw Error(Errc::io, "was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw Error(Errc::io, "failed with status " + std::to_string(WEXITSTATUS(status)));
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

auth::SecretBytes output_of_command(const std::string& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("pipe", errno);
  const stream::Descriptor reading(ends[0]);
  stream::Descriptor writing(ends[1]);
  Shell shell(command, writing.get());
  writing.close_checked();
  auth::SecretBytes output = read_all(reading.get());
  require_success(shell.wait());
  return output;
}

void end_command() noexcept {
  while (starting) ::poll(nullptr, 0, 1);
  const pid_t target = running;
  if (target != 0) ::kill(target, SIGTERM);
}

}  // namespace fugu::cli
