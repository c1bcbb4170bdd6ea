#include "cli/mpi/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cli/process/console.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::cli {
namespace {

// "cuda:0" and so on.
int gpus_here() {
  return static_cast<int>(std::ranges::count_if(engine::list(), [](const engine::EngineInfo& info) {
    return info.available && info.name.starts_with("cuda:") && info.name != "cuda:all";
  }));
}

// The exit status for the current exception if the ranks agreed on it.
std::optional<int> agreed_status() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    if (distributed::is_agreed(error)) return exit_status(error.code());
  } catch (...) {
  }
  return std::nullopt;
}

}  // namespace

int end_run(std::string_view title, const std::function<int()>& report) noexcept {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::optional<int> agreed = agreed_status();
  if (agreed && rank != 0) return *agreed;
  Transcript none;
  const Transcript::Recording shown(none, false);
  const int status = report_failure(title, report);
  if (agreed) return status;
  stream::unlink_temporaries();
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

RankWork rank_work(const distributed::Communicator& world, const Arguments& arguments) {
  RankWork work;
  distributed::together(world, [&] {
    work.threads = thread_count(arguments);
    work.engine = arguments.value("engine").value_or("auto");
  });
  const auto place = distributed::place_on_node(world, static_cast<int>(platform::usable_processors()),
                                                static_cast<int>(std::thread::hardware_concurrency()));
  if (arguments.value("threads").value_or("0") == "0")
    work.threads = static_cast<unsigned>(std::max(1, place.processors / place.ranks));
  if (work.engine != "cuda:local") return work;
  distributed::together(world, [&] {
    const int gpus = gpus_here();
    if (gpus == 0)
      throw Error(Errc::no_device, "--engine cuda:local: one of the machines has no GPU that can be used");
    work.gpu = place.rank % gpus;
    work.engine = fmt::format("cuda:{}", work.gpu);
  });
  return work;
}

}  // namespace fugu::cli
