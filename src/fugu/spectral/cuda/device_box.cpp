#include "fugu/spectral/cuda/device_box.hpp"

#include <bit>
#include <string>
#include <type_traits>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

template <class T>
constexpr kernels::Integer integer_of() {
  constexpr int kSize = std::countr_zero(sizeof(T));
  constexpr auto kFirst = std::is_signed_v<T> ? kernels::Integer::int8 : kernels::Integer::uint8;
  return static_cast<kernels::Integer>(static_cast<int>(kFirst) + kSize);
}
static_assert(integer_of<std::int64_t>() == kernels::Integer::int64 &&
              integer_of<std::uint16_t>() == kernels::Integer::uint16);

// `bits` are those of all values together.
int outputs_of(std::uint64_t bits, const device::Buffer<std::uint32_t>& values, std::optional<int> outputs,
               const device::Stream& stream) {
  const auto needed = static_cast<int>(std::bit_width(bits));
  if (needed > kMaxOutputs)
    throw Error(Errc::usage, "a value is below 0 or above " + std::to_string(kMaxOutputs) + " bits");
  const int inputs = inputs_of(values.size());
  if (!outputs) return needed == inputs ? inputs : usual_outputs(inputs, values_of(values, stream));
  const int given = *outputs;
  if (given < 1 || given > kMaxOutputs) {
    throw Error(Errc::usage,
                std::to_string(given) + " outputs: 1 to " + std::to_string(kMaxOutputs) + " are possible");
  }
  if (needed > given)
    throw Error(Errc::usage, "a value of " + std::to_string(needed) + " bits does not fit " +
                                 std::to_string(given) + " outputs");
  return given;
}

}  // namespace

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
    return kernels::launch_box_values({values.data, integer_of<T>(), static_cast<std::uint32_t>(values.size),
                                       box.values_.data(), bits.data()},
                                      handle);
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
