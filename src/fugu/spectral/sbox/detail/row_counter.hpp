// Counts the entries of one table row. Internal.
//
// Rows are long and mostly 0, so clearing and reading visit only the entries that were touched; above
// kMaxOutputsOfAll bits a row does not fit memory and a hash table holds those entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral::detail {

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

}  // namespace fugu::spectral::detail
