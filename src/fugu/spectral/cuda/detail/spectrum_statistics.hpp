// What a last pass over a Boolean spectrum gathers in place of writing it. Internal.
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

// Words that a last pass adds to, in one piece of memory: scalars, and behind them counters of quotients, so
// that the scalars and the counters of the likely quotients come back in one copy. These are zero before.
// Behind them values of other quotients, and what else is wanted of the same memory.
struct Statistics {
  enum Scalar : std::uint8_t { max_abs, finished, other_count, beyond, scalar_count };
  static_assert(scalar_count <= kernels::kZeroedWords);

  device::Buffer<std::uint32_t> words;
  device::DeviceSpan<std::uint32_t> zeroed;
  std::uint32_t* more;
  kernels::SpectrumStatistics view{};
};

void place_scalars(std::uint32_t* scalars, kernels::SpectrumStatistics& view);

// What a last block answers in the stream's own memory: `count` words, the first of them last. No max |W|,
// and no degree, is kNoAnswer.
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

// Words in the stream's own memory that blocks answer in, and room behind them that is theirs to fill before.
class BlockAnswers {
 public:
  BlockAnswers(std::size_t count, const device::Stream& stream)
      : words_(reinterpret_cast<std::uint32_t*>(stream.answer_memory().data()), count), stream_(stream) {
    std::ranges::fill(words_, device::Stream::kNoAnswer);
  }

  std::uint32_t* data() const { return words_.data(); }
  // From a multiple of 128 bytes on.
  std::uint32_t* room() const { return words_.data() + (words_.size() + 31) / 32 * 32; }
  // Waits for all.
  std::span<const std::uint32_t> await() const {
    for (std::uint32_t& word : words_) stream_.await_answer(word);
    return words_;
  }

 private:
  std::span<std::uint32_t> words_;
  device::Stream stream_;
};

// Quotients of one sign within eight standard deviations of a random function's, 2^(n/2).
std::int32_t likely_half_of(int variables, int step_bits);

// Counters for a function of that many variables, not zero yet, and `more` words behind them that begin at a
// multiple of 16 bytes.
Statistics make_counters(int variables, std::size_t more, const device::Stream& stream);

// How many words hold the scalars and the counters of `half` quotients of each sign.
constexpr std::size_t words_up_to(std::int32_t half) {
  return Statistics::scalar_count + 2 * static_cast<std::size_t>(half);
}

// The first `count` words on the host: in the stream's pinned memory where they fit, else in `room`. Waits.
std::span<const std::uint32_t> first_words(const Statistics& statistics, std::size_t count,
                                           const device::Stream& stream, std::vector<std::uint32_t>& room);

// From the words up to the likely quotients' counters. Null where the counts are fewer than the values, or
// values were lost before. Waits.
std::optional<SpectrumCounts> read_counts(const Statistics& statistics, int variables,
                                          std::span<const std::uint32_t> words, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
