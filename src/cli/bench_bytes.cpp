#include "bench_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>

#include "fugu/auth/random.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// work(offset, size) over pieces of `bytes`; the first exception comes out.
void for_each_piece(std::size_t bytes, ThreadPool& pool,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  pool.for_each((bytes + kPieceBytes - 1) / kPieceBytes, [&](std::size_t i) {
    try {
      work(i * kPieceBytes, std::min(kPieceBytes, bytes - i * kPieceBytes));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void lower(std::atomic<std::size_t>& least, std::size_t value) {
  std::size_t seen = least.load();
  while (value < seen && !least.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

void fill_random(std::span<std::byte> out, ThreadPool& pool) {
  for_each_piece(out.size(), pool,
                 [&](std::size_t at, std::size_t size) { auth::random_bytes(out.subspan(at, size)); });
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool) {
  for_each_piece(from.size(), pool, [&](std::size_t at, std::size_t size) {
    std::memcpy(to.data() + at, from.data() + at, size);
  });
}

std::optional<std::size_t> first_difference(std::span<const std::byte> a, std::span<const std::byte> b,
                                            ThreadPool& pool) {
  std::atomic<std::size_t> least = a.size();
  for_each_piece(a.size(), pool, [&](std::size_t at, std::size_t size) {
    if (std::memcmp(a.data() + at, b.data() + at, size) == 0) return;
    const auto differs = std::ranges::mismatch(a.subspan(at, size), b.subspan(at, size));
    lower(least, static_cast<std::size_t>(differs.in1 - a.subspan(at, size).begin()) + at);
  });
  return least == a.size() ? std::nullopt : std::optional(least.load());
}

}  // namespace fugu::cli::bench
