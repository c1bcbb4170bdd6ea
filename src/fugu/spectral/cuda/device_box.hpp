// An S-box in GPU memory.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::cuda {

// All work on it is queued on its stream.
class FUGU_EXPORT DeviceBox {
 public:
  DeviceBox(const SBox& box, const device::Stream& stream);

  // Copies S(0), S(1), ... within the device's memory, in the stream's order. T: an integer of 8 to 64 bits.
  // `outputs`: by default the bits of the largest value, at least as many as the inputs. Blocks until done.
  // Throws Error{usage} for a number of values other than 2^1 to 2^kMaxInputs, outputs outside 1 to
  // kMaxOutputs, a negative value or one with more bits than the outputs.
  template <class T>
  static DeviceBox of_values(device::DeviceSpan<const T> values, std::optional<int> outputs,
                             const device::Stream& stream);

  int inputs() const noexcept { return inputs_; }
  int outputs() const noexcept { return outputs_; }
  std::size_t size() const noexcept { return values_.size(); }
  const device::Stream& stream() const noexcept { return stream_; }

  device::DeviceSpan<const std::uint32_t> values() const noexcept { return values_.span(); }
  // For boxes of at most 16 outputs.
  device::Buffer<std::uint16_t> narrow_values() const;
  // Truth tables of 2^bits points of the coordinates 0 .. coordinates - 1, consecutive, f(x) being bit x % 32
  // of word x / 32. Points beyond the inputs repeat the box, coordinates beyond the outputs are 0. bits >= 5,
  // coordinates <= 32.
  device::Buffer<std::uint32_t> coordinate_words(int bits, int coordinates) const;

  // Blocks until done.
  SBox to_host() const;

 private:
  DeviceBox(int inputs, const device::Stream& stream);

  int inputs_;
  int outputs_ = 0;
  device::Stream stream_;
  device::Buffer<std::uint32_t> values_;
};

}  // namespace fugu::spectral::cuda
