#include "cli/bench/plan.hpp"

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::cli::bench {
namespace {

using core::Direction;
using mode::Mode;

// A default run takes less than ten seconds, even on two slow cores. OpenSSL is the slowest: 0.05 s for a
// host size on one core, 0.2 s for a GPU's on all cores, which is why the latter grows with their number.
constexpr std::uint64_t kHostBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kGpuBytesPerProcessor = std::uint64_t{32} << 20;
constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kRuns = 5;
// The thread-block counts of Feist 2009.
constexpr std::uint64_t kGrid[] = {1, 25, 50, 100, 500, 1000, 2000, 4000, 8000, 16000, 32000, 65535};

constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 30;
constexpr std::uint64_t kMaxRuns = 100000;
constexpr std::uint64_t kMaxThreadBlocks = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxThreadsPerBlock = 1024;

constexpr Choice<Scope> kScopes[] = {{"kernel", Scope::kernel}, {"copy", Scope::copy}, {"file", Scope::file}};
constexpr Mode kModes[] = {Mode::ecb, Mode::cbc, Mode::cfb64, Mode::ofb, Mode::ctr};

enum class Directions : std::uint8_t { parallel, encrypt, decrypt, both };
constexpr Choice<Directions> kDirections[] = {
    {"encrypt", Directions::encrypt}, {"decrypt", Directions::decrypt}, {"both", Directions::both}};

bool is_sweep(const Arguments& arguments) {
  return arguments.has("grid") || arguments.has("threads-per-block");
}

std::vector<Scope> read_scopes(const Arguments& arguments) {
  if (arguments.has("sealed")) return {Scope::sealed};
  const auto scope = choice_value(arguments, "scope", kScopes);
  if (!is_sweep(arguments)) {
    if (scope) return {*scope};
    return {Scope::kernel, Scope::copy, Scope::file};
  }
  if (scope.value_or(Scope::kernel) != Scope::kernel)
    throw Error(Errc::usage, "--grid and --threads-per-block are for --scope kernel");
  return {Scope::kernel};
}

bool wants(Directions directions, Mode mode, Direction direction) {
  const bool encrypts = direction == Direction::encrypt;
  if (directions == Directions::both) return true;
  if (directions == Directions::parallel)
    return !mode::is_serial(mode, direction) && (encrypts || mode::is_serial(mode, Direction::encrypt));
  return encrypts == (directions == Directions::encrypt);
}

void add_operations(Mode mode, Directions directions, std::vector<Operation>& operations) {
  if (mode == Mode::ctr || mode == Mode::ofb)
    return operations.push_back({mode, Direction::encrypt});  // encryption and decryption are the same
  for (const Direction direction : {Direction::encrypt, Direction::decrypt})
    if (wants(directions, mode, direction)) operations.push_back({mode, direction});
}

std::vector<Mode> read_modes(const Arguments& arguments) {
  std::vector<Mode> modes;
  std::vector<std::string_view> names;
  for (const Mode mode : kModes) names.push_back(mode::name_of(mode));
  for (const std::string& item : list_value(arguments, "mode")) {
    if (std::ranges::count(names, item) == 0) refuse_word("mode", item, names);
    modes.push_back(*mode::mode_named(item));
  }
  return modes;
}

std::vector<Operation> read_operations(const Arguments& arguments, const std::vector<Mode>& otherwise) {
  const std::vector<Mode> given = read_modes(arguments);
  const Directions directions =
      choice_value(arguments, "direction", kDirections).value_or(Directions::parallel);
  std::vector<Operation> operations;
  for (const Mode mode : given.empty() ? otherwise : given) add_operations(mode, directions, operations);
  return operations;
}

std::vector<std::uint64_t> read_sizes(const Arguments& arguments, std::uint64_t otherwise) {
  const auto sizes = size_list(arguments, "size", core::kBlockBytes, kMaxBytes);
  for (const std::uint64_t size : sizes)
    if (size % core::kBlockBytes != 0) throw Error(Errc::usage, "--size takes a multiple of 8 bytes");
  return sizes.empty() ? std::vector{otherwise} : sizes;
}

// All engines that can run here, each once: with one GPU, cuda:all is cuda:0.
std::vector<std::string> present_engines() {
  std::vector<std::string> names;
  for (const engine::EngineInfo& info : engine::list())
    if (info.available) names.push_back(info.name);
  if (std::ranges::count_if(names, is_gpu) == 2) std::erase(names, "cuda:all");
  return names;
}

std::vector<std::string> read_engines(const Arguments& arguments) {
  std::vector<std::string> given = list_value(arguments, "engine");
  if (given.empty()) return present_engines();
  const std::vector<engine::EngineInfo> engines = engine::list();
  for (std::string& name : given) {
    const bool present = name == "auto" || std::ranges::any_of(engines, [&](const auto& info) {
                           return info.name == name && info.available;
                         });
    // resolves cpu and cuda; otherwise throws with the reason or the choices
    if (!present) name = engine::make(name)->name();
  }
  return given;
}

std::vector<std::uint64_t> read_grid(const Arguments& arguments) {
  const bool listed = arguments.has("grid") && arguments.value("grid") != "default";
  if (listed) return number_list(arguments, "grid", 1, kMaxThreadBlocks);
  if (!is_sweep(arguments)) return {};
  return {std::begin(kGrid), std::end(kGrid)};
}

std::vector<std::uint64_t> read_threads_per_block(const Arguments& arguments) {
  constexpr std::uint64_t kWarpLanes = 32;
  const auto counts = number_list(arguments, "threads-per-block", kWarpLanes, kMaxThreadsPerBlock);
  for (const std::uint64_t count : counts)
    if (count % kWarpLanes != 0) throw Error(Errc::usage, "--threads-per-block takes multiples of 32");
  return counts;
}

void refuse_mixtures(const Arguments& arguments) {
  for (const char* option : {"scope", "mode", "direction", "grid", "threads-per-block", "directory"})
    refuse_together(arguments, {"sealed", option});
  refuse_together(arguments, {"json", "csv"});
}

void check(const Plan& plan, const Arguments& arguments) {
  if (arguments.has("directory") && !plan.has(Scope::file))
    throw Error(Errc::usage, "--directory is for --scope file");
  if (plan.scopes == std::vector{Scope::kernel} && std::ranges::count(plan.engines, "cuda:all") != 0 &&
      arguments.has("engine"))
    throw Error(Errc::usage, "cuda:all has no kernel scope: a kernel runs on one GPU, such as cuda:0");
  if (is_sweep(arguments) && std::ranges::none_of(plan.engines, is_gpu))
    throw Error(Errc::no_device, "--grid and --threads-per-block are for GPUs, but no engine here is one");
}

}  // namespace

bool is_gpu(std::string_view engine) {
  return engine.starts_with("cuda:");
}

std::optional<int> device_of(std::string_view engine) {
  if (!is_gpu(engine) || engine == "cuda:all") return std::nullopt;
  return std::stoi(std::string(engine.substr(engine.find(':') + 1)));
}

bool Plan::has(Scope scope) const {
  return std::ranges::count(scopes, scope) != 0;
}

Plan read_plan(const Arguments& arguments) {
  refuse_mixtures(arguments);
  Plan plan;
  plan.scopes = read_scopes(arguments);
  plan.operations = read_operations(arguments, {Mode::ecb, Mode::cbc, Mode::ctr});
  plan.file_operations = read_operations(arguments, {Mode::ctr});
  plan.runs = static_cast<int>(number_value(arguments, "runs", 1, kMaxRuns, kRuns));
  plan.threads = thread_count(arguments);
  plan.host_sizes = read_sizes(arguments, kHostBytes);
  plan.gpu_sizes = read_sizes(arguments, kGpuBytesPerProcessor * plan.threads);
  plan.file_sizes = read_sizes(arguments, kFileBytes);
  plan.thread_blocks = read_grid(arguments);
  plan.threads_per_block = read_threads_per_block(arguments);
  plan.directory = arguments.value("directory").value_or(std::filesystem::temp_directory_path().string());
  plan.engines = read_engines(arguments);
  check(plan, arguments);
  return plan;
}

std::string command_text(const Arguments& arguments) {
  std::string text = fmt::format("fugu {}", arguments.subcommand().name);
  for (const OptionGroup* group : arguments.subcommand().groups) {
    for (const OptionSpec& option : group->options) {
      if (!arguments.has(option.name)) continue;
      text += fmt::format(" --{}", option.name);
      if (!option.argument.empty()) text += fmt::format(" {}", *arguments.value(option.name));
    }
  }
  return text;
}

}  // namespace fugu::cli::bench
