// The machine block: the context needed to read a figure.

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <boost/version.hpp>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/bench/report.hpp"
#include "cli/process/build_commit.hpp"
#include "fugu/device/device.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::cli::bench {
namespace {

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
