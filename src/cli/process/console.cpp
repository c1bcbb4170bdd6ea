#include "cli/process/console.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <set>

#include "cli/process/secrets.hpp"
#include "fugu/platform/posix/signals.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::cli {
namespace {

std::string_view program = "fugu";
std::atomic<Loudness> loudness = Loudness::normal;
std::mutex error_stream;
std::atomic<bool> status_drawn = false;  // changed under error_stream
bool status_forgone = false;             // under error_stream
std::atomic<bool> in_line = false;       // data on the terminal end inside a line
int status_pauses = 0;                   // under error_stream

// One write per line, so that lines of several processes do not mix. A failure cannot be reported anywhere.
void show(std::string_view text) noexcept {
  try {
    stream::write_all(STDERR_FILENO, std::as_bytes(std::span(text)));
  } catch (...) {
  }
}

constexpr std::string_view kEraseLine = "\r\x1b[K";

// Messages hold file names and texts of libraries and other programs, which must not control the terminal.
void say_line(std::string_view text) {
  const std::lock_guard lock(error_stream);
  const std::string_view before = in_line && ::isatty(STDERR_FILENO) != 0 ? "\n"
                                  : status_drawn                          ? kEraseLine
                                                                          : "";
  status_drawn = false;
  in_line = false;
  show(fmt::format("{}{}: {}\n", before, program, printable(text)));
}

void say_line_once(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> said;
  const std::lock_guard lock(mutex);
  if (said.emplace(text).second) say_line(text);
}

thread_local Transcript* recording = nullptr;

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

std::string_view program_name() noexcept {
  return program;
}

void set_program_name(std::string_view name) noexcept {
  program = name;
}

std::string_view input_title(std::string_view name) {
  return name == "-" ? "standard input" : name;
}
std::string_view output_title(std::string_view name) {
  return name == "-" ? "standard output" : name;
}

void set_loudness(Loudness value) {
  loudness = value;
}

bool is_verbose() noexcept {
  return loudness == Loudness::verbose;
}

// Whether the line was recorded to wait for its turn.
bool recorded(Transcript::Kind kind, std::string_view text) {
  if (recording == nullptr) return false;
  recording->lines_.push_back({kind, std::string(text)});
  return true;
}

void Transcript::show() {
  const std::vector<Line> lines = std::exchange(lines_, {});
  for (const Line& line : lines) {
    if (line.kind == Kind::message) say_line(line.text);
    if (line.kind == Kind::once) say_line_once(line.text);
    if (line.kind == Kind::result) write_result(line.text);
  }
}

Transcript::Recording::Recording(Transcript& transcript, bool waits) {
  recording = waits ? &transcript : nullptr;
}

Transcript::Recording::~Recording() {
  recording = nullptr;
}

void say(std::string_view text) {
  if (!recorded(Transcript::Kind::message, text)) say_line(text);
}

int say_failure(std::string_view title, const Error& error, std::string_view state) {
  say(fmt::format("{}: {}{}", title, error.text(), state));
  return exit_status(error.code());
}

void say_note(std::string_view text) {
  if (loudness != Loudness::quiet) say(text);
}

void say_note_once(std::string_view text) {
  if (loudness == Loudness::quiet) return;
  if (!recorded(Transcript::Kind::once, text)) say_line_once(text);
}

void say_detail(std::string_view text) {
  if (is_verbose()) say(text);
}

void say_lines(std::string_view text) {
  if (recording == nullptr) show(text);
}

LastWords::LastWords(bool after_echo) noexcept {
  if (::isatty(STDERR_FILENO) != 0) {
    const std::string_view before = status_drawn ? kEraseLine : in_line || after_echo ? "\n" : "";
    bytes_ = before.copy(line_.data(), before.size());
  }
  add(program).add(": ");
}

LastWords& LastWords::add(std::string_view text) noexcept {
  text = text.substr(0, line_.size() - 1 - bytes_);
  const bool is_text = harmless_bytes(text) == text.size();
  for (const char c : text) line_[bytes_++] = c >= ' ' && c != 0x7f ? c : is_text && c < 0 ? c : '?';
  return *this;
}

void LastWords::show() noexcept {
  line_[bytes_++] = '\n';
  static_cast<void>(::write(STDERR_FILENO, line_.data(), bytes_) == 0);
}

void say_out_of_memory(std::string_view title) noexcept {
  LastWords words;
  words.add(title.substr(0, 200)).add(title.empty() ? "" : ": ").add("not enough memory").show();
}

void forgo_status() {
  const std::lock_guard lock(error_stream);
  if (status_drawn) show(kEraseLine);
  status_drawn = false;
  status_forgone = true;
}

void leave_line(char last) {
  in_line = last != '\n';
}

StatusPause::StatusPause() : recording_(std::exchange(recording, nullptr)) {
  const std::lock_guard lock(error_stream);
  ++status_pauses;
  if (status_drawn) show(kEraseLine);
  status_drawn = false;
}

StatusPause::~StatusPause() {
  recording = recording_;
  const std::lock_guard lock(error_stream);
  --status_pauses;
}

void draw_status(std::string_view text) {
  const std::lock_guard lock(error_stream);
  if (status_forgone || status_pauses > 0) return;
  status_drawn = true;  // set before it is shown, since a signal may come in between
  show(fmt::format("{}{}", kEraseLine, text));
}

void clear_status() {
  const std::lock_guard lock(error_stream);
  if (status_drawn) show(kEraseLine);
  status_drawn = false;
}

void write_result(std::string_view text) {
  if (recorded(Transcript::Kind::result, text)) return;
  clear_status();
  try {
    stream::write_all(STDOUT_FILENO, std::as_bytes(std::span(text)));
    if (!text.empty() && ::isatty(STDOUT_FILENO) != 0) leave_line(text.back());
  } catch (Error& error) {
    if (output_pipe_broken()) throw ReaderGone();
    error.add_context(output_title("-"));
    throw;
  }
}

void write_text(std::string_view text) {
  if (loudness != Loudness::quiet) write_result(text);
}

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
