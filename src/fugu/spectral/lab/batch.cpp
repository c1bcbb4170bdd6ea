#include "fugu/spectral/lab/batch.hpp"

#include <cstring>
#include <limits>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/lab/box.hpp"

namespace fugu::spectral::lab {
namespace {

template <class T>
std::vector<std::uint32_t> widened_values(const std::byte* from, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) {
    T narrow;  // the values in `from` may not be aligned
    std::memcpy(&narrow, from, sizeof(T));
    value = narrow;
    from += sizeof(T);
  }
  return values;
}

// work(i, box), a few boxes at a time.
template <class Work>
void for_each_box(const BoxArray& boxes, const SBoxOptions& options, Work work) {
  constexpr std::size_t kAtATime = 64;
  const spectral::detail::Workers workers(boxes.size() > 1 ? options.threads : 1, nullptr, options.stop);
  const Progress done = options.begin ? options.begin(boxes.size()) : Progress();
  workers.for_ranges(boxes.size(), kAtATime, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      spectral::detail::throw_if_stopped(options.stop);
      work(i, boxes[i]);
    }
    if (done) done(last - first);
  });
}

// The uniformity alone is much faster than all that the DDT shows.
bool is_uniformity(const BoxProperty& property) {
  return property.column == "du";
}

}  // namespace

BoxArray::BoxArray(int inputs, int outputs, std::size_t value_bytes, std::span<const std::byte> values)
    : inputs_(inputs), outputs_(outputs), value_bytes_(value_bytes), values_(values) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
    throw Error(Errc::usage, "values of " + std::to_string(value_bytes) + " bytes: 1, 2 and 4 are possible");
  if (inputs < 1 || inputs > kMaxInputs)
    throw Error(Errc::usage,
                std::to_string(inputs) + " inputs: 1 to " + std::to_string(kMaxInputs) + " are possible");
  const std::size_t box_bytes = value_bytes << inputs;
  if (values.size() % box_bytes != 0)
    throw Error(Errc::usage, std::to_string(values.size()) + " bytes are not a whole number of boxes");
  count_ = values.size() / box_bytes;
}

SBox BoxArray::operator[](std::size_t i) const {
  const std::size_t size = std::size_t{1} << inputs_;
  const std::byte* const from = values_.data() + i * size * value_bytes_;
  if (value_bytes_ == 1) return {inputs_, outputs_, widened_values<std::uint8_t>(from, size)};
  if (value_bytes_ == 2) return {inputs_, outputs_, widened_values<std::uint16_t>(from, size)};
  return {inputs_, outputs_, widened_values<std::uint32_t>(from, size)};
}

std::vector<Value> values_of(const BoxArray& boxes, const BoxProperty& property, const SBoxOptions& options) {
  std::vector<Value> values(boxes.size());
  for_each_box(boxes, options, [&](std::size_t i, SBox box) {
    if (is_uniformity(property)) {
      values[i] = std::uint64_t{uniformity(box, std::numeric_limits<std::uint32_t>::max())};
    } else {
      Box session(std::move(box), {.work = {.threads = 1, .stop = options.stop}});
      values[i] = property.value(session);
    }
  });
  return values;
}

std::vector<std::uint8_t> uniformity_at_most(const BoxArray& boxes, std::uint32_t bound,
                                             const SBoxOptions& options) {
  std::vector<std::uint8_t> found(boxes.size());
  for_each_box(boxes, options,
               [&](std::size_t i, const SBox& box) { found[i] = uniformity(box, bound) <= bound ? 1 : 0; });
  return found;
}

}  // namespace fugu::spectral::lab
