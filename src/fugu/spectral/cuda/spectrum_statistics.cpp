#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"

#include <algorithm>

#include "fugu/spectral/cuda/detail/buffers.hpp"

namespace fugu::spectral::cuda {
namespace {

// Reorders the counters from the order of counter_of() to that of the quotients -reach .. reach - 1. Returns
// their sum.
std::uint64_t place_counts(std::span<const std::uint32_t> counters, std::vector<std::uint32_t>& counts) {
  std::uint64_t sum = 0;
  const std::size_t reach = counters.size() / 2;
  counts.resize(counters.size());
  for (std::size_t i = 0; i < reach; ++i) {
    counts[reach + i] = counters[kernels::counter_of(static_cast<std::int32_t>(i))];
    counts[reach - 1 - i] = counters[kernels::counter_of(-1 - static_cast<std::int32_t>(i))];
    sum += std::uint64_t{counts[reach + i]} + counts[reach - 1 - i];
  }
  return sum;
}

}  // namespace

std::int32_t likely_half_of(int variables, int step_bits) {
  return std::int32_t{1} << std::max((variables + 1) / 2 + 3 - step_bits, 1);
}

void place_scalars(std::uint32_t* scalars, kernels::SpectrumStatistics& view) {
  view.max_abs = scalars + Statistics::max_abs;
  view.finished = scalars + Statistics::finished;
  view.other_count = scalars + Statistics::other_count;
  view.beyond = scalars + Statistics::beyond;
}

// The counters cover |W| up to 2^most_bits. By Parseval at most 2^(2n) / 2^(2 most_bits) values reach that,
// which is the list's size.
Statistics make_counters(int variables, const device::Stream& stream) {
  const int most_bits = std::min(variables, (variables + 13) / 2);
  Statistics statistics;
  kernels::SpectrumStatistics& view = statistics.view;
  view.step_bits = std::min(variables, 2);
  view.half = (std::int32_t{1} << (most_bits - view.step_bits)) + 1;
  view.likely_half = std::min(likely_half_of(variables, view.step_bits), view.half);
  view.other_capacity = std::uint32_t{1} << (2 * (variables - most_bits));
  const std::size_t zeroed = words_up_to(view.half);
  statistics.words = {stream, zeroed + view.other_capacity, device::Contents::open};
  statistics.zeroed = statistics.words.span().subspan(0, zeroed);
  std::uint32_t* words = statistics.words.data();
  place_scalars(words, view);
  view.counts = words + Statistics::scalar_count;
  view.others = reinterpret_cast<std::int32_t*>(words + zeroed);
  return statistics;
}

std::span<const std::uint32_t> first_words(const Statistics& statistics, std::size_t count,
                                           const device::Stream& stream, std::vector<std::uint32_t>& room) {
  const auto from = device::DeviceSpan<const std::uint32_t>(statistics.words.span()).subspan(0, count);
  if (count * sizeof(std::uint32_t) > device::Stream::kAnswerBytes) return room = values_of(from, stream);
  const std::span answer(reinterpret_cast<std::uint32_t*>(stream.answer_memory().data()), count);
  device::copy_to_host(answer, from, stream);
  stream.synchronize();
  return answer;
}

std::optional<SpectrumCounts> read_counts(const Statistics& statistics, int variables,
                                          std::span<const std::uint32_t> words,
                                          const device::Stream& stream) {
  if (words[Statistics::beyond] != 0) return std::nullopt;
  const kernels::SpectrumStatistics& view = statistics.view;
  std::vector<std::uint32_t> room;
  SpectrumCounts counts;
  counts.max_abs = words[Statistics::max_abs];
  const std::uint32_t others = words[Statistics::other_count];
  const auto reach = static_cast<std::int32_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(view.half - 1), counts.max_abs >> view.step_bits) +
      1);
  if (reach > view.likely_half) words = first_words(statistics, words_up_to(reach), stream, room);
  counts.step = std::int64_t{1} << view.step_bits;
  counts.first = -reach * counts.step + static_cast<std::int64_t>(counts.max_abs) % counts.step;
  const std::uint64_t sum = place_counts(
      words.subspan(Statistics::scalar_count, 2 * static_cast<std::size_t>(reach)), counts.counts);
  if (sum + others != std::uint64_t{1} << variables) return std::nullopt;
  if (others != 0) {
    counts.others = values_of(device::DeviceSpan<const std::int32_t>{view.others, others}, stream);
  }
  return counts;
}

}  // namespace fugu::spectral::cuda
