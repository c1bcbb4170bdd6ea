// Rows of an S-box's tables: shared out to threads, counted, and made for one mask b after the other.
// Internal.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

// Throws Error{usage} above kMaxOutputsOfAll outputs.
void require_all_components(const SBox& box);

// Below this much work, in table entries, starting threads costs more than it saves.
inline constexpr std::uint64_t kParallelEntries = std::uint64_t{1} << 20;

// Enough for even shares, and few enough that one worker each costs nothing.
inline constexpr std::size_t kPieces = 64;

inline Progress begun(const SBoxOptions& options, std::uint64_t steps) {
  return options.begin ? options.begin(steps) : Progress();
}

// For ranges that cover [first, last): make() a worker, call worker(index) for each index of the range, then
// merge(worker), one at a time. `entries` is the work per index, which is a step.
template <class Make, class Merge>
void for_each_row(std::size_t first, std::size_t last, std::uint64_t entries, const SBoxOptions& options,
                  Make make, Merge merge) {
  const std::size_t count = last - first;
  const bool small = count * entries < kParallelEntries;
  const Workers workers(small ? 1 : options.threads, nullptr, options.stop);
  const Progress done = begun(options, count);
  std::mutex merging;
  workers.for_ranges(count, count / kPieces + 1, [&](std::size_t from, std::size_t to) {
    auto worker = make();
    for (std::size_t i = from; i < to; ++i) {
      throw_if_stopped(options.stop);
      worker(first + i);
      if (done) done(1);
    }
    const std::lock_guard lock(merging);
    merge(worker);
  });
}

// The same for workers that leave their findings elsewhere.
template <class Make>
void for_each_row(std::size_t first, std::size_t last, std::uint64_t entries, const SBoxOptions& options,
                  Make make) {
  for_each_row(first, last, entries, options, make, [](const auto&) {});
}

// Adds values that were counted in an array: the first, and those at the distance `step` after it.
inline void add_counts(std::span<const std::uint64_t> counts, std::int64_t first, std::int64_t step,
                       Histogram& histogram) {
  for (const std::uint64_t count : counts) {
    if (count != 0) histogram[first] += count;
    first += step;
  }
}

// visit(x, S(x) + S(x + a)) for one x of each pair {x, x + a}; a != 0.
template <class Visit>
void for_each_pair(const SBox& box, std::uint32_t a, Visit visit) {
  const std::uint32_t high = std::bit_floor(a);
  const auto size = static_cast<std::uint32_t>(box.size());
  const std::uint32_t* const s = box.values().data();
  for (std::uint32_t block = 0; block < size; block += 2 * high) {
    for (std::uint32_t x = block; x < block + high; ++x) visit(x, s[x] ^ s[x ^ a]);
  }
}

// row[b] = delta(a,b) / 2 modulo 2^8 or 2^16; a != 0. If the sum of the row's bytes is the number of pairs,
// none of them wrapped.
template <class T>
void count_pairs(const SBox& box, std::uint32_t a, std::span<T> row) {
  std::ranges::fill(row, T{0});
  for_each_pair(box, a, [row](std::uint32_t, std::uint32_t b) { ++row[b]; });
}

// Counts the entries of one table row.
//
// Rows are long and mostly 0, so clearing and reading visit only the entries that were touched; above
// kMaxOutputsOfAll bits a row does not fit memory and a hash table holds those entries.
class RowCounter {
 public:
  // A row of 2^bits entries. `entries` is the expected number of nonzero ones; more are possible.
  RowCounter(int bits, std::size_t entries) : dense_(bits <= kMaxOutputsOfAll) {
    if (dense_) {
      counts_.resize(std::size_t{1} << bits);
      touched_.resize(counts_.size() + 1);
    } else {
      resize_hash(entries);
    }
  }

  void add(std::uint32_t entry, std::uint32_t count) {
    const std::size_t at = dense_ ? entry : slot(entry);
    touched_[used_] = static_cast<std::uint32_t>(at);
    used_ += counts_[at] == 0 ? 1u : 0u;
    counts_[at] += count;
    if (!dense_ && 2 * used_ > counts_.size()) grow();
  }

