#include "measure/case.hpp"

#include <openssl/crypto.h>
#include <sys/resource.h>

#include <cstring>

#include "measure/openssl_stream.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kKeyBytes = 16;  // as in `openssl enc`; Blowfish is as fast with every length

constexpr std::size_t kBytesAtATime = std::size_t{1} << 20;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// CPU time of this process and of its children that have ended.
double cpu_seconds() {
  double seconds = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(whose, &usage);
    seconds += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return seconds;
}

Sample take_sample(const Trial& trial) {
  trial.spoil();
  const double cpu_before = cpu_seconds();
  const double seconds = trial.run();
  const Sample sample{seconds, cpu_seconds() - cpu_before};
  trial.check();
  require_possible(sample.seconds, trial.floor_seconds);
  return sample;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

void fill_random(std::span<std::byte> out, ThreadPool& pool) {
  pool.for_ranges(out.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    auth::random_bytes(out.subspan(first, last - first));
  });
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool) {
  pool.for_ranges(from.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    std::memcpy(to.data() + first, from.data() + first, last - first);
  });
}

void require_same(std::span<const std::byte> expected, std::span<const std::byte> got, ThreadPool& pool) {
  const std::string size = std::to_string(got.size());
  if (expected.size() != got.size())
    throw Error(Errc::mismatch,
                "the output has " + size + " bytes instead of " + std::to_string(expected.size()));
  pool.for_ranges(got.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    if (std::memcmp(expected.data() + first, got.data() + first, last - first) == 0) return;
    while (expected[first] == got[first]) ++first;
    throw Error(Errc::mismatch, "the output is wrong at byte " + std::to_string(first) + " of " + size +
                                    ", so it cannot be timed");
  });
}

Row Case::row(Scope scope, std::string engine, unsigned threads, std::string place) const {
  const char* const direction = operation.direction == core::Direction::encrypt ? "encrypt" : "decrypt";
  return {scope,     std::move(engine), threads,     std::string(mode::name_of(operation.mode)),
          direction, std::move(place),  input.size()};
}

std::string openssl_name() {
  return std::string("openssl ") + OpenSSL_version(OPENSSL_VERSION_STRING);
}

CaseMaker::CaseMaker(ThreadPool& pool) : pool_(pool), key_(auth::random_secret(kKeyBytes)) {
  cipher::expand(key_.span(), schedule_);
  settings_.padding = mode::Padding::none;
  auth::random_bytes(settings_.iv.emplace());
}

Case CaseMaker::make(const Operation& operation, std::size_t bytes) {
  if (input_.size() < bytes) {
    input_ = Bytes(bytes);
    expected_ = Bytes(bytes);
    fill_random(input_.span(), pool_);
  }
  settings_.mode = operation.mode;
  const auto input = input_.first(bytes);
  const auto expected = expected_.first(bytes);
  copy_bytes(input, expected, pool_);
  OpensslThreads(settings_, operation.direction, key_.span(), pool_).process(expected);
  return {operation, settings_, key_, schedule_, input, expected};
}

Trial host_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, std::function<double()> run) {
  return {.run = std::move(run),
          .spoil = [&c, buffer, &pool] { copy_bytes(c.input, buffer, pool); },
          .check = [&c, buffer, &pool] { require_same(c.expected, buffer, pool); }};
}

Trial openssl_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, ThreadPool& workers) {
  return host_trial(c, buffer, pool, [&c, buffer, &workers] {
    OpensslThreads openssl(c.settings, c.operation.direction, c.key.span(), workers);
    return wall_seconds([&] { openssl.process(buffer); });
  });
}

Trial engine_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, engine::Engine& engine,
                   double floor_seconds) {
  Trial trial = host_trial(c, buffer, pool, [&c, buffer, &engine] {
    mode::CipherStream stream(engine, c.schedule, c.settings, c.operation.direction);
    return wall_seconds([&] { stream.process(buffer, buffer.size(), true); });
  });
  trial.floor_seconds = floor_seconds;
  return trial;
}

Summary summarize(const Row& row) {
  std::vector<double> rates, cpu;
  for (const Sample& sample : row.samples) {
    rates.push_back(row.gb_per_s(sample));
    cpu.push_back(sample.cpu_seconds);
  }
  const auto [least, most] = std::ranges::minmax(rates);
  return {median(rates), least, most, median(cpu)};
}

void require_possible(double seconds, double floor_seconds) {
  if (seconds > 0 && seconds >= floor_seconds) return;
  throw Error(Errc::engine, std::to_string(1e6 * seconds) + " us is less than the " +
                                std::to_string(1e6 * floor_seconds) +
                                " us that the hardware needs at least: not all of the work was timed");
}

std::vector<Sample> take_samples(const Trial& trial, std::string_view what, int count) {
  std::vector<Sample> samples;
  try {
    static_cast<void>(take_sample(trial));
    for (int i = 0; i < count; ++i) samples.push_back(take_sample(trial));
  } catch (Error& error) {
    error.add_context(what);
    throw;
  }
  return samples;
}

void Sampler::take(Row row, const Trial& trial) {
  const std::string what = row.engine + " " + row.mode + (row.direction.empty() ? "" : " ") + row.direction +
                           ", " + std::to_string(row.bytes) + " bytes";
  if (before) before(what);
  row.samples = take_samples(trial, what, runs);
  rows.push_back(std::move(row));
}

}  // namespace fugu::cli::bench
