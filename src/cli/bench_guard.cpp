#include "bench_guard.hpp"

#include <fmt/format.h>

#include "bench_bytes.hpp"
#include "fugu/core/block.hpp"
#include "fugu/error.hpp"

namespace fugu::cli::bench {

void require_same(std::span<const std::byte> expected, std::span<const std::byte> got,
                  threads::ThreadPool& pool) {
  if (expected.size() != got.size()) {
    throw Error(Errc::mismatch,
                fmt::format("the output has {} bytes instead of {}", got.size(), expected.size()));
  }
  if (const auto at = first_difference(expected, got, pool)) {
    throw Error(Errc::mismatch,
                fmt::format("the output is wrong at byte {} of {}; nothing of it counts", *at, got.size()));
  }
}

void require_possible(double seconds, double floor_seconds) {
  if (seconds > 0 && seconds >= floor_seconds) return;
  throw Error(Errc::engine,
              fmt::format("{:.9f} s is less than the {:.9f} s that the hardware needs at least: "
                          "not all of the work was timed",
                          seconds, floor_seconds));
}

double blowfish_floor_seconds(const device::DeviceInfo& device, std::uint64_t bytes) {
  constexpr double kLookUpsPerBlock = 64;
  constexpr double kBanks = 32;
  const double look_ups = kLookUpsPerBlock * static_cast<double>(bytes) / core::kBlockBytes;
  const double per_second = kBanks * device.multiprocessors * 1e3 * device.clock_khz;
  return look_ups / per_second;
}

double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes) {
  constexpr double kMeasuredShort = 1.05;
  return static_cast<double>(bytes) / (kMeasuredShort * fastest_bytes_per_second);
}

}  // namespace fugu::cli::bench