  std::size_t nonzero() const { return used_; }
  std::uint32_t operator[](std::uint32_t entry) const { return counts_[entry]; }  // 20 bits or fewer

  // visit(entry, count) for each nonzero entry, in no order; all are 0 afterwards.
  template <class Visit>
  void drain(Visit visit) {
    for (std::size_t i = 0; i < used_; ++i) {
      const std::uint32_t at = touched_[i];
      visit(dense_ ? at : keys_[at], counts_[at]);
      counts_[at] = 0;
    }
    used_ = 0;
  }

 private:
  void resize_hash(std::size_t entries) {
    shift_ = 64 - 4;
    while (std::size_t{1} << (64 - shift_) < 4 * entries) --shift_;
    counts_.assign(std::size_t{1} << (64 - shift_), 0);
    keys_.resize(counts_.size());
    touched_.resize(counts_.size() + 1);
  }

  std::size_t slot(std::uint32_t entry) {
    auto at = static_cast<std::size_t>(entry * std::uint64_t{0x9e3779b97f4a7c15} >> shift_);
    while (counts_[at] != 0 && keys_[at] != entry) at = (at + 1) & (counts_.size() - 1);
    keys_[at] = entry;
    return at;
  }

  void grow() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
    drain([&](std::uint32_t entry, std::uint32_t count) { entries.emplace_back(entry, count); });
    resize_hash(2 * entries.size());
    for (const auto& [entry, count] : entries) add(entry, count);
  }

  bool dense_;
  int shift_ = 0;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> touched_;
};

// Histograms of rows whose entries, scaled down, fit bytes: of at least 64 entries, a multiple of 64.
class ByteRows {
 public:
  // Adds the number of entries equal to v to counts[v]. Returns false and adds nothing if an entry is larger
  // than kLargest or has wrapped, which the entries' `sum` reveals.
  bool count(std::span<const std::uint8_t> row, std::uint64_t sum, std::span<std::uint64_t> counts) const {
    const ByteSummary found = kernels_.summarize_bytes(row.data(), row.size());
    if (found.sum != sum || found.largest > kLargest) return false;
    // The number of ones follows from the sum, and that of zeros from the row's size.
    std::uint64_t ones = sum;
    std::uint64_t zeros = row.size();
    for (std::size_t least = 2; least <= found.largest; least += kEqualCounts) {
      std::array<std::uint32_t, kEqualCounts> equal;
      kernels_.count_equal(row.data(), row.size(), static_cast<std::uint8_t>(least), equal.data());
      for (std::size_t i = 0; i < equal.size() && least + i <= found.largest; ++i) {
        counts[least + i] += equal[i];
        ones -= (least + i) * equal[i];
        zeros -= equal[i];
      }
    }
    counts[1] += ones;
    counts[0] += zeros - ones;
    return true;
  }

  static constexpr std::size_t kLargest = 1 + 4 * kEqualCounts;  // comparing takes four passes then

 private:
  NarrowKernels kernels_ = narrow_kernels(best_isa());
};

// The next larger mask of the same weight, which is not 0: a carry through the lowest run, whose other bits
// move to the end.
constexpr std::uint64_t next_of_weight(std::uint64_t mask) {
  const std::uint64_t carried = mask + (mask & (0 - mask));
  return carried | (carried ^ mask) >> (2 + std::countr_zero(mask));
}

// The first of the masks from 1 to `last`, which is 2^k - 1, for which `wanted` holds, in order of weight; 0
// if there is none.
template <class Wanted>
std::uint32_t first_by_weight(std::uint32_t last, Wanted wanted) {
  for (int weight = 1; weight <= std::popcount(last); ++weight) {
    for (std::uint64_t mask = (std::uint64_t{1} << weight) - 1; mask <= last; mask = next_of_weight(mask))
      if (wanted(static_cast<std::uint32_t>(mask))) return static_cast<std::uint32_t>(mask);
  }
  return 0;
}

