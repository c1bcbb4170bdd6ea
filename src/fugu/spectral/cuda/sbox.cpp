// Boxes on a GPU: their values there, all components of those with few inputs, boomerang tables.
#include "fugu/spectral/cuda/sbox.hpp"

#include <array>
#include <bit>
#include <chrono>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

constexpr std::size_t kPoints = std::size_t{1} << kMaxProfileInputs;
static_assert(kPoints == 32 * kernels::kProfileWords);
constexpr std::uint32_t kListCapacity = 1 << 16;
static_assert(kMaxListedMasks <= kListCapacity && std::has_single_bit(kListCapacity) &&
              kListCapacity >= 1u << kernels::kProfileLaneBits);

// The first launch processes this many numbers, so that few threads of the second mistake a small value for
// the largest.
constexpr std::uint64_t kFirstNumbers = 1 << 10;

// One pass finds the histogram and, in most cases, also the masks of the largest coefficients.
class Profiler {
 public:
  // A box of fewer inputs is treated as one of 8 that ignores the others: its W are 2^(8 - n) times as large.
  explicit Profiler(const DeviceBox& box)
      : stream_(box.stream()),
        numbers_(std::uint64_t{1} << (box.outputs() - kernels::kProfileLaneBits)),
        coordinates_(box.coordinate_words(kMaxProfileInputs, kernels::kProfileCoordinates)),
        counts_(zeros<std::uint64_t>(kernels::kProfileHalves, stream_)),
        scalars_(zeros<std::uint32_t>(2, stream_)),
        list_(stream_, kListCapacity, device::Contents::open) {}

  void run() {
    const std::uint64_t first = std::min(numbers_, kFirstNumbers);
    launch(0, first);
    if (first < numbers_) launch(first, numbers_);
    device::copy_to_host(std::span<std::uint64_t>(counted_),
                         device::DeviceSpan<const std::uint64_t>(counts_.span()), stream_);
    read_scalars();
  }

  std::span<const std::uint64_t> counts() const { return counted_; }
  std::uint32_t largest() const { return found_[0]; }

  // Returns the smallest masks of the largest coefficients. If the list has overflowed, searches from small
  // masks to large ones, in parts all of whose components fit the list.
  std::vector<std::uint32_t> masks() {
    std::vector<std::uint32_t> masks;
    if (found_[1] <= kListCapacity) {
      take_listed(masks);
    } else {
      constexpr std::uint64_t kPart = kListCapacity >> kernels::kProfileLaneBits;
      for (std::uint64_t part = 0;
           part < std::max<std::uint64_t>(numbers_ / kPart, 1) && masks.size() < kMaxListedMasks; ++part) {
        const std::uint64_t number = core::gray_inverse(part) * kPart;
        device::wipe(scalars_.span().subspan(1, 1), stream_);
        launch(number, std::min(number + kPart, numbers_));
        read_scalars();
        take_listed(masks);
      }
    }
    std::ranges::sort(masks);
    masks.resize(std::min(masks.size(), kMaxListedMasks));
    return masks;
  }

 private:
  void launch(std::uint64_t first, std::uint64_t last) {
    const kernels::ComponentProfile profile{.coordinates = coordinates_.data(),
                                            .first = first,
                                            .last = last,
                                            .counts = counts_.data(),
                                            .largest = scalars_.data(),
                                            .listed = scalars_.data() + 1,
                                            .list = list_.data(),
                                            .capacity = kListCapacity};
    device::launch_on(stream_, "component_profile", [&](CUstream_st* handle) {
      return kernels::launch_component_profile(profile, handle);
    });
  }

  void read_scalars() {
    device::copy_to_host(std::span<std::uint32_t>(found_),
                         device::DeviceSpan<const std::uint32_t>(scalars_.span()), stream_);
    stream_.synchronize();
  }

  void take_listed(std::vector<std::uint32_t>& masks) {
    std::vector<kernels::ListedComponent> listed(found_[1]);
    device::copy_to_host(
        std::span(listed),
        device::DeviceSpan<const kernels::ListedComponent>(list_.span().subspan(0, listed.size())), stream_);
    stream_.synchronize();
    for (const kernels::ListedComponent& component : listed) {
      if (component.largest == largest()) masks.push_back(component.mask);
    }
  }

