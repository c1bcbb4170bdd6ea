#include "measure/bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/pieces.hpp"

namespace fugu::cli::bench {
namespace {

void lower(std::atomic<std::size_t>& least, std::size_t value) {
  std::size_t seen = least.load();
  while (value < seen && !least.compare_exchange_weak(seen, value)) {
  }
}

// The index of the first byte that differs, or the size.
std::size_t first_difference(std::span<const std::byte> a, std::span<const std::byte> b, ThreadPool& pool) {
  std::atomic<std::size_t> least = a.size();
  threads::for_each_piece(pool, a.size(), [&](std::size_t at, std::size_t size) {
    if (std::memcmp(a.data() + at, b.data() + at, size) == 0) return;
    const auto differs = std::ranges::mismatch(a.subspan(at, size), b.subspan(at, size));
    lower(least, static_cast<std::size_t>(differs.in1 - a.subspan(at, size).begin()) + at);
  });
  return least;
}

}  // namespace

void fill_random(std::span<std::byte> out, ThreadPool& pool) {
  threads::for_each_piece(
      pool, out.size(), [&](std::size_t at, std::size_t size) { auth::random_bytes(out.subspan(at, size)); });
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool) {
  threads::for_each_piece(pool, from.size(), [&](std::size_t at, std::size_t size) {
    std::memcpy(to.data() + at, from.data() + at, size);
  });
}

void require_same(std::span<const std::byte> expected, std::span<const std::byte> got, ThreadPool& pool) {
  const std::string size = std::to_string(got.size());
  if (expected.size() != got.size())
    throw Error(Errc::mismatch,
                "the output has " + size + " bytes instead of " + std::to_string(expected.size()));
  if (const std::size_t at = first_difference(expected, got, pool); at != got.size())
    throw Error(Errc::mismatch, "the output is wrong at byte " + std::to_string(at) + " of " + size +
                                    "; no figure comes of it");
}

}  // namespace fugu::cli::bench
