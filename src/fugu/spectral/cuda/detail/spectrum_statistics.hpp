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
// of other quotients follow.
struct Statistics {
  enum Scalar : std::uint8_t { max_abs, finished, other_count, beyond, scalar_count };
  static_assert(scalar_count <= kernels::kZeroedWords);

  device::Buffer<std::uint32_t> words;
  device::DeviceSpan<std::uint32_t> zeroed;
  kernels::SpectrumStatistics view{};
};

void place_scalars(std::uint32_t* scalars, kernels::SpectrumStatistics& view);

// The word that the last block writes to the stream's pinned memory; kNoAnswer is never a valid max |W| or
// degree.
class Answer {
 public:
  Answer(kernels::SpectrumStatistics& view, const device::Stream& stream)
      : word_(*reinterpret_cast<std::uint32_t*>(stream.answer_memory().data())), stream_(stream) {
    word_ = device::Stream::kNoAnswer;
    view.answer = &word_;
  }

  std::uint32_t await() const {
    stream_.await_answer(word_);
    return word_;
  }

 private:
  std::uint32_t& word_;
  device::Stream stream_;
};

// Returns the number of quotients of one sign within eight standard deviations of a random function's,
// 2^(n/2).
std::int32_t likely_half_of(int variables, int step_bits);

// Allocates counters for a function of `variables` variables, not yet set to 0.
Statistics make_counters(int variables, const device::Stream& stream);

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
