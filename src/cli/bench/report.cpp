#include "cli/bench/plan.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>

#include <bit>
#include <boost/version.hpp>
#include <ctime>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/process/json.hpp"
#include "fugu/device/device.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::cli::bench {
namespace {

// --- text

using Cells = std::vector<std::string>;

constexpr std::string_view title_of(Scope scope) {
  constexpr std::string_view kTitles[] = {
      "kernel: data where the engine works on it; for a CPU that is host memory, so its copy scope is the "
      "same",
      "copy: host memory to host memory", "file: read, cipher, write, fsync, rename",
      "spectral: Walsh transforms where the data is; GB/s counts each value once",
      "sealed: memory to memory under a raw key, and key schedules; GB/s counts the plaintext, or the tables "
      "that keys expand to"};
  const auto number = static_cast<std::size_t>(scope);
  return number < std::size(kTitles) ? kTitles[number] : name_of(scope);
}

bool is_openssl(const Row& row) {
  return row.engine.starts_with("openssl");
}

// OpenSSL's rows of another scope are also in the copy table: it works in host memory.
std::vector<const Row*> rows_of(const Report& report, Scope scope) {
  std::vector<const Row*> rows;
  for (const Row& row : report.rows)
    if (row.scope == scope || (scope == Scope::copy && row.scope == Scope::kernel && is_openssl(row)))
      rows.push_back(&row);
  const bool own = std::ranges::any_of(rows, [&](const Row* row) { return row->scope == scope; });
  return own ? rows : std::vector<const Row*>();
}

std::string rate(double gb_per_s) {
  return fmt::format("{:.{}f}", gb_per_s, gb_per_s < 10 ? 3 : 1);
}

// The format of --size; transforms have a number of values.
std::string size_text(const Row& row) {
  if (row.mode.find("int32") != std::string::npos && std::has_single_bit(row.bytes))
    return fmt::format("2^{} values", std::countr_zero(row.bytes / sizeof(std::int32_t)));
  return cli::size_text(row.bytes);
}

constexpr std::array<std::string_view, 11> kHeader{
    "engine",    "threads", "work",  "size", "blocks x threads", "GB/s", "min..max",
    "x OpenSSL", "runs",    "CPU s", "where"};

// OpenSSL at the same work on as many threads; beside a GPU, on the most there are. Its speed does not depend
// on the size: the nearest counts. Null if there is none.
const Row* openssl_beside(const Report& report, const Row& row) {
  const auto closeness = [&](const Row& other) {
    const std::uint64_t distance = std::max(other.bytes, row.bytes) - std::min(other.bytes, row.bytes);
    return std::pair(other.threads, -static_cast<std::int64_t>(distance));
  };
  const Row* best = nullptr;
  for (const Row& other : report.rows) {
    const bool same_work = is_openssl(other) && other.mode == row.mode && other.direction == row.direction &&
                           (other.scope == Scope::file) == (row.scope == Scope::file);
    if (!same_work || (row.threads != 0 && other.threads != row.threads)) continue;
    if (best == nullptr || closeness(other) > closeness(*best)) best = &other;
  }
  return best;
}

std::optional<double> times_openssl(const Report& report, const Row& row) {
  const Row* const openssl = is_openssl(row) ? nullptr : openssl_beside(report, row);
  if (openssl == nullptr) return std::nullopt;
  return summarize(row).median / summarize(*openssl).median;
}

Cells cells_of(const Report& report, const Row& row) {
  const Summary summary = summarize(row);
  const std::optional<double> times = times_openssl(report, row);
  return {row.engine,
          row.threads == 0 ? "" : std::to_string(row.threads),
          row.direction.empty() ? row.mode : row.mode + " " + row.direction,
          size_text(row),
          row.thread_blocks == 0 ? "" : fmt::format("{} x {}", row.thread_blocks, row.threads_per_block),
          rate(summary.median),
          rate(summary.least) + ".." + rate(summary.most),
          times ? fmt::format("{:.2f}", *times) : "",
          std::to_string(row.samples.size()),
          fmt::format("{:.4f}", summary.cpu_seconds),
          row.place};
}

// Columns that are empty in every row are omitted.
std::string table(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(kHeader.size(), 0);
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  const auto add = [&](const Cells& line) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (widths[i] != 0) row += fmt::format("{:{}}  ", line[i], std::max(widths[i], kHeader[i].size()));
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  };
  add({kHeader.begin(), kHeader.end()});
  for (const Cells& line : lines) add(line);
  return text;
}

std::string machine_text(const Report& report) {
  const Machine& machine = report.machine;
  std::vector<std::string> versions;
  for (const auto& [name, version] : machine.libraries)
    versions.push_back(fmt::format("{} {}", name, version));
  std::string text = fmt::format("cpu      {} x {}\n", machine.processors, machine.cpu);
  for (const std::string& gpu : machine.gpus) text += fmt::format("gpu      {}\n", gpu);
  if (!machine.driver.empty()) text += fmt::format("driver   CUDA {}\n", machine.driver);
  if (!machine.link.empty()) text += fmt::format("link     {}\n", machine.link);
  text += fmt::format("with     {}\n", fmt::join(versions, ", "));
  return text + fmt::format("build    {}, run {}\n", machine.commit, machine.date);
}

// --- CSV

std::string number_or_empty(std::int64_t number) {
  return number == 0 ? "" : std::to_string(number);
}

// --- JSON

