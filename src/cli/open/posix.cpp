// fugu-open on POSIX.
#include <unistd.h>

#include "cli/open/conversation.hpp"
#include "cli/process/console.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::cli {
namespace {

void write_to(int descriptor, std::string_view text) noexcept {
  try {
    stream::write_all(descriptor, std::as_bytes(std::span(text)));
  } catch (...) {  // a failure cannot be reported anywhere
  }
}

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
  return is_interactive() ? ask_secret(prompt, STDIN_FILENO) : read_line(STDIN_FILENO);
}

}  // namespace fugu::cli

int main(int count, char** arguments) {
  fugu::cli::set_program_name("fugu-open");
  fugu::cli::prepare_process();
  return fugu::cli::open_files({arguments + 1, arguments + count});
}