  const device::Stream& stream_;
  std::uint64_t numbers_;  // of masks without their kProfileLaneBits low bits
  device::Buffer<std::uint32_t> coordinates_;
  device::Buffer<std::uint64_t> counts_;
  device::Buffer<std::uint32_t> scalars_;  // the largest value and the length of the list
  device::Buffer<kernels::ListedComponent> list_;
  std::array<std::uint64_t, kernels::kProfileHalves> counted_{};
  std::array<std::uint32_t, 2> found_{};
};

// The boomerang tables of permutations on a GPU, some rows per launch. A call can be stopped between
// launches.

using device::Buffer;
using device::Contents;

// If a launch was shorter than this, the next one processes twice as many rows. A row of a linear box takes
// 10^4 times as long as a row of most boxes.
constexpr std::chrono::milliseconds kLaunch{5};

struct FoundBoomerang {
  std::vector<std::uint64_t> beta;  // counts of the entries beta != 0, indexed by beta / 2
  std::vector<std::uint64_t> phi;   // half the counts of the entries phi != 0, indexed by phi / 4
};

// Returns nothing if the box is not a permutation. `counters` is the number of words per block.
template <class Value>
std::optional<FoundBoomerang> found_boomerang(const DeviceBox& box, const Value* values, std::uint32_t blocks,
                                              std::size_t counters, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const auto size = static_cast<std::uint32_t>(box.size());
  const Buffer<Value> before(stream, blocks * box.size() / 2, Contents::open);
  const Buffer<std::uint32_t> words = zeros<std::uint32_t>(blocks * counters, stream);
  const Buffer<std::uint64_t> beta = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint64_t> phi = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint32_t> is_no_permutation = zeros<std::uint32_t>(1, stream);
  std::uint32_t rows = blocks;
  for (std::uint32_t first = 1, last = 1; first < size; first = last) {
    if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    const auto begin = std::chrono::steady_clock::now();
    last = first + std::min(rows, size - first);
    device::launch_on(stream, "boomerang_rows", [&](device::StreamHandle handle) {
      return kernels::launch_boomerang_rows(
          kernels::BoomerangRows<Value>{box.inputs(), values, first, last, blocks, before.data(),
                                        words.data(), beta.data(), phi.data(), is_no_permutation.data()},
          handle);
    });
    if (values_of(is_no_permutation, stream)[0] != 0) return std::nullopt;
    if (std::chrono::steady_clock::now() - begin < kLaunch) rows *= 2;
  }
  return FoundBoomerang{values_of(beta, stream), values_of(phi, stream)};
}

std::optional<FoundBoomerang> found_boomerang(const DeviceBox& box, const std::stop_token& stop) {
  const auto multiprocessors = static_cast<std::uint32_t>(box.stream().context().info().multiprocessors);
  if (box.inputs() > kernels::kMaxBlockBits)
    return found_boomerang(box, box.values().data, multiprocessors, box.size(), stop);
  const Buffer<std::uint16_t> values = box.narrow_values();
  constexpr std::uint32_t kBlocksEach = 4;  // per multiprocessor, for fewer inputs
  return found_boomerang<std::uint16_t>(box, values.data(), kBlocksEach * multiprocessors, 0, stop);
}

// `bits` are those of all values together.
int outputs_of(std::uint64_t bits, const device::Buffer<std::uint32_t>& values, std::optional<int> outputs,
               const device::Stream& stream) {
  const auto needed = static_cast<int>(std::bit_width(bits));
  if (needed > kMaxOutputs)
    throw Error(Errc::usage, "a value is below 0 or above " + std::to_string(kMaxOutputs) + " bits");
  const int inputs = inputs_of(values.size());
  if (!outputs) return needed == inputs ? inputs : usual_outputs(inputs, values_of(values, stream));
  const int given = *outputs;
  spectral::detail::require_within(1, kMaxOutputs, given, "outputs");
  if (needed > given)
    throw Error(Errc::usage, "a value of " + std::to_string(needed) + " bits does not fit " +
                                 std::to_string(given) + " outputs");
  return given;
}

}  // namespace

