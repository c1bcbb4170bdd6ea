// Maps failures to exit statuses: the only place that knows both.
#pragma once

#include <string_view>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

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

}  // namespace fugu::cli
