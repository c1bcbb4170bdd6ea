#include "cli/process/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>

#include "cli/process/console.hpp"
#include "cli/process/secret_input.hpp"
#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::cli {
namespace {

// Opened with the wrong access mode: reading a closed input or writing a closed output fails with EBADF.
// open() returns the lowest free number, which is `descriptor` because those below are open by now.
void occupy(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) return;
  if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) std::_Exit(2);
}

void forbid_core_dumps() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Whether the exception that ends the program means that memory ran out.
bool is_out_of_memory() noexcept {
  if (!std::current_exception()) return false;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Handles an uncaught exception, or one that could not be allocated. JSON values allocate in destructors,
// which no exception can leave: when memory runs out there, that is not a bug in the program.
[[noreturn]] void end_cleanly() {
  stream::unlink_temporaries();
  restore_terminal();
  if (!is_out_of_memory()) std::abort();
  end_command();
  say_out_of_memory("");
  std::_Exit(exit_status(Errc::io));
}

// Async-signal-safe, for the person at the terminal.
void say_interrupted(const stream::Unfinished& unfinished, bool after_echo) noexcept {
  if (::isatty(STDERR_FILENO) == 0) return;
  LastWords words(after_echo);
  words.add("interrupted");
  if (unfinished.outputs != 0) words.add("; ").add(unfinished.first.data());
  if (unfinished.outputs == 1) words.add(unfinished.first_exists ? " was not changed" : " was not created");
  if (unfinished.outputs > 1) words.add(" and other outputs were not finished");
  words.show();
}

// So that a shell's loop ends, too.
extern "C" void end_on_signal(int number) {
  const stream::Unfinished unfinished = stream::unlink_temporaries();
  const bool prompted = restore_terminal();
  say_interrupted(unfinished, !prompted && (number == SIGINT || number == SIGQUIT));
  end_command();
  std::signal(number, SIG_DFL);
  const sigset_t own = platform::signals_of({number});
  ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  ::raise(number);
  std::_Exit(128 + number);  // no signal ends the first process of a container
}

void end_cleanly_on(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = end_on_signal;
  ::sigfillset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) occupy(descriptor);
  forbid_core_dumps();
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  const sigset_t progress = platform::signals_of({SIGUSR1});
  ::pthread_sigmask(SIG_BLOCK, &progress, nullptr);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL,
                           SIGUSR2, SIGPWR, SIGSTKFLT})
    end_cleanly_on(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) end_cleanly_on(signal);
  std::set_terminate(end_cleanly);
}

bool output_pipe_broken() noexcept {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace fugu::cli
