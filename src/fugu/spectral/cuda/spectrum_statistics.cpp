#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"

#include "fugu/spectral/cuda/staging.hpp"

namespace fugu::spectral::cuda {
namespace {

enum Scalar : std::uint8_t { max_abs, other_count, beyond, finished, scalar_count };  // counters lie in pairs

// Returns the number of words of the scalars and the counters of `half` quotients of each sign.
constexpr std::size_t words_up_to(std::int32_t half) {
  return scalar_count + 2 * static_cast<std::size_t>(half);
}

// Returns the number of quotients of one sign within eight standard deviations of a random function's,
// 2^(n/2).
std::int32_t likely_half_of(int variables, int step_bits) {
  return std::int32_t{1} << std::max((variables + 1) / 2 + 3 - step_bits, 1);
}

// Sets `zeroed` words to 0.
void place(Statistics& statistics, std::size_t zeroed, std::size_t count, const device::Stream& stream) {
  statistics.words = {stream, count, device::Contents::open};
  device::wipe(statistics.words.span().subspan(0, zeroed), stream);
  std::uint32_t* const scalars = statistics.words.data();
  statistics.view.max_abs = scalars + max_abs;
  statistics.view.other_count = scalars + other_count;
  statistics.view.beyond = scalars + beyond;
  statistics.view.finished = scalars + finished;
}

// Through pinned memory, if the words fit there: copies to ordinary memory make max |W| of 2^20 values take
// 31 us (H100).
std::vector<std::uint32_t> first_words(const Statistics& statistics, std::size_t count,
                                       const device::Stream& stream) {
  const auto words = device::DeviceSpan<const std::uint32_t>(statistics.words.span()).subspan(0, count);
  if (count * sizeof(std::uint32_t) > device::Stream::kAnswerBytes) return values_of(words, stream);
  const std::span answer(reinterpret_cast<std::uint32_t*>(stream.answer_memory().data()), count);
  device::copy_to_host(answer, words, stream);
  stream.synchronize();
  return {answer.begin(), answer.end()};
}

// Reorders the counters from the order of counter_of() to that of the quotients -reach .. reach - 1.
std::vector<std::uint32_t> placed(std::span<const std::uint32_t> counters) {
  const std::size_t reach = counters.size() / 2;
  std::vector<std::uint32_t> counts(counters.size());
  for (std::size_t i = 0; i < reach; ++i) {
    counts[reach + i] = counters[kernels::counter_of(static_cast<std::int32_t>(i))];
    counts[reach - 1 - i] = counters[kernels::counter_of(-1 - static_cast<std::int32_t>(i))];
  }
  return counts;
}

}  // namespace

Statistics make_scalars(Reply reply, const device::Stream& stream) {
  Statistics statistics;
  place(statistics, scalar_count, scalar_count, stream);
  if (reply == Reply::by_last_block) {
    statistics.view.answer = reinterpret_cast<std::uint32_t*>(stream.answer_memory().data());
    *statistics.view.answer = device::Stream::kNoAnswer;
  }
  return statistics;
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
  place(statistics, zeroed, zeroed + view.other_capacity, stream);
  view.counts = statistics.words.data() + scalar_count;
  view.others = reinterpret_cast<std::int32_t*>(statistics.words.data() + zeroed);
  return statistics;
}

std::optional<std::uint32_t> read_largest(const Statistics& statistics, const device::Stream& stream) {
  if (std::uint32_t* const answer = statistics.view.answer; answer != nullptr) {
    stream.await_answer(*answer);
    return *answer;
  }
  const std::vector<std::uint32_t> words = first_words(statistics, scalar_count, stream);
  if (words[beyond] != 0) return std::nullopt;
  return words[max_abs];
}

std::optional<SpectrumCounts> read_counts(const Statistics& statistics, const device::Stream& stream) {
  const kernels::SpectrumStatistics& view = statistics.view;
  std::vector<std::uint32_t> words = first_words(statistics, words_up_to(view.likely_half), stream);
  if (words[beyond] != 0) return std::nullopt;
  SpectrumCounts counts;
  counts.max_abs = words[max_abs];
  const std::uint32_t others = words[other_count];
  const auto reach = static_cast<std::int32_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(view.half - 1), counts.max_abs >> view.step_bits) +
      1);
  if (reach > view.likely_half) words = first_words(statistics, words_up_to(reach), stream);
  counts.step = std::int64_t{1} << view.step_bits;
  counts.first = -reach * counts.step + static_cast<std::int64_t>(counts.max_abs) % counts.step;
  counts.counts = placed(std::span(words).subspan(scalar_count, 2 * static_cast<std::size_t>(reach)));
  if (others != 0)
    counts.others = values_of(device::DeviceSpan<const std::int32_t>{view.others, others}, stream);
  return counts;
}

}  // namespace fugu::spectral::cuda
