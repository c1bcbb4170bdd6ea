// The only place where the laboratory meets the cipher: S-boxes from Blowfish's key schedule, the search for
// weak keys, and statistics of the S-boxes of random keys beside random boxes.

#include "cli/sbox/operations.hpp"
#include "fugu/cipher/keyed_boxes.hpp"
#include "fugu/engine/cpu/weak_keys.hpp"
#include "fugu/spectral/named/named.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kWhat = "keys";
constexpr std::string_view kFamily = "blowfish:";
constexpr double kSecondsPerKey = 3e-5;

std::vector<cipher::WeakKey> find_weak_keys(const Range& range, const Arguments& arguments) {
  if (spectral_engine(arguments).device)
    throw Error(Errc::no_device, "the search for weak keys runs only on the CPU; use --engine cpu");
  threads::ThreadPool pool(thread_count(arguments));
  say_engine(kWhat, std::nullopt, pool.threads());
  return engine::cpu::find_weak_keys(
      range.first, range.count, pool,
      long_work(arguments, fmt::format("{} keys", range.count), range.count,
                static_cast<double>(range.count) * kSecondsPerKey / pool.threads(), "keys"));
}

using spectral::Histogram;
using spectral::SBox;
using spectral::lab::Box;

constexpr double kPropertySecondsPerKey = 4e-3;
constexpr double kCollisionChance = 7.59956e-6;  // 1 - prod(1 - i / 2^32), i < 256

SBox box_of_words(std::span<const std::uint32_t> words) {
  return {8, 32, {words.begin(), words.end()}};
}

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
    const double seconds = engine.silent_box(box).seconds(spectral::lab::Computation::exhaustive);
    return engine.gpu() != nullptr ? seconds : seconds / engine.threads();
  }

  BoxEngine engine;
  bool exhaustive;
  std::mutex gpu_in_use;
};

struct Statistics {
  std::uint64_t boxes = 0;
  std::uint64_t with_collisions = 0;

  // The nonzero entries of the DDT, a != 0; nonlinearities of the coordinates, the smallest of a box's
  // components, and of all components. In the order of CSV.
  enum Field : std::uint8_t { ddt, coordinates, smallest, components };
  static constexpr std::string_view kFields[] = {"ddt", "coordinate_nonlinearity", "smallest_nonlinearity",
                                                 "nonlinearity"};
  std::array<Histogram, std::size(kFields)> counts;

  void add(const SBox& values, Measuring& measuring) {
    Box box = measuring.engine.silent_box(values);
    ++boxes;
    with_collisions += box.basic().collisions != 0 ? 1u : 0u;
    for (const auto& [value, count] : box.differential().ddt)
      if (value != 0) counts[ddt][value] += count;
    for (const std::uint64_t value : box.coordinates())
      ++counts[coordinates][static_cast<std::int64_t>(value)];
    if (!measuring.exhaustive) return;
    const Histogram& all = measuring.profile(box).nonlinearities;
    add(counts[components], all);
    ++counts[smallest][all.begin()->first];
  }

  void add(const Statistics& other) {
    boxes += other.boxes;
    with_collisions += other.with_collisions;
    for (std::size_t i = 0; i < counts.size(); ++i) add(counts[i], other.counts[i]);
  }

  std::string text(std::string_view title) const {
    std::string text = fmt::format(
        "{}: {} boxes\ncollisions    in {} boxes, {:.4f} expected in random ones\ndifferential  DDT {}\n"
        "linear        coordinate nonlinearity {}\n",
        title, boxes, with_collisions, static_cast<double>(boxes) * kCollisionChance,
        histogram_text(counts[ddt]), histogram_text(counts[coordinates]));
    if (!counts[smallest].empty()) {
      text += fmt::format("components    smallest nonlinearity {}\n              nonlinearity {}\n",
                          histogram_text(counts[smallest]), histogram_text(counts[components]));
    }
    return text;
  }

  std::string csv(std::string_view source) const {
    std::string text =
        fmt::format("{0},boxes,,{1}\n{0},boxes_with_collisions,,{2}\n", source, boxes, with_collisions);
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (const auto& [value, count] : counts[i])
        text += fmt::format("{},{},{},{}\n", source, kFields[i], value, count);
    return text;
  }

 private:
  static void add(Histogram& to, const Histogram& from) {
    for (const auto& [value, count] : from) to[value] += count;
  }
};

// Adds the consecutive S-boxes in `words`.
void add_boxes(std::span<const std::uint32_t> words, Measuring& measuring, Statistics& statistics) {
  for (; !words.empty(); words = words.subspan(core::kSboxEntries))
    statistics.add(box_of_words(words.first(core::kSboxEntries)), measuring);
}

}  // namespace

bool is_keyed_name(std::string_view name) {
  return spectral::box_key(name).starts_with(kFamily);
}

std::optional<spectral::SBox> initial_box(std::string_view name) {
  const auto words = cipher::initial_sboxes();
  for (std::size_t i = 0; i < core::kSboxes; ++i) {
    if (spectral::box_key(name) != fmt::format("blowfish_initial_s{}", i + 1)) continue;
    return box_of_words(words.subspan(i * core::kSboxEntries, core::kSboxEntries));
  }
  return std::nullopt;
}

std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments) {
  if (!is_keyed_name(name)) return std::nullopt;
  const std::string_view number = name.substr(kFamily.size());
  if (number.size() != 1 || number[0] < '1' || number[0] > '4')
    refuse("'{}' is not a box: choose from blowfish:1 to blowfish:4", printable(name));
  if (!arguments.has("key")) refuse("{} needs --key", printable(name));
  const auth::SecretBytes key = read_key(key_source(arguments), cipher::kMaxKeyBytes);
  cipher::Schedule schedule;
  cipher::expand(key.span(), schedule);
  return box_of_words(schedule.s[number[0] - '1']);
}

void run_weak_keys(const Arguments& arguments) {
  const Range range = range_value(arguments, "weak-keys", 0);
  if (range.count != 0 && range.count - 1 > ~range.first) refuse("--weak-keys: the largest key is 2^64 - 1");
  std::string text;
  for (const cipher::WeakKey& weak : find_weak_keys(range, arguments))
    text += fmt::format("{:016x} {} {} {} {:08x}\n", weak.key, weak.box, weak.x, weak.y, weak.value);
  write_text(arguments, std::nullopt, text);
}

void run_key_statistics(const Arguments& arguments) {
  constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 24;
  const std::uint64_t count = number_value(arguments, "random-keys", 1, kMaxKeys, 0);
  const std::uint64_t seed = number_value(arguments, "seed", 0, ~std::uint64_t{0}, 1);
  const SBox shape(8, 32, std::vector<std::uint32_t>(core::kSboxEntries));
  Measuring measuring(arguments);
  if (measuring.exhaustive)
    say_engine("all components", spectral_engine(arguments).device, measuring.engine.threads());
  threads::ThreadPool pool(measuring.engine.threads());
  const double exhaustive_seconds = 2 * core::kSboxes * measuring.exhaustive_seconds(shape);
  const spectral::Progress shown = long_work(
      arguments, fmt::format("{} keys", count), count,
      static_cast<double>(count) * (kPropertySecondsPerKey / pool.threads() + exhaustive_seconds), "keys");
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
    shown(1);
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
