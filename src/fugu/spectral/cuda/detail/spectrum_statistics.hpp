// The statistics that a last pass over a Boolean spectrum gathers instead of writing it. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
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

// Throws Error{engine} when the work ended without an answer, which would be read as a number.
inline void require_answer(const device::Stream& stream, std::uint32_t& word) {
  if (!stream.await_answer(word)) throw Error(Errc::engine, "the gpu ended its work without an answer");
}

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
    require_answer(stream_, words_[0]);
    return words_;
  }

 private:
  std::span<std::uint32_t> words_;
  device::Stream stream_;
};

// Words in the stream's pinned memory to which blocks write their answers, none of which is kNoAnswer.
class BlockAnswers {
 public:
  // expect() has to be called for the last `later` words.
  BlockAnswers(std::size_t count, const device::Stream& stream, std::size_t later = 0)
      : words_(reinterpret_cast<std::uint32_t*>(stream.answer_memory().data()), count), stream_(stream) {
    expect(0, count - later);
  }

  // Marks the words as missing. Saves time while a kernel runs that does not write them yet; a word that has
  // come before is lost: await_or_lost() says so.
  void expect(std::size_t first, std::size_t count) const {
    std::ranges::fill(words_.subspan(first, count), device::Stream::kNoAnswer);
  }

  std::uint32_t* data() const { return words_.data(); }
  // Returns the words [first, first + count) as they are.
  std::span<const std::uint32_t> so_far(std::size_t first, std::size_t count) const {
    return words_.subspan(first, count);
  }
  // Waits for the answers [first, first + count).
  std::span<const std::uint32_t> await(std::size_t first, std::size_t count) const {
    const auto words = words_.subspan(first, count);
    for (auto rest = words; missing(rest); rest = rest.subspan(1)) require_answer(stream_, rest.front());
    if (!words.empty()) require_answer(stream_, words.back());  // acquires what is there
    return words;
  }
  // The same for words that expect() may have overwritten, which stay kNoAnswer.
  std::span<const std::uint32_t> await_or_lost(std::size_t first, std::size_t count) const {
    const auto words = words_.subspan(first, count);
    for (std::uint32_t& word : words) {
      if (!stream_.await_answer(word)) break;  // all work has ended: none comes later
    }
    return words;
  }

 private:
  static bool missing(std::span<const std::uint32_t> words) {
    std::uint32_t missing = 0;  // a flag instead would take six times as long
    for (const std::uint32_t word : words) missing += word == device::Stream::kNoAnswer ? 1 : 0;
    return missing != 0;
  }

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
