#include "measure/bytes.hpp"

#include <cstring>
#include <string>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kBytesAtATime = std::size_t{1} << 20;

}  // namespace

void fill_random(std::span<std::byte> out, ThreadPool& pool) {
  pool.for_ranges(out.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    auth::random_bytes(out.subspan(first, last - first));
  });
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool) {
  pool.for_ranges(from.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    std::memcpy(to.data() + first, from.data() + first, last - first);
  });
}

void require_same(std::span<const std::byte> expected, std::span<const std::byte> got, ThreadPool& pool) {
  const std::string size = std::to_string(got.size());
  if (expected.size() != got.size())
    throw Error(Errc::mismatch,
                "the output has " + size + " bytes instead of " + std::to_string(expected.size()));
  pool.for_ranges(got.size(), kBytesAtATime, [&](std::size_t first, std::size_t last) {
    if (std::memcmp(expected.data() + first, got.data() + first, last - first) == 0) return;
    while (expected[first] == got[first]) ++first;
    throw Error(Errc::mismatch, "the output is wrong at byte " + std::to_string(first) + " of " + size +
                                    "; no figure comes of it");
  });
}

}  // namespace fugu::cli::bench
