#include "fugu/spectral/cuda/detail/boolean_matrix.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::StreamHandle;

constexpr int kStepBits = 2;

bool in_one_launch(int variables) {
  return variables >= kernels::kLeastOnce && variables <= kernels::kMostOnce;
}

bool possible(device::DeviceSpan<const std::uint32_t> words, int variables, const device::Stream& stream) {
  return (in_one_launch(variables) || variables == kernels::kPartialVariables) &&
         reinterpret_cast<std::uintptr_t>(words.data) % sizeof(std::uint64_t) == 0 &&
         kernels::boolean_matrix_units(stream.context().info().compute_major);
}

// Returns the number of blocks that answer with a max |W|, where those of one launch compute all values of
// top_bits.
std::size_t blocks_of(int variables, int top_bits, const device::Stream& stream) {
  if (in_one_launch(variables)) return kernels::once_blocks(variables, top_bits);
  return std::min(static_cast<unsigned>(stream.context().info().multiprocessors), kernels::kPartialRows);
}

// Memory of the two passes, which one launch does not need, and `more` words.
class Memory {
 public:
  Memory(int variables, std::size_t more, const device::Stream& stream)
      : byte_words_(in_one_launch(variables) ? 0 : (std::size_t{1} << variables) / 4),
        lost_words_(in_one_launch(variables) ? 0 : kernels::kPartialTiles),
        words_(stream, byte_words_ + lost_words_ + more, device::Contents::open) {}

  kernels::PartialRows rows() const {
    return {reinterpret_cast<std::uint8_t*>(words_.data()), words_.data() + byte_words_};
  }
  std::uint32_t* more() const { return words_.data() + byte_words_ + lost_words_; }

 private:
  std::size_t byte_words_, lost_words_;
  device::Buffer<std::uint32_t> words_;
};

void find_maximum(device::DeviceSpan<const std::uint32_t> words, int variables, std::uint32_t* answers,
                  const device::Stream& stream) {
  if (in_one_launch(variables)) {
    return device::launch_on(stream, "boolean_once_maximum", [&](StreamHandle handle) {
      return kernels::launch_boolean_once_maximum(words.data, variables, answers, handle);
    });
  }
  const Memory memory(variables, 0, stream);
  device::launch_on(stream, "partial_rows_maximum", [&](StreamHandle handle) {
    const int status = kernels::launch_partial_rows(words.data, memory.rows(), handle);
    return status != 0 ? status : kernels::launch_partial_rows_maximum(memory.rows(), answers, handle);
  });
}

// Writes the answers of the `row_count` blocks that count to `answers`, the sum of their counters to
// `counts`.
void count(device::DeviceSpan<const std::uint32_t> words, int variables, std::uint32_t pairs,
           std::size_t row_count, std::uint32_t* answers, std::uint32_t* counts,
           const device::Stream& stream) {
  const Memory memory(variables, row_count * pairs, stream);
  const kernels::CounterRows counters{memory.more(), pairs};
  device::launch_on(stream, "boolean_counters", [&](StreamHandle handle) {
    int status = 0;
    if (in_one_launch(variables)) {
      status = kernels::launch_boolean_once_counters(words.data, variables, counters, answers, handle);
    } else {
      status = kernels::launch_partial_rows(words.data, memory.rows(), handle);
      if (status == 0)
        status = kernels::launch_partial_rows_counters(memory.rows(), counters, answers, handle);
    }
    return status != 0 ? status
                       : kernels::launch_sum_counters(counters, static_cast<std::uint32_t>(row_count), counts,
                                                      handle);
  });
}

// Allocates the counts of a spectrum with this max |W|.
SpectrumCounts counts_up_to(std::uint32_t max_abs) {
  const std::size_t reach = (max_abs >> kStepBits) + 1;
  SpectrumCounts counts;
  counts.max_abs = max_abs;
  counts.step = std::int64_t{1} << kStepBits;
  counts.first = -static_cast<std::int64_t>(reach) * counts.step + max_abs % counts.step;
  counts.counts.resize(2 * reach);
  return counts;
}

// Places the counters of the quotients from `first` on, and as many of the other sign. Returns their sum.
std::uint32_t place_pairs(std::span<const std::uint32_t> pairs, std::size_t first, SpectrumCounts& counts) {
  const std::size_t reach = counts.counts.size() / 2;
  const std::span<std::uint32_t> places(counts.counts);
  const auto of_quotients = places.subspan(reach + first, pairs.size());
  const auto of_other_sign = places.subspan(reach - first - pairs.size(), pairs.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    of_quotients[i] = pairs[i] & 0xffff;
    sum += (pairs[i] & 0xffff) + (pairs[i] >> 16);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) of_other_sign[i] = pairs[pairs.size() - 1 - i] >> 16;
  return sum;
}

// Waits for the sums of all `pairs` counters, so that none is written later, and places those up to that of
// max |W|. Returns their sum, or null if one was lost.
std::optional<std::uint64_t> place_sums(const BlockAnswers& answers, std::size_t at, std::size_t pairs,
                                        SpectrumCounts& counts) {
  const std::size_t reach = counts.counts.size() / 2;
  std::uint64_t sum = 0;
  std::uint32_t lost = 0;
  for (std::size_t first = 0; first < pairs; first += kernels::kPairsPerSum) {
    const auto part = answers.await(at + first, kernels::kPairsPerSum);
    for (const std::uint32_t pair : part) lost += pair == kernels::kLostValues ? 1 : 0;
    if (first >= reach) continue;
    sum +=
        place_pairs(part.first(std::min<std::size_t>(kernels::kPairsPerSum, reach - first)), first, counts);
  }
  return lost != 0 ? std::nullopt : std::optional(sum);
}

}  // namespace

std::optional<std::uint64_t> max_abs_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                     int variables, const device::Stream& stream) {
  if (!possible(words, variables, stream)) return std::nullopt;
  const std::size_t blocks = blocks_of(variables, kernels::once_top_bits(variables), stream);
  const BlockAnswers answers(blocks, stream);
  find_maximum(words, variables, answers.data(), stream);
  const std::uint32_t largest = std::ranges::max(answers.await(0, blocks));
  if (largest == kernels::kLostValues) return std::nullopt;
  return largest;
}

std::optional<SpectrumCounts> count_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                    int variables, const device::Stream& stream) {
  if (!possible(words, variables, stream)) return std::nullopt;
  // Quotients up to 6.5 standard deviations. One random function of 24 variables in 700 has others, and is
  // counted again.
  const std::size_t pairs = static_cast<std::size_t>(likely_half_of(variables, kStepBits)) / 16 * 13;
  const std::size_t row_count = blocks_of(variables, 0, stream);
  const std::size_t counts_at = (row_count + 31) / 32 * 32;  // a line of their own
  const BlockAnswers answers(counts_at + pairs, stream);
  count(words, variables, static_cast<std::uint32_t>(pairs), row_count, answers.data(),
        answers.data() + counts_at, stream);
  const std::uint32_t max_abs = std::ranges::max(answers.await(0, row_count));
  const bool lost = max_abs == kernels::kLostValues;
  SpectrumCounts counts = counts_up_to(lost ? 0 : max_abs);  // while the counters are added up
  const std::optional<std::uint64_t> sum = place_sums(answers, counts_at, pairs, counts);
  if (lost || !sum) return std::nullopt;
  if (*sum != std::uint64_t{1} << variables)
    throw Error(Errc::engine, "the gpu counted fewer values than the spectrum has");
  return counts;
}

}  // namespace fugu::spectral::cuda
