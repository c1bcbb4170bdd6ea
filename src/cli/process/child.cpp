#include "cli/process/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "cli/process/secret_input.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"

namespace fugu::cli {
namespace {

// The child starts with the signals of an ordinary program: this one blocks SIGUSR1 and ignores SIGPIPE and
// SIGXFSZ.
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t changed;
    ::sigemptyset(&changed);
    for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&changed, signal);
    ::posix_spawnattr_setsigdefault(&attributes, &changed);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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

pid_t start_shell(const std::string& command, int output) {
  const SpawnSettings settings(output);
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

// Why, the child has said itself.
void require_success(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw system_error("cannot be waited for", errno);
  }
  if (WIFSIGNALED(status)) throw Error(Errc::io, "was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw Error(Errc::io, "failed with status " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace

auth::SecretBytes output_of_command(const std::string& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("pipe", errno);
  const stream::Descriptor reading(ends[0]);
  stream::Descriptor writing(ends[1]);
  const pid_t child = start_shell(command, writing.get());
  writing.close_checked();
  auth::SecretBytes output = read_all(reading.get());
  require_success(child);
  return output;
}

}  // namespace fugu::cli