ExhaustiveProfile exhaustive_components(const DeviceBox& box) {
  if (!has_profile_kernels(box.inputs(), box.outputs())) {
    throw Error(Errc::usage, "all components on a GPU: only of boxes with at most " +
                                 std::to_string(kMaxProfileInputs) + " inputs and at least " +
                                 std::to_string(kMinProfileOutputs) + " outputs");
  }
  Profiler profiler(box);
  profiler.run();
  const std::uint64_t scale = kPoints / box.size();
  ExhaustiveProfile profile;
  for (std::size_t half = 0; half < profiler.counts().size(); ++half) {
    const std::uint64_t largest = 2 * half / scale;
    if (profiler.counts()[half] != 0)
      profile.nonlinearities[static_cast<std::int64_t>((box.size() - largest) / 2)] +=
          profiler.counts()[half];
  }
  profile.linearity = profiler.largest() / scale;
  profile.masks = profiler.masks();
  return profile;
}

std::optional<Boomerang> boomerang(const DeviceBox& box, const std::stop_token& stop) {
  if (!has_boomerang_kernels(box.inputs(), box.outputs())) return std::nullopt;
  std::optional<FoundBoomerang> found = found_boomerang(box, stop);
  if (!found) return std::nullopt;
  for (std::uint64_t& count : found->phi) count *= 2;
  const std::uint64_t rows = box.size() - 1;
  Boomerang result;
  result.bct = histogram_of(found->beta, 0, 2, 1, rows * rows);
  result.fbct = histogram_of(found->phi, 0, 4, 1, rows * (rows - 1));
  complete(result);
  return result;
}

DeviceBox::DeviceBox(int inputs, const device::Stream& stream)
    : inputs_(inputs), stream_(stream), values_(stream, std::size_t{1} << inputs, device::Contents::open) {}

DeviceBox::DeviceBox(const SBox& box, const device::Stream& stream)
    : inputs_(box.inputs()),
      outputs_(box.outputs()),
      stream_(stream),
      values_(filled(box.values(), stream)) {}

template <class T>
DeviceBox DeviceBox::of_values(device::DeviceSpan<const T> values, std::optional<int> outputs,
                               const device::Stream& stream) {
  DeviceBox box(inputs_of(values.size), stream);
  const device::Buffer<std::uint64_t> bits = zeros<std::uint64_t>(1, stream);
  device::launch_on(stream, "box_values", [&](device::StreamHandle handle) {
    return kernels::launch_box_values<T>(
        {values.data, static_cast<std::uint32_t>(values.size), box.values_.data(), bits.data()}, handle);
  });
  box.outputs_ = outputs_of(values_of(bits, stream)[0], box.values_, outputs, stream);
  return box;
}

device::Buffer<std::uint16_t> DeviceBox::narrow_values() const {
  device::Buffer<std::uint16_t> narrow(stream_, size(), device::Contents::open);
  device::launch_on(stream_, "narrow_values", [&](device::StreamHandle handle) {
    return kernels::launch_narrow_values({values_.data(), static_cast<std::uint32_t>(size()), narrow.data()},
                                         handle);
  });
  return narrow;
}

device::Buffer<std::uint32_t> DeviceBox::coordinate_words(int bits, int coordinates) const {
  const std::uint32_t words = std::uint32_t{1} << (bits - 5);
  device::Buffer<std::uint32_t> out(stream_, words * static_cast<std::size_t>(coordinates),
                                    device::Contents::open);
  device::launch_on(stream_, "box_coordinates", [&](device::StreamHandle handle) {
    return kernels::launch_box_coordinates(
        {values_.data(), static_cast<std::uint32_t>(size()), words, coordinates, out.data()}, handle);
  });
  return out;
}

SBox DeviceBox::to_host() const {
  return {inputs_, outputs_, values_of(values_, stream_)};
}

#define FUGU_INSTANTIATE(T)                                                                \
  template DeviceBox DeviceBox::of_values(device::DeviceSpan<const T>, std::optional<int>, \
                                          const device::Stream&);
FUGU_INSTANTIATE(std::int8_t)
FUGU_INSTANTIATE(std::int16_t)
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(std::uint8_t)
FUGU_INSTANTIATE(std::uint16_t)
FUGU_INSTANTIATE(std::uint32_t)
FUGU_INSTANTIATE(std::uint64_t)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
