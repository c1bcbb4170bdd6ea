// fugu bench --spectral --scope file. Every run is a separate process, as in a shell: the start of a GPU
// counts.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "cli/bench/file.hpp"
#include "cli/bench/scopes.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/walsh.hpp"

extern char** environ;

namespace fugu::cli::bench {
namespace {

constexpr int kInput = 3;  // the child's descriptor

// Runs this program with other arguments, and `input` as descriptor kInput.
void run_self(std::vector<std::string> arguments, int input) {
  std::vector<char*> list;
  for (std::string& argument : arguments) list.push_back(argument.data());
  list.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, kInput);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, list.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw system_error("this program cannot be run once more", failure);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(Errc::io, fmt::format("'fugu {}' failed, as it says above", arguments[1]));
}

// 0s and 1s, whose sums fit 32 bits.
std::vector<std::int32_t> random_bits(int n, ThreadPool& pool) {
  std::vector<std::int32_t> values(std::size_t{1} << n);
  fill_random(std::as_writable_bytes(std::span(values)), pool);
  for (std::int32_t& value : values) value &= 1;
  return values;
}

}  // namespace

void measure_spectral_files(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  const std::string place = file_system_of(plan.directory);
  for (const int n : plan.log2_sizes) {
    std::vector<std::int32_t> values = random_bits(n, pool);
    const ScratchFiles files(plan.directory, std::as_bytes(std::span(values)));
    spectral::walsh(std::span(values), n, {.pool = &pool});
    const auto expected = std::as_bytes(std::span(values));
    for (const std::string& engine : plan.engines) {
      std::vector<std::string> arguments{"fugu", "spectral", "walsh", "--from", "raw", "--type", "int32"};
      arguments.insert(arguments.end(), {"--engine", engine, "-T", std::to_string(plan.threads), "-o",
                                         files.output(), fmt::format("/dev/fd/{}", kInput)});
      sampler.take({Scope::spectral_file, engine, is_gpu(engine) ? 0 : plan.threads, "walsh int32", "forward",
                    place, expected.size()},
                   {.run = timed([&] { run_self(arguments, files.input()); }),
                    .check = [&] { require_same(expected, files.take_output(expected.size() + 1), pool); }});
    }
  }
}

}  // namespace fugu::cli::bench