nlohmann::ordered_json json_of(const Machine& machine) {
  auto libraries = nlohmann::ordered_json::object();
  for (const auto& [name, version] : machine.libraries) libraries[name] = version;
  return {{"cpu", machine.cpu},       {"processors", machine.processors},
          {"gpus", machine.gpus},     {"driver", machine.driver},
          {"link", machine.link},     {"libraries", libraries},
          {"commit", machine.commit}, {"date", machine.date}};
}

nlohmann::ordered_json json_of(const Report& report, const Row& row) {
  const Summary summary = summarize(row);
  auto samples = nlohmann::ordered_json::array();
  for (const Sample& sample : row.samples)
    samples.push_back({{"seconds", sample.seconds}, {"cpu_seconds", sample.cpu_seconds}});
  const std::optional<double> times = times_openssl(report, row);
  return {{"scope", name_of(row.scope)},
          {"engine", row.engine},
          {"threads", row.threads},
          {"mode", row.mode},
          {"direction", row.direction},
          {"place", row.place},
          {"bytes", row.bytes},
          {"thread_blocks", row.thread_blocks},
          {"threads_per_block", row.threads_per_block},
          {"median_gb_per_s", summary.median},
          {"min_gb_per_s", summary.least},
          {"max_gb_per_s", summary.most},
          {"times_openssl", times ? nlohmann::ordered_json(*times) : nlohmann::ordered_json()},
          {"runs", row.samples.size()},
          {"samples", samples}};
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::vector<std::string> measured_gpus(const std::vector<Row>& rows, const device::Inventory& found) {
  std::vector<std::string> gpus;
  for (const device::DeviceInfo& info : found.devices) {
    const std::string name = fmt::format("cuda:{}", info.index);
    const bool measured = std::ranges::any_of(
        rows, [&](const Row& row) { return row.engine == name || row.engine == "cuda:all"; });
    if (measured)
      gpus.push_back(fmt::format("{} ({} multiprocessors, {} MHz)", info.name, info.multiprocessors,
                                 info.clock_khz / 1000));
  }
  return gpus;
}

std::string link_text(const std::vector<Row>& link) {
  std::string text;
  for (const Row& row : link)
    text += fmt::format("{}{} {:.1f} GB/s", text.empty() ? "" : ", ", row.mode, summarize(row).median);
  return text;
}

std::vector<std::pair<std::string, std::string>> libraries() {
  return {{"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"Boost",
           fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)}};
}

}  // namespace

// Medians of such rows may be those of other work on the machine.
std::string doubt(const Report& report) {
  const auto is_wide = [](const Row& row) { return summarize(row).most > 1.5 * summarize(row).least; };
  const auto wide = std::ranges::count_if(report.rows, is_wide);
  return wide == 0 ? ""
                   : fmt::format(
                         "\nin {} of {} rows the slowest sample took over 1.5 times as long as the fastest: "
                         "measure again when the machine is idle\n",
                         wide, report.rows.size());
}

std::string as_text(const Report& report) {
  std::string text = machine_text(report);
  for (std::size_t i = 0; i < std::size(kScopeNames); ++i) {
    const auto scope = static_cast<Scope>(i);
    std::vector<Cells> lines;
    for (const Row* row : rows_of(report, scope)) lines.push_back(cells_of(report, *row));
    if (!lines.empty()) text += fmt::format("\n{}\n{}", title_of(scope), table(lines));
  }
  return text + doubt(report);
}

std::string as_json(const Report& report) {
  auto rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) rows.push_back(json_of(report, row));
  return json_text({{"version", kJsonVersion},
                    {"machine", json_of(report.machine)},
                    {"command", report.command},
                    {"results", rows}});
}

std::string as_csv(const Report& report) {
  std::string text =
      "machine,date,commit,command,scope,engine,threads,mode,direction,place,bytes,thread_blocks,"
      "threads_per_block,sample,seconds,cpu_seconds,gb_per_s\n";
  const std::string stamp = fmt::format("{},{},{},{}", csv_cell(report.machine.name()), report.machine.date,
                                        report.machine.commit, csv_cell(report.command));
  for (const Row& row : report.rows) {
    const std::string what =
        fmt::format("{},{},{},{},{},{},{},{},{},{}", stamp, name_of(row.scope), csv_cell(row.engine),
                    number_or_empty(row.threads), row.mode, row.direction, row.place, row.bytes,
                    number_or_empty(row.thread_blocks), number_or_empty(row.threads_per_block));
    for (std::size_t i = 0; i < row.samples.size(); ++i)
      text += fmt::format("{},{},{:.9g},{:.6f},{:.6g}\n", what, i, row.samples[i].seconds,
                          row.samples[i].cpu_seconds, row.gb_per_s(row.samples[i]));
  }
  return text;
}

std::string Machine::name() const {
  std::string text = fmt::format("{} x {}", processors, cpu);
  for (const std::string& gpu : gpus) text += "; " + gpu.substr(0, gpu.find(" ("));
  return text;
}

Machine describe_machine(const std::vector<Row>& rows, const std::vector<Row>& link) {
  Machine machine;
  machine.cpu = cpu_model();
  machine.processors = platform::usable_processors();
  const bool uses_gpu =
      std::ranges::any_of(rows, [](const Row& row) { return row.engine.starts_with("cuda:"); });
  if (uses_gpu) {
    const device::Inventory found = device::inventory();
    machine.gpus = measured_gpus(rows, found);
    machine.driver = found.driver_version;
    machine.link = link_text(link);
  }
  machine.libraries = libraries();
  machine.commit = kBuildCommit;
  machine.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  return machine;
}

}  // namespace fugu::cli::bench
