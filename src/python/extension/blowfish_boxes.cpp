// Blowfish's S-boxes, and the search for weak keys.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "fugu/cipher/keyed_boxes.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/cpu/weak_keys.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/host_buffer.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using spectral::SBox;

SBox blowfish_box(std::span<const std::uint32_t> words) {
  return {8, 32, {words.begin(), words.end()}};
}

// The consecutive boxes in `words`.
std::vector<SBox> boxes_in(std::span<const std::uint32_t> words) {
  std::vector<SBox> boxes;
  for (; !words.empty(); words = words.subspan(core::kSboxEntries))
    boxes.push_back(blowfish_box(words.first(core::kSboxEntries)));
  return boxes;
}

// The S-boxes before a key is mixed in.
std::vector<SBox> initial_sboxes() {
  return boxes_in(cipher::initial_sboxes());
}

std::vector<SBox> boxes_of_key(std::span<const std::byte> key) {
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  std::vector<SBox> boxes;
  for (const auto& box : schedule.s) boxes.push_back(blowfish_box(box));
  return boxes;
}

// The S-boxes of a key.
std::vector<SBox> blowfish_sboxes(nb::handle key_object) {
  return boxes_of_key(HostBuffer(key_object, Access::read).plain_bytes());
}

// The S-boxes of a random key, and as many random ones.
std::pair<std::vector<SBox>, std::vector<SBox>> random_sboxes(std::uint64_t seed) {
  const cipher::RandomKey made = cipher::random_key(seed);
  return {boxes_of_key(made.key), boxes_in(made.words)};
}

using WeakKeyTuple = std::tuple<std::uint64_t, int, std::uint32_t, std::uint32_t, std::uint32_t>;

std::vector<WeakKeyTuple> weak_keys(std::uint64_t first, std::uint64_t count) {
  const auto found = result_of(count * core::kSboxEntries, [&](const std::stop_token& stop) {
    const auto shown = begin_steps("keys", count, 0);
    const auto done = [&](std::uint64_t keys) {
      throw_if_stopped(stop);
      if (shown) shown(keys);
    };
    threads::ThreadPool pool(platform::usable_processors());
    return engine::cpu::find_weak_keys(first, count, pool, done);
  });
  std::vector<WeakKeyTuple> all;
  for (const cipher::WeakKey& weak : found) all.emplace_back(weak.key, weak.box, weak.x, weak.y, weak.value);
  return all;
}

}  // namespace

void bind_blowfish_boxes(nb::module_& module) {
  using namespace nb::literals;
  module.def("initial_sboxes", initial_sboxes);
  module.def("blowfish_sboxes", blowfish_sboxes, "key"_a.none());
  module.def("random_sboxes", random_sboxes, "seed"_a);
  module.def("weak_keys", weak_keys, "first"_a, "count"_a);
}

}  // namespace fugu::python
