// The statistics that a last pass over a Boolean spectrum gathers instead of writing it. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

// The memory of a last pass's statistics, in one buffer: scalars, then counters of quotients, so that one
// copy fetches the scalars and the counters of the likely quotients; both are 0 before the pass. The values
// of other quotients follow, then the words at `more`.
struct Statistics {
  enum Scalar : std::uint8_t { max_abs, finished, other_count, beyond, scalar_count };
  static_assert(scalar_count <= kernels::kZeroedWords);

  device::Buffer<std::uint32_t> words;
  device::DeviceSpan<std::uint32_t> zeroed;
  std::uint32_t* more;
  kernels::SpectrumStatistics view{};
};

void place_scalars(std::uint32_t* scalars, kernels::SpectrumStatistics& view);

// `count` words that the last block writes to the stream's pinned memory, the first of them last. No max |W|
// and no degree is kNoAnswer.
class Answer {
 public:
  Answer(kernels::SpectrumStatistics& view, const device::Stream& stream, std::size_t count = 1)
      : words_(reinterpret_cast<std::uint32_t*>(stream.answer_memory().data()), count), stream_(stream) {
    words_[0] = device::Stream::kNoAnswer;
    view.answer = words_.data();
    view.answer_count = static_cast<std::uint32_t>(count);
  }

  std::uint32_t await() const { return await_all()[0]; }
  std::span<const std::uint32_t> await_all() const {
    stream_.await_answer(words_[0]);
    return words_;
  }

 private:
  std::span<std::uint32_t> words_;
  device::Stream stream_;
};

// Returns the number of quotients of one sign within eight standard deviations of a random function's,
// 2^(n/2).
std::int32_t likely_half_of(int variables, int step_bits);

// Allocates counters for a function of `variables` variables, not yet set to 0, and `more` words behind them
// at a multiple of 16 bytes.
Statistics make_counters(int variables, std::size_t more, const device::Stream& stream);

// Returns the number of words of the scalars and the counters of `half` quotients of each sign.
constexpr std::size_t words_up_to(std::int32_t half) {
  return Statistics::scalar_count + 2 * static_cast<std::size_t>(half);
}

// Copies the first `count` words to the host: to the stream's pinned memory if they fit, otherwise to `room`.
// Waits.
std::span<const std::uint32_t> first_words(const Statistics& statistics, std::size_t count,
                                           const device::Stream& stream, std::vector<std::uint32_t>& room);

// Reads the counts. `words` are those up to the counters of the likely quotients. Returns null if the sum of
// the counts is less than the number of values, or if an earlier pass lost values. Waits.
std::optional<SpectrumCounts> read_counts(const Statistics& statistics, int variables,
                                          std::span<const std::uint32_t> words, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
