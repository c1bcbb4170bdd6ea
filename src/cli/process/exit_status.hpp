// From a failure to the number the program ends with: the only place that knows both.
#pragma once

#include <exception>
#include <string_view>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

inline constexpr int kSuccess = 0;

// Standard output is a pipe that nobody reads any more (`fugu decrypt a.fugu | head`): the program ends with
// the status of an output error and says nothing.
class ReaderGone : public Error {
 public:
  ReaderGone() : Error(Errc::io, "standard output: nobody reads it any more") {}
};

int exit_status(Errc code) noexcept;

// The meaning of any exception to the user. Call it inside a catch block.
Error current_failure();

// Runs `report`, which says what failed and returns the exit status. Where even that fails, memory is what is
// missing, and the fixed words for it are said. `title`: the file it is about, or empty. Call inside a catch
// block.
template <class Report>
int report_failure(std::string_view title, Report report) noexcept {
  try {
    return report();
  } catch (...) {
    say_out_of_memory(title);
    return exit_status(Errc::io);
  }
}

// For several files: the numerically larger status, which is the one that says more about the data.
int worse(int a, int b) noexcept;

}  // namespace fugu::cli
