// The program's output: one line per message on standard error; results on standard output.
//
//   fugu: FILE: what happened; what to do; state of the files
//
// A file name may hold anything, so what is shown of it is made printable first. Results that cannot be
// written are an error, never a shorter output. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fugu::cli {

class Arguments;

// As \xNN each byte of what must not reach a terminal from a file's name: control characters, C1 too, what
// turns the direction of writing, and what is no UTF-8.
std::string printable(std::string_view text);

// "-" as "standard input" or "standard output".
std::string input_title(std::string_view name);
std::string output_title(std::string_view name);

enum class Loudness { quiet, normal, verbose };

void set_loudness(Loudness loudness);
Loudness loudness_of(const Arguments& arguments);  // throws Error{usage} for -q with -v

void say(std::string_view text);         // errors, and what was asked for
void say_note(std::string_view text);    // hidden by -q
void say_detail(std::string_view text);  // shown by -v

// The same for what is said once in a run, whoever comes to say it.
void say_note_once(std::string_view text);

// Keeps the messages and results of a thread until their turn: several files are worked on at a time, and
// their messages come in the order of the files.
class Transcript {
 public:
  enum class Kind : std::uint8_t { message, once, result };

  // Shows it all and is empty. Throws what write_result() throws.
  void show();

  // While it lives, what this thread says goes into `transcript`, unless `waits` is false. The lines of a
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

// For when there is no memory to say more with: allocates nothing. `title`: a file's name, or empty.
void say_out_of_memory(std::string_view title) noexcept;

// The line that is redrawn in place on a terminal; the messages above take it away first.
void draw_status(std::string_view text);
void clear_status();
// No status line is drawn while it lives, and nothing is recorded: somebody is asked on the terminal.
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

// Takes the status line away first. Throws Error{io}.
void write_result(std::string_view text);

// The same for people: hidden by -q.
void write_text(std::string_view text);

}  // namespace fugu::cli
