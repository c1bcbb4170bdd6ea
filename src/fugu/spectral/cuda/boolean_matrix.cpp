#include "fugu/spectral/cuda/detail/boolean_matrix.hpp"

#include <algorithm>

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

// Returns the number of blocks that answer with a max |W|.
std::size_t blocks_of(int variables, const device::Stream& stream) {
  if (in_one_launch(variables)) return kernels::once_blocks(variables);
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

// Both the `row_count` blocks that count and those that add up their counters answer.
void count(device::DeviceSpan<const std::uint32_t> words, int variables, std::uint32_t pairs,
           std::size_t row_count, const BlockAnswers& answers, const device::Stream& stream) {
  const Memory memory(variables, row_count * pairs, stream);
  const kernels::CounterRows counters{memory.more(), pairs};
  device::launch_on(stream, "boolean_counters", [&](StreamHandle handle) {
    int status = 0;
    if (in_one_launch(variables)) {
      status = kernels::launch_boolean_once_counters(words.data, variables, counters, answers.data(), handle);
    } else {
      status = kernels::launch_partial_rows(words.data, memory.rows(), handle);
      if (status == 0)
        status = kernels::launch_partial_rows_counters(memory.rows(), counters, answers.data(), handle);
    }
    return status != 0 ? status
                       : kernels::launch_sum_counters(counters, static_cast<std::uint32_t>(row_count),
                                                      answers.room(), answers.data() + row_count, handle);
  });
}

// Places the counters of a row, up to that of max |W|, in `counts`. `parts` are the answers of the blocks
// that wrote them. Returns the sum of the counters.
std::uint64_t place_pairs(const std::uint32_t* pairs, std::span<const std::uint32_t> parts,
                          SpectrumCounts& counts) {
  const std::size_t reach = (counts.max_abs >> kStepBits) + 1;
  counts.step = std::int64_t{1} << kStepBits;
  counts.first = -static_cast<std::int64_t>(reach) * counts.step +
                 static_cast<std::int64_t>(counts.max_abs) % counts.step;
  counts.counts.resize(2 * reach);
  std::uint64_t sum = 0;
  for (std::size_t start = 0; start < reach; start += kernels::kPairsPerSum) {
    if (parts[start / kernels::kPairsPerSum] == kernels::kNoCounts) continue;
    const std::size_t end = std::min<std::size_t>(start + kernels::kPairsPerSum, reach);
    for (std::size_t i = start; i < end; ++i) {
      const std::uint32_t of_quotient = pairs[i] & 0xffff, of_other_sign = pairs[i] >> 16;
      counts.counts[reach + i] = of_quotient;
      counts.counts[reach - 1 - i] = of_other_sign;
      sum += of_quotient + of_other_sign;
    }
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> max_abs_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                     int variables, const device::Stream& stream) {
  if (!possible(words, variables, stream)) return std::nullopt;
  const BlockAnswers answers(blocks_of(variables, stream), stream);
  find_maximum(words, variables, answers.data(), stream);
  const std::uint32_t largest = std::ranges::max(answers.await());
  if (largest == kernels::kLostValues) return std::nullopt;
  return largest;
}

std::optional<SpectrumCounts> count_by_matrix_units(device::DeviceSpan<const std::uint32_t> words,
                                                    int variables, const device::Stream& stream) {
  if (!possible(words, variables, stream)) return std::nullopt;
  const auto pairs = static_cast<std::uint32_t>(likely_half_of(variables, kStepBits));
  const std::size_t row_count = blocks_of(variables, stream);
  const BlockAnswers answers(row_count + pairs / kernels::kPairsPerSum, stream);
  count(words, variables, pairs, row_count, answers, stream);
  const std::span<const std::uint32_t> words_of_blocks = answers.await();
  if (std::ranges::max(words_of_blocks) == kernels::kLostValues) return std::nullopt;
  SpectrumCounts counts;
  counts.max_abs = std::ranges::max(words_of_blocks.first(row_count));
  const std::uint64_t sum = place_pairs(answers.room(), words_of_blocks.subspan(row_count), counts);
  if (sum != std::uint64_t{1} << variables)
    throw Error(Errc::engine, "the gpu counted fewer values than the spectrum has");
  return counts;
}

}  // namespace fugu::spectral::cuda