// b.S(x) for all x, for one mask b after the other: as 32-bit signs, and as bits that become 16-bit integers.
// A row of words per coordinate y_j, in which a sum of coordinates is an exclusive or of words.
template <class Word>
class CoordinateRows {
 public:
  CoordinateRows(int outputs, std::size_t words)
      : words_(words), rows_(static_cast<std::size_t>(outputs) * words) {}

  std::size_t words() const { return words_; }
  std::span<Word> operator[](std::size_t j) { return {&rows_[j * words_], words_}; }
  std::span<const Word> operator[](std::size_t j) const { return {&rows_[j * words_], words_}; }

 private:
  std::size_t words_;
  std::vector<Word> rows_;
};

// The row of one component, which steps from mask to mask: consecutive masks differ in two bits on average.
template <class Word>
class ComponentRow {
 public:
  explicit ComponentRow(const CoordinateRows<Word>& coordinates)
      : coordinates_(&coordinates), row_(coordinates.words()) {}

  std::span<const Word> row() const { return row_; }

  void step_to(std::uint32_t b) {
    for (std::uint32_t change = b ^ mask_; change != 0; change &= change - 1) {
      const auto row = (*coordinates_)[static_cast<std::size_t>(std::countr_zero(change))];
      for (std::size_t i = 0; i < row_.size(); ++i) row_[i] ^= row[i];
    }
    mask_ = b;
  }

 private:
  const CoordinateRows<Word>* coordinates_;
  std::uint32_t mask_ = 0;
  std::vector<Word> row_;
};

// Word x is 0 where y_j is 0, -1 where it is 1.
struct CoordinateSigns : CoordinateRows<std::int32_t> {
  explicit CoordinateSigns(const SBox& box) : CoordinateRows(box.outputs(), box.size()) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < box.size(); ++x)
        (*this)[j][x] = -static_cast<std::int32_t>(box[x] >> j & 1);
    }
  }
};

class ComponentSigns : ComponentRow<std::int32_t> {
 public:
  using ComponentRow::ComponentRow;

  // into[x] = (-1)^(b.S(x))
  void write(std::uint32_t b, std::int32_t* into) {
    step_to(b);
    for (std::size_t x = 0; x < row().size(); ++x) into[x] = row()[x] | 1;
  }
};

// Bit x % 64 of word x / 64 is y_j of x, for at least 6 inputs.
struct CoordinateBits : CoordinateRows<std::uint64_t> {
  explicit CoordinateBits(const SBox& box) : CoordinateRows(box.outputs(), box.size() / 64) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(box.outputs()); ++j) {
      for (std::size_t x = 0; x < box.size(); ++x)
        (*this)[j][x / 64] |= std::uint64_t{box[x] >> j & 1} << x % 64;
    }
  }
};

// Half the Walsh transform of the signs of eight bits, for every byte; before halving its values are even.
using HalfSpectra = std::array<std::array<std::int16_t, 8>, 256>;

constexpr HalfSpectra half_spectra() {
  HalfSpectra table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned a = 0; a < 8; ++a) {
      int sum = 0;
      for (unsigned x = 0; x < 8; ++x)
        sum += (static_cast<unsigned>(std::popcount(a & x)) + (byte >> x)) % 2 == 0 ? 1 : -1;
      table[byte][a] = static_cast<std::int16_t>(sum / 2);
    }
  }
  return table;
}

class ComponentBits : ComponentRow<std::uint64_t> {
 public:
  using ComponentRow::ComponentRow;

  // into[x], 64 per word: half the Walsh transform of (-1)^(b.S(x)) over the three low bits of x.
  void write(std::uint32_t b, std::int16_t* into) {
    step_to(b);
    for (std::uint64_t word : row()) {
      for (int i = 0; i < 8; ++i, word >>= 8, into += 8)
        std::memcpy(into, kHalfSpectra[word & 0xff].data(), sizeof(kHalfSpectra[0]));
    }
  }

  bool at_zero() const { return (row()[0] & 1) != 0; }  // b.S(0)

 private:
  static constexpr HalfSpectra kHalfSpectra = half_spectra();
};

}  // namespace fugu::spectral::detail
