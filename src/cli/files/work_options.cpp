#include "cli/files/work_options.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cli/process/calibration.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

constexpr std::uint64_t kMinChunkBytes = 4096;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{32} << 20;  // a ring of these stays within 256 MiB

}  // namespace

WorkOptions work_options(const Arguments& arguments) {
  WorkOptions options;
  options.engine = arguments.value("engine").value_or("auto");
  options.threads = thread_count(arguments);
  const std::uint64_t chunk = size_value(arguments, "chunk", kMinChunkBytes, kMaxChunkBytes, 0);
  options.chunk_bytes = static_cast<std::size_t>(chunk / 8 * 8);
  return options;
}

std::uint64_t memory_bytes() {
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = std::min<std::uint64_t>(memory, limit.rlim_cur);
  return memory;
}

std::uint64_t derivation_memory() {
  std::uint64_t memory = memory_bytes();
  std::uint64_t of_group = 0;  // the file says "max" if there is no limit
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> of_group) memory = std::min(memory, of_group);
  return memory / 4;
}

std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads,
                                            std::uint64_t expected_bytes, std::size_t expected_files) {
  return engine::make(options.engine, {.threads = threads,
                                       .expected_bytes = expected_bytes,
                                       .expected_files = expected_files,
                                       .calibration = calibration(),
                                       .note = [](std::string_view text) { say_note(text); }});
}

}  // namespace fugu::cli
