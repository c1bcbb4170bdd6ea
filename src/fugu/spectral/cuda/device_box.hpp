// An S-box in GPU memory.
#pragma once

#include <optional>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::cuda {

// All work on it is queued on its stream.
class FUGU_EXPORT DeviceBox {
 public:
  DeviceBox(const SBox& box, const device::Stream& stream);

  // Copies S(0), S(1), ... within device memory, in the stream's order. T is an integer of 8 to 64 bits.
  // `outputs` defaults to the bits of the largest value, but at least the number of inputs. Blocks until
  // done. Throws Error{usage} if the number of values is not 2^1 to 2^kMaxInputs, `outputs` is not 1 to
  // kMaxOutputs, or a value is negative or has more bits than the outputs.
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
  // Returns the truth tables of the coordinates 0 .. coordinates - 1, consecutive tables of 2^bits points;
  // f(x) is bit x % 32 of word x / 32. Points beyond the inputs repeat the box, coordinates beyond the
  // outputs are 0. bits >= 5, coordinates <= 32.
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
