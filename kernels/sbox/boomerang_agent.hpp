// A row of a permutation's boomerang connectivity table and of its Feistel counterpart.
//
// The method is that of the CPU (src/fugu/spectral/sbox/boomerang.cpp): pairs {x, x + a} are grouped by
// d = S(x) + S(x + a). A pair adds 2 to beta(a,d). Let p and q be two pairs of a group, and x and y their
// members without the highest bit of a. They add 4 to beta(a,b) and beta(a,b + d), b = S(x) + S(y), and to
// phi(a,x + y) and phi(a,x + y + a), which share the counter p + q.
#pragma once

#include "kernels/sbox/row_agent.hpp"

namespace fugu::kernels {

// 16-bit counters, two per word of memory that a block shares. Atomics has exchange(word, value),
// compare_exchange(word, expected, value) and add(word, value), which return the previous word.
template <class Atomics>
class PackedCounters {
 public:
  FUGU_HD static constexpr std::uint32_t words_of(std::uint32_t count) { return (count + 1) / 2; }

  FUGU_HD explicit PackedCounters(std::uint32_t* words) : words_(words) {}

  FUGU_HD std::uint32_t exchange(std::uint32_t i, std::uint32_t value) const {
    const std::uint32_t keep = 0xffff0000u >> shift_of(i);
    std::uint32_t word = 0;  // most likely
    for (;;) {
      const std::uint32_t found =
          Atomics::compare_exchange(words_ + i / 2, word, (word & keep) | value << shift_of(i));
      if (found == word) return found >> shift_of(i) & 0xffffu;
      word = found;
    }
  }

  FUGU_HD void add(std::uint32_t i, std::uint32_t value) const {
    Atomics::add(words_ + i / 2, value << shift_of(i));
  }

  // Calls visit(value) for each nonzero counter of this thread's share of `count` counters, and sets it to 0.
  template <class Visit>
  FUGU_HD void drain(unsigned thread, unsigned threads, std::uint32_t count, Visit visit) const {
    for (std::uint32_t i = thread; i < words_of(count); i += threads) {
      const std::uint32_t word = words_[i];
      if (word == 0) continue;
      words_[i] = 0;
      if ((word & 0xffffu) != 0) visit(word & 0xffffu);
      if (word >> 16 != 0) visit(word >> 16);
    }
  }

 private:
  FUGU_HD static std::uint32_t shift_of(std::uint32_t i) { return i % 2 * 16; }

  std::uint32_t* words_;
};

// The interface of PackedCounters with 32-bit counters, one per word.
template <class Atomics>
class WholeCounters {
 public:
  FUGU_HD explicit WholeCounters(std::uint32_t* words) : words_(words) {}

  FUGU_HD std::uint32_t exchange(std::uint32_t i, std::uint32_t value) const {
    return Atomics::exchange(words_ + i, value);
  }

  FUGU_HD void add(std::uint32_t i, std::uint32_t value) const { Atomics::add(words_ + i, value); }

  template <class Visit>
  FUGU_HD void drain(unsigned thread, unsigned threads, std::uint32_t count, Visit visit) const {
    for (std::uint32_t i = thread; i < count; i += threads) {
      const std::uint32_t value = words_[i];
      if (value == 0) continue;
      words_[i] = 0;
      visit(value);
    }
  }

 private:
  std::uint32_t* words_;
};

// One thread's part of a row. Call group(), add_beta() and add_phi() in this order, with barriers in between
// and all counters 0 before each. Value holds S(x) and the number of a pair plus 1.
template <class Value>
class BoomerangThread {
 public:
  // `before` belongs to the block and has 2^(bits - 1) entries.
  FUGU_HD BoomerangThread(const Value* values, int bits, std::uint32_t a, Value* before, unsigned thread,
                          unsigned threads)
      : values_(values),
        before_(before),
        pairs_(std::uint32_t{1} << (bits - 1)),
        a_(a),
        highest_(highest_bit(a)),
        thread_(thread),
        threads_(threads) {}

  // Groups the pairs by means of 2^bits counters, which then hold the last pair of each group. Returns false
  // if some d is 0, which no permutation has.
  template <class Counters>
  FUGU_HD bool group(const Counters& last) const {
    bool nonzero = true;
    for (std::uint32_t pair = thread_; pair < pairs_; pair += threads_) {
      const std::uint32_t d = difference(pair_member(pair, highest_));
      nonzero &= d != 0;
      before_[pair] = static_cast<Value>(last.exchange(d, pair + 1));
    }
    return nonzero;
  }

  // Adds beta / 2 to 2^bits counters.
  template <class Counters>
  FUGU_HD void add_beta(const Counters& half_beta) const {
    for (std::uint32_t pair = thread_; pair < pairs_; pair += threads_) {
      const std::uint32_t x = pair_member(pair, highest_);
      const std::uint32_t d = difference(x);
      half_beta.add(d, 1);
      for_each_earlier(pair, [&](std::uint32_t other) {
        const std::uint32_t b = value(x) ^ value(pair_member(other, highest_));
        half_beta.add(b, 2);
        half_beta.add(b ^ d, 2);
      });
    }
  }

  // Adds phi / 4 to 2^(bits - 1) counters.
  template <class Counters>
  FUGU_HD void add_phi(const Counters& quarter_phi) const {
    for (std::uint32_t pair = thread_; pair < pairs_; pair += threads_)
      for_each_earlier(pair, [&](std::uint32_t other) { quarter_phi.add(pair ^ other, 1); });
  }

 private:
  FUGU_HD std::uint32_t value(std::uint32_t x) const { return values_[x]; }
  FUGU_HD std::uint32_t difference(std::uint32_t x) const { return value(x) ^ value(x ^ a_); }

  template <class Visit>
  FUGU_HD void for_each_earlier(std::uint32_t pair, Visit visit) const {
    for (std::uint32_t next = before_[pair]; next != 0; next = before_[next - 1]) visit(next - 1);
  }

  const Value* values_;
  Value* before_;  // for each pair: the number of the previous pair of its group plus 1, or 0
  std::uint32_t pairs_;
  std::uint32_t a_;
  int highest_;
  unsigned thread_;
  unsigned threads_;
};

}  // namespace fugu::kernels
