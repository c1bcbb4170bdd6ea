#include "cli/mpi/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/processors.hpp"

namespace fugu::cli {
namespace {

struct Row {
  std::string_view name;
  int (*run)(const distributed::Communicator&, const Arguments&);
};
constexpr Row kRows[] = {
    {"encrypt", encrypt_by_ranks},
    {"decrypt", decrypt_by_ranks},
    {"verify", verify_by_ranks},
    {"spectral", spectral_by_ranks},
};

// "cuda:0" and so on.
int gpus_here() {
  return static_cast<int>(std::ranges::count_if(engine::list(), [](const engine::EngineInfo& info) {
    return info.available && info.name.starts_with("cuda:") && info.name != "cuda:all";
  }));
}

}  // namespace

int run_by_ranks(const distributed::Communicator& world, const Arguments& arguments) {
  return std::ranges::find(kRows, arguments.subcommand().name, &Row::name)->run(world, arguments);
}

RankWork rank_work(const distributed::Communicator& world, const Arguments& arguments) {
  RankWork work;
  distributed::together(world, [&] {
    work.threads = thread_count(arguments);
    work.engine = arguments.value("engine").value_or("auto");
  });
  const auto place = distributed::place_on_node(world, static_cast<int>(threads::usable_processors()),
                                                static_cast<int>(std::thread::hardware_concurrency()));
  if (arguments.value("threads").value_or("0") == "0")
    work.threads = static_cast<unsigned>(std::max(1, place.processors / place.ranks));
  if (work.engine != "cuda:local") return work;
  distributed::together(world, [&] {
    const int gpus = gpus_here();
    if (gpus == 0) throw Error(Errc::no_device, "--engine cuda:local: a machine has no GPU that can be used");
    work.gpu = place.rank % gpus;
    work.engine = fmt::format("cuda:{}", work.gpu);
  });
  return work;
}

}  // namespace fugu::cli
