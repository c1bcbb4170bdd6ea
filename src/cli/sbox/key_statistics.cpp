// Statistics of Blowfish's S-boxes under random keys, and of random boxes of their size.
#include <fmt/format.h>

#include <mutex>
#include <span>

#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "cli/spectral/property_text.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/cipher/random_key.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {
namespace {

using spectral::Histogram;
using spectral::SBox;
using spectral::lab::Box;

constexpr double kPropertySecondsPerKey = 4e-3;
constexpr double kCollisionChance = 7.59956e-6;  // 1 - prod(1 - i / 2^32), i < 256

struct Measuring {
  explicit Measuring(const Arguments& arguments)
      : engine(arguments), exhaustive(arguments.has("exhaustive")) {}

  // Boxes on a GPU wait for each other.
  const spectral::ExhaustiveProfile& profile(Box& box) {
    if (engine.gpu() == nullptr) return box.exhaustive();
    const std::lock_guard lock(gpu_in_use);
    return box.exhaustive();
  }

  // The approximate time per box.
  double exhaustive_seconds(const SBox& box) const {
    if (!exhaustive) return 0;
    const double seconds = engine.silent_box(box).seconds(spectral::lab::Part::exhaustive);
    return engine.gpu() != nullptr ? seconds : seconds / engine.threads();
  }

  BoxEngine engine;
  bool exhaustive;
  std::mutex gpu_in_use;
};

struct Statistics {
  std::uint64_t boxes = 0;
  std::uint64_t with_collisions = 0;
  Histogram ddt;          // nonzero entries, a != 0
  Histogram coordinates;  // their nonlinearities
  Histogram components;   // nonlinearities of all
  Histogram smallest;     // of all of a box

  void add(const SBox& values, Measuring& measuring) {
    Box box = measuring.engine.silent_box(values);
    ++boxes;
    with_collisions += box.basic().collisions != 0 ? 1u : 0u;
    for (const auto& [value, count] : box.differential().ddt) {
      if (value != 0) ddt[value] += count;
    }
    for (const std::uint64_t value : box.coordinates()) ++coordinates[static_cast<std::int64_t>(value)];
    if (!measuring.exhaustive) return;
    const Histogram& all = measuring.profile(box).nonlinearities;
    add(components, all);
    ++smallest[all.begin()->first];
  }

  void add(const Statistics& other) {
    boxes += other.boxes;
    with_collisions += other.with_collisions;
    add(ddt, other.ddt);
    add(coordinates, other.coordinates);
    add(components, other.components);
    add(smallest, other.smallest);
  }

  std::string text(std::string_view title) const {
    std::string text = fmt::format(
        "{}: {} boxes\ncollisions    in {} boxes, {:.4f} expected of random ones\ndifferential  DDT {}\n"
        "linear        coordinate nonlinearity {}\n",
        title, boxes, with_collisions, static_cast<double>(boxes) * kCollisionChance, histogram_text(ddt),
        histogram_text(coordinates));
    if (!smallest.empty()) {
      text += fmt::format("components    smallest nonlinearity {}\n              nonlinearity {}\n",
                          histogram_text(smallest), histogram_text(components));
    }
    return text;
  }

  std::string csv(std::string_view source) const {
    std::string text =
        fmt::format("{0},boxes,,{1}\n{0},boxes_with_collisions,,{2}\n", source, boxes, with_collisions);
    const auto append = [&](std::string_view field, const Histogram& histogram) {
      for (const auto& [value, count] : histogram)
        text += fmt::format("{},{},{},{}\n", source, field, value, count);
    };
    append("ddt", ddt);
    append("coordinate_nonlinearity", coordinates);
    append("smallest_nonlinearity", smallest);
    append("nonlinearity", components);
    return text;
  }

 private:
  static void add(Histogram& to, const Histogram& from) {
    for (const auto& [value, count] : from) to[value] += count;
  }
};

// Adds the consecutive S-boxes in `words`.
void add_boxes(std::span<const std::uint32_t> words, Measuring& measuring, Statistics& statistics) {
  for (; !words.empty(); words = words.subspan(core::kSboxEntries)) {
    const auto box = words.first(core::kSboxEntries);
    statistics.add(SBox(8, 32, {box.begin(), box.end()}), measuring);
  }
}

}  // namespace

void run_key_statistics(const Arguments& arguments) {
  constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 24;
  const std::uint64_t count = number_value(arguments, "random-keys", 1, kMostKeys, 0);
  const std::uint64_t seed = number_value(arguments, "seed", 0, ~std::uint64_t{0}, 1);
  const SBox shape(8, 32, std::vector<std::uint32_t>(core::kSboxEntries));
  Measuring measuring(arguments);
  if (measuring.exhaustive)
    say_engine("all components", spectral_engine(arguments).device, measuring.engine.threads());
  threads::ThreadPool pool(measuring.engine.threads());
  const double exhaustive_seconds = 2 * core::kSboxes * measuring.exhaustive_seconds(shape);
  LongWork work(arguments, fmt::format("{} keys", count), count,
                static_cast<double>(count) * (kPropertySecondsPerKey / pool.threads() + exhaustive_seconds),
                "keys");
  std::mutex merging;
  Statistics keyed;
  Statistics random;
  pool.for_each(static_cast<std::size_t>(count), [&](std::size_t i) {
    const cipher::RandomKey made = cipher::random_key(seed + i);
    cipher::Schedule schedule;
    cipher::expand(made.key, schedule);
    Statistics of_key;
    Statistics beside;
    for (const auto& s : schedule.s) add_boxes(s, measuring, of_key);
    add_boxes(made.words, measuring, beside);
    work.advance(1);
    const std::lock_guard lock(merging);
    keyed.add(of_key);
    random.add(beside);
  });
  if (arguments.has("csv")) {
    write_text(arguments, std::nullopt,
               "source,field,value,count\n" + keyed.csv("blowfish") + random.csv("random"));
  } else {
    write_report(arguments, std::nullopt,
                 keyed.text("Blowfish under random keys") + random.text("random, 8 x 32"));
  }
}

}  // namespace fugu::cli
