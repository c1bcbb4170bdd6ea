// What Blowfish's S-boxes look like under random keys, and what random boxes of their size look like.
#include "cli/sbox/key_statistics.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>

#include "cli/sbox/fields.hpp"
#include "cli/sbox/long_work.hpp"
#include "cli/sbox/splitmix.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

constexpr double kSecondsPerKey = 4e-3;
constexpr double kCollisionChance = 7.59956e-6;  // 1 - prod(1 - i / 2^32), i < 256

struct Statistics {
  std::uint64_t boxes = 0;
  std::uint64_t with_collisions = 0;
  spectral::Histogram ddt;             // entries a != 0 that are not 0
  spectral::Histogram nonlinearities;  // of coordinates

  void add(const SBox& box) {
    ++boxes;
    with_collisions += spectral::basic(box).collisions != 0 ? 1u : 0u;
    for (const auto& [value, count] : spectral::differential(box, {1}).ddt) {
      if (value != 0) ddt[value] += count;
    }
    for (int j = 0; j < box.outputs(); ++j) {
      const spectral::TruthTable coordinate = component(box, std::uint32_t{1} << j);
      const auto value = spectral::summarize_spectrum(coordinate, {.threads = 1}).nonlinearity;
      ++nonlinearities[static_cast<std::int64_t>(value)];
    }
  }

  void add(const Statistics& other) {
    boxes += other.boxes;
    with_collisions += other.with_collisions;
    for (const auto& [value, count] : other.ddt) ddt[value] += count;
    for (const auto& [value, count] : other.nonlinearities) nonlinearities[value] += count;
  }

  std::string text(std::string_view title) const {
    const auto number = static_cast<double>(boxes);
    return fmt::format(
        "{}: {} boxes\ncollisions    in {} boxes, {:.4f} expected of random ones\ndifferential  DDT {}\n"
        "linear        coordinate nonlinearity {}\n",
        title, boxes, with_collisions, number * kCollisionChance, histogram_text(ddt),
        histogram_text(nonlinearities));
  }
};

std::array<std::byte, 16> random_key(SplitMix64& random) {
  std::array<std::byte, 16> key;
  for (std::size_t word = 0; word < 2; ++word) {
    const std::uint64_t bits = random.next();
    for (std::size_t i = 0; i < 8; ++i)
      key[8 * word + i] = static_cast<std::byte>(bits >> (56 - 8 * i) & 0xff);
  }
  return key;
}

void add_boxes_of(std::span<const std::byte> key, Statistics& statistics) {
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  for (const auto& s : schedule.s)
    statistics.add(SBox(8, 32, std::vector<std::uint32_t>(s, s + core::kSboxEntries)));
}

void add_random_boxes(SplitMix64& random, Statistics& statistics) {
  for (int box = 0; box < core::kSboxes; ++box) {
    std::vector<std::uint32_t> values(core::kSboxEntries);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random.next() >> 32);
    statistics.add(SBox(8, 32, std::move(values)));
  }
}

}  // namespace

void run_key_statistics(const Arguments& arguments) {
  constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 24;
  const std::uint64_t count = number_value(arguments, "random-keys", 1, kMostKeys, 0);
  const std::uint64_t seed = number_value(arguments, "seed", 0, ~std::uint64_t{0}, 1);
  threads::ThreadPool pool(thread_count(arguments));
  LongWork work(arguments, fmt::format("{} keys", count), count,
                static_cast<double>(count) * kSecondsPerKey / pool.threads(), "keys");
  std::mutex merging;
  Statistics keyed;
  Statistics random;
  pool.for_each(count, [&](std::size_t i) {
    // Every key has a stream of its own, so that the order of work does not matter.
    SplitMix64 stream(SplitMix64(seed + i).next());
    Statistics of_key;
    Statistics beside;
    add_boxes_of(random_key(stream), of_key);
    add_random_boxes(stream, beside);
    work.advance(1);
    const std::lock_guard lock(merging);
    keyed.add(of_key);
    random.add(beside);
  });
  write_text(arguments, std::nullopt,
             keyed.text("Blowfish under random keys") + random.text("random, 8 x 32"));
}

}  // namespace fugu::cli
