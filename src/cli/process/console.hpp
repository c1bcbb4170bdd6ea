// The program's output: one line per message on standard error; results on standard output; and its exit
// status.
//
//   fugu: FILE: what happened; what to do; state of the files
//
// File names and texts of other programs may hold anything. Messages are made printable here; results are
// written as they are, so their writers make such text printable. Results that cannot be written are an
// error, never a shorter output. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::cli {

class Arguments;

// The program's name, which begins every message: "fugu", or the argument of set_program_name(), which lives
// as long as the program.
std::string_view program_name() noexcept;
void set_program_name(std::string_view name) noexcept;

// A text of the library in the program's words. Shows as \xNN each byte of a file's name that must not reach
// a terminal: control characters including C1, changes of the writing direction, and invalid UTF-8.
std::string printable(std::string_view text);

// Quoted if it holds a comma, a quote or a line end (RFC 4180).
std::string csv_cell(const std::string& text);

// How much of `text` may reach a terminal as it is (tabs, line ends, what printable() leaves alone): all but
// the first bytes of a last character. Empty if a byte must not reach one.
std::optional<std::size_t> harmless_bytes(std::string_view text);

// "-" as "standard input" or "standard output".
std::string_view input_title(std::string_view name);
std::string_view output_title(std::string_view name);

enum class Loudness { quiet, normal, verbose };

void set_loudness(Loudness loudness);
Loudness loudness_of(const Arguments& arguments);
bool is_verbose() noexcept;  // -v

void say(std::string_view text);         // only errors and requested output
void say_note(std::string_view text);    // hidden by -q
void say_detail(std::string_view text);  // shown by -v

// Says what failed, and in what state the files are ("; nothing was written"). Returns the exit status.
int say_failure(std::string_view title, const Error& error, std::string_view state = {});

// The same for messages shown once per run, whichever thread says them first.
void say_note_once(std::string_view text);

// Lines without the program's name; nothing where messages are recorded.
void say_lines(std::string_view text);

// Keeps a thread's messages and results until their turn: several files are processed at a time, and their
// messages appear in the order of the files.
class Transcript {
 public:
  enum class Kind : std::uint8_t { message, once, result };

  // Shows everything and becomes empty. Throws as write_result() does.
  void show();

  // While it lives, this thread's messages go into `transcript`, unless `waits` is false. The lines of a
  // prompt never wait.
  class Recording {
   public:
    Recording(Transcript& transcript, bool waits);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
  };

 private:
  friend bool recorded(Kind kind, std::string_view text);

  struct Line {
    Kind kind;
    std::string text;
  };
  std::vector<Line> lines_;
};

// The last message of the program, also of a signal handler: allocates nothing, and is cut where it is too
// long.
class LastWords {
 public:
  // `after_echo`: a key that was typed may stand on the line.
  explicit LastWords(bool after_echo = false) noexcept;
  LastWords& add(std::string_view text) noexcept;
  void show() noexcept;

 private:
  std::array<char, 600> line_;
  std::size_t bytes_ = 0;
};

// For when memory has run out. `title`: a file's name, or empty.
void say_out_of_memory(std::string_view title) noexcept;

// The line that is redrawn in place on a terminal; the messages above remove it first.
void draw_status(std::string_view text);
void clear_status();
// While it lives, no status line is drawn and nothing is recorded: the user is being asked on the terminal.
class StatusPause {
 public:
  StatusPause();
  ~StatusPause();
  StatusPause(const StatusPause&) = delete;
  StatusPause& operator=(const StatusPause&) = delete;

 private:
  Transcript* recording_;
};

void forgo_status();  // from now on the terminal belongs to the data

// `last` is what the data on the terminal end in so far: a message after it begins on a new line.
void leave_line(char last);

// Removes the status line first. Throws Error{io}.
void write_result(std::string_view text);

// The same for text hidden by -q.
void write_text(std::string_view text);

// Exit statuses, and failures: the only place that knows both.
inline constexpr int kSuccess = 0;
inline constexpr int kUndecided = 8;  // the program cannot answer the question

// Standard output is a pipe without a reader (`fugu decrypt a.fugu | head`): the program silently ends with
// the status of an output error.
class ReaderGone : public Error {
 public:
  ReaderGone() : Error(Errc::io, "standard output: the reader has closed the pipe") {}
};

int exit_status(Errc code) noexcept;

// Maps any current exception to an Error. Call it inside a catch block.
Error current_failure();

// Runs `report`, which reports the failure and returns the exit status. If even that fails, memory has run
// out, and a fixed message is shown. `title`: the file concerned, or empty. Call inside a catch block.
template <class Report>
int report_failure(std::string_view title, Report report) noexcept {
  try {
    return report();
  } catch (...) {
    say_out_of_memory(title);
    return exit_status(Errc::io);
  }
}

// Returns work(), and adds `outer` to the text of its Error: the name of a file, an option.
template <class Work>
auto with_context(std::string_view outer, Work work) {
  try {
    return work();
  } catch (Error& error) {
    error.add_context(outer);
    throw;
  }
}

// For several files: the numerically larger status, which says more about the data.
int worse(int a, int b) noexcept;

// - Descriptors 0, 1 and 2 are occupied: a closed one would be given to the next file opened, and messages
//   would go into that file. The stand-ins fail on use, so lost output is an error.
// - No core dumps: they would hold keys.
// - SIGPIPE and SIGXFSZ become write errors; SIGUSR1 waits for the progress display.
// - SIGCHLD has its default action: if it were ignored, a child could not be waited for.
// - The other terminating signals, except those of the program's own faults, remove temporary files, restore
//   the terminal, say on it what was not finished, and end the program as if they had not been caught. A
//   signal that was ignored at the start stays ignored (nohup, background jobs).
void prepare_process();

// Whether the reader of standard output has gone away.
bool output_pipe_broken() noexcept;

}  // namespace fugu::cli
