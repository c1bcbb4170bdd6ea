// fugu bench, and what it measures.
#include "cli/bench/plan.hpp"

#include <filesystem>

#include "cli/commands.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/memory.hpp"

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
    refuse("--grid and --threads-per-block are for --scope kernel");
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
    if (size % core::kBlockBytes != 0) refuse("--size takes a multiple of 8 bytes");
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
    if (count % kWarpLanes != 0) refuse("--threads-per-block takes multiples of 32");
  return counts;
}

void refuse_mixtures(const Arguments& arguments) {
  for (const char* option : {"scope", "mode", "direction", "grid", "threads-per-block", "directory"})
    refuse_together(arguments, {"sealed", option});
  refuse_together(arguments, {"json", "csv"});
}

void check(const Plan& plan, const Arguments& arguments) {
  if (arguments.has("directory") && !plan.has(Scope::file)) refuse("--directory is for --scope file");
  if (plan.scopes == std::vector{Scope::kernel} && std::ranges::count(plan.engines, "cuda:all") != 0 &&
      arguments.has("engine"))
    refuse("cuda:all has no kernel scope: a kernel runs on one GPU, such as cuda:0");
  if (is_sweep(arguments) && std::ranges::none_of(plan.engines, is_gpu))
    throw Error(Errc::no_device, "--grid and --threads-per-block are for GPUs, but no engine here is one");
}

// What --sealed measures.

constexpr std::size_t kKeyBytes = 56;
constexpr std::size_t kKeys = 256;  // keys per sample

Row sealed_row(std::string engine, unsigned threads, std::string mode, std::string direction,
               std::uint64_t bytes) {
  return {Scope::sealed,        std::move(engine), threads, std::move(mode),
          std::move(direction), "host memory",     bytes};
}

// Memory to memory under a raw key, header and tags included. The sealed data is opened to check it.
void measure_format(const std::string& name, unsigned threads, std::span<const std::byte> plaintext,
                    ThreadPool& pool, Sampler& sampler) {
  const auto engine = engine::make(name, {.threads = threads});
  const format::Codec& codec = format::default_codec();
  const format::OptionValues options{codec.options};
  const auth::SecretBytes key = auth::random_secret(32);
  std::unique_ptr<stream::MemorySink> output;
  const auto renew_output = [&] {
    output = std::make_unique<stream::MemorySink>();
    output->reserve(plaintext.size() + plaintext.size() / 1024 + 4096);  // tags and header
  };
  const auto seal = [&] {
    stream::MemorySource source(plaintext);
    codec.seal({*engine, source, *output}, {options, {format::SecretKind::key, key}});
  };
  const auto open = [&](std::span<const std::byte> sealed) {
    stream::MemorySource source(sealed);
    codec.open({*engine, source, *output}, {options, {format::SecretKind::key, key}});
  };
  const auto check_opened = [&] { require_same(plaintext, output->bytes(), pool); };
  const auto check_sealed = [&] {
    const std::vector<std::byte> sealed = output->take();
    open(sealed);
    check_opened();
  };
  const unsigned shown = is_gpu(name) ? 0 : threads;
  sampler.take(sealed_row(name, shown, "sealed", "encrypt", plaintext.size()),
               {.run = timed(seal), .spoil = renew_output, .check = check_sealed});
  renew_output();
  seal();
  const std::vector<std::byte> sealed = output->take();
  sampler.take(sealed_row(name, shown, "sealed", "decrypt", plaintext.size()),
               {.run = timed([&] { open(sealed); }), .spoil = renew_output, .check = check_opened});
}

using Block = std::array<std::byte, core::kBlockBytes>;

Block block_of(const cipher::Schedule& schedule) {
  Block block{};
  const engine::Segment segment{.schedule = &schedule, .in = block, .out = block};
  engine::local_engine().run(engine::Op::ecb_encrypt, {&segment, 1});
  return block;
}

Block block_of(auth::ReferenceBlowfish& reference) {
  Block block{};
  reference.update(block, block);
  return block;
}

// Expands many keys, each of which then encrypts a block: by OpenSSL, and by fugu.
void measure_schedules(Sampler& sampler) {
  const auth::SecretBytes secret = auth::random_secret(kKeys * kKeyBytes);
  std::vector<std::span<const std::byte>> keys;
  for (std::size_t i = 0; i < kKeys; ++i) keys.push_back(secret.span().subspan(i * kKeyBytes, kKeyBytes));
  std::vector<cipher::Schedule> schedules;
  std::vector<auth::ReferenceBlowfish> references;
  const auto spoil = [&] {
    schedules = std::vector<cipher::Schedule>(kKeys);
    references.clear();
  };
  const auto expand = [&] { cipher::expand(keys, schedules); };
  const auto expand_by_openssl = [&] {
    for (const std::span<const std::byte> key : keys)
      references.emplace_back(auth::ReferenceMode::ecb, true, key);
  };
  const auto compare = [&] {
    for (std::size_t i = 0; i < kKeys; ++i)
      if (block_of(schedules[i]) != block_of(references[i]))
        throw Error(Errc::mismatch, fmt::format("the tables of key {} are wrong", i));
  };
  const auto take = [&](std::string engine, std::function<void()> work, std::function<void()> other) {
    sampler.take(sealed_row(std::move(engine), 1, "key schedule", "", kKeys * sizeof(cipher::Schedule)),
                 {.run = timed(work), .spoil = spoil, .check = [&] {
                    other();
                    compare();
                  }});
  };
  take(openssl_name(), expand_by_openssl, expand);
  take("cpu/scalar", expand, expand_by_openssl);
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

void measure_sealed(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  for (const std::uint64_t size : plan.host_sizes) {
    Bytes plaintext(to_size(size));
    fill_random(plaintext.span(), pool);
    for (const std::string& name : plan.engines) {
      if (!is_gpu(name) && plan.threads > 1) measure_format(name, 1, plaintext.span(), pool, sampler);
      measure_format(name, plan.threads, plaintext.span(), pool, sampler);
    }
  }
  measure_schedules(sampler);
}

}  // namespace fugu::cli::bench

int fugu::cli::run_bench(const Arguments& arguments) {
  const bench::Plan plan = bench::read_plan(arguments);
  bench::Sampler sampler{plan.runs, [](const std::string& what) { say_detail(what); }};
  std::vector<bench::Row> link;
  if (plan.has(bench::Scope::sealed)) {
    bench::measure_sealed(plan, sampler);
  } else {
    link = bench::measure_ciphers(plan, sampler);
  }
  const bench::Report report{bench::describe_machine(sampler.rows, link), bench::command_text(arguments),
                             std::move(sampler.rows)};
  if (arguments.has("json")) {
    write_result(bench::as_json(report));
  } else if (arguments.has("csv")) {
    write_result(bench::as_csv(report));
  } else {
    write_text(bench::as_text(report));
  }
  return kSuccess;
}
