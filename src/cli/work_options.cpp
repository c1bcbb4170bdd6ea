#include "work_options.hpp"

#include "process.hpp"

namespace fugu::cli {
namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kLeastChunkBytes = 4096;
constexpr std::uint64_t kMostChunkBytes = std::uint64_t{32} << 20;  // a ring of them stays within 256 MiB

}  // namespace

WorkOptions work_options(const Arguments& arguments) {
  WorkOptions options;
  options.engine = arguments.value("engine").value_or("auto");
  options.threads =
      static_cast<unsigned>(number_value(arguments, "threads", 1, kMostThreads, usable_processors()));
  options.chunk_bytes = size_value(arguments, "chunk", kLeastChunkBytes, kMostChunkBytes, 0) / 8 * 8;
  return options;
}

std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads) {
  engine::Options engine_options;
  engine_options.threads = threads;
  return engine::make(options.engine, engine_options);
}

}  // namespace fugu::cli
