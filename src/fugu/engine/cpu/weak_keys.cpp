#include "fugu/engine/cpu/weak_keys.hpp"

#include <iterator>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::engine::cpu {
namespace {

constexpr std::uint64_t kPieceKeys = 4096;  // an eighth of a second

}  // namespace

std::vector<cipher::WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count,
                                            threads::ThreadPool& pool,
                                            const std::function<void(std::uint64_t keys)>& done) {
  const std::uint64_t pieces = count / kPieceKeys + (count % kPieceKeys != 0 ? 1 : 0);
  if (!std::in_range<std::size_t>(pieces)) throw Error(Errc::usage, "too many keys for a 32-bit program");
  std::mutex merging;
  std::vector<cipher::WeakKey> all;
  pool.for_each(static_cast<std::size_t>(pieces), [&](std::size_t piece) {
    const std::uint64_t before = piece * kPieceKeys;
    const std::uint64_t keys = std::min(kPieceKeys, count - before);
    const auto found = cipher::find_weak_keys(first + before, keys);
    if (done) done(keys);
    const std::lock_guard lock(merging);
    std::ranges::copy(found, std::back_inserter(all));
  });
  std::ranges::sort(all);
  return all;
}

}  // namespace fugu::engine::cpu
