// The only place where the laboratory meets the cipher: S-boxes from Blowfish's key schedule, and the search
// for weak keys.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/process/console.hpp"
#include "cli/process/secrets.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/cipher/weak_keys.hpp"
#include "fugu/engine/cpu/weak_keys.hpp"
#include "fugu/engine/cuda/weak_keys.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kWhat = "keys";
constexpr std::string_view kFamily = "blowfish:";
constexpr double kSecondsPerKey = 3e-5;
constexpr double kGpuSecondsPerKey = 4e-8;

LongWork work_on(const Range& range, double seconds, const Arguments& arguments) {
  return {arguments, fmt::format("{} keys", range.count), range.count, seconds, "keys"};
}

std::vector<cipher::WeakKey> find_on_cpu(const Range& range, threads::ThreadPool& pool, double seconds,
                                         const Arguments& arguments) {
  say_engine(kWhat, std::nullopt, pool.threads());
  LongWork work = work_on(range, seconds, arguments);
  return engine::cpu::find_weak_keys(range.first, range.count, pool,
                                     [&work](std::uint64_t keys) { work.advance(keys); });
}

std::vector<cipher::WeakKey> find_on_gpu(const Range& range, const Gpu& gpu, const Arguments& arguments) {
  say_engine(kWhat, gpu.context.info().index, 0);
  LongWork work = work_on(range, static_cast<double>(range.count) * kGpuSecondsPerKey, arguments);
  return engine::cuda::find_weak_keys(range.first, range.count, gpu.stream,
                                      [&work](std::uint64_t keys) { work.advance(keys); });
}

std::vector<cipher::WeakKey> find_weak_keys(const Range& range, const Arguments& arguments) {
  const SpectralEngine engine = spectral_engine(arguments);
  GpuOfRun gpu;
  if (engine.device) return find_on_gpu(range, gpu.get(*engine.device), arguments);
  threads::ThreadPool pool(thread_count(arguments));
  const double seconds = static_cast<double>(range.count) * kSecondsPerKey / pool.threads();
  if (engine.automatic) {
    if (auto found =
            on_automatic_gpu(gpu, seconds, [&](const Gpu& it) { return find_on_gpu(range, it, arguments); }))
      return std::move(*found);
  }
  return find_on_cpu(range, pool, seconds, arguments);
}

}  // namespace

bool is_keyed_name(std::string_view name) {
  return name.starts_with(kFamily);
}

std::optional<spectral::SBox> initial_box(std::string_view name) {
  const auto words = cipher::initial_sboxes();
  for (std::size_t i = 0; i < core::kSboxes; ++i) {
    if (name != fmt::format("Blowfish_initial_S{}", i + 1)) continue;
    const auto box = words.subspan(i * core::kSboxEntries, core::kSboxEntries);
    return spectral::SBox(8, 32, {box.begin(), box.end()});
  }
  return std::nullopt;
}

std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments) {
  if (!is_keyed_name(name)) return std::nullopt;
  const std::string_view number = name.substr(kFamily.size());
  if (number.size() != 1 || number[0] < '1' || number[0] > '4')
    throw Error(Errc::usage,
                fmt::format("'{}' is no box: there are blowfish:1 to blowfish:4", printable(name)));
  if (!arguments.has("key")) throw Error(Errc::usage, fmt::format("{} needs --key", printable(name)));
  const auth::SecretBytes key = read_key(key_source(arguments), cipher::kMaxKeyBytes);
  cipher::Schedule schedule;
  cipher::expand(key.span(), schedule);
  const std::uint32_t* const s = schedule.s[number[0] - '1'];
  return spectral::SBox(8, 32, std::vector<std::uint32_t>(s, s + core::kSboxEntries));
}

void run_weak_keys(const Arguments& arguments) {
  const Range range = range_value(arguments, "weak-keys", 0);
  if (range.count != 0 && range.count - 1 > ~range.first)
    throw Error(Errc::usage, "--weak-keys: keys end at 2^64 - 1");
  std::string text;
  for (const cipher::WeakKey& weak : find_weak_keys(range, arguments))
    text += fmt::format("{:016x} {} {} {} {:08x}\n", weak.key, weak.box, weak.x, weak.y, weak.value);
  write_text(arguments, std::nullopt, text);
}

}  // namespace fugu::cli
