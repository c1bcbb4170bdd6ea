#include "measure/guard.hpp"

#include <string>

#include "fugu/core/block.hpp"
#include "fugu/error.hpp"
#include "measure/bytes.hpp"

namespace fugu::cli::bench {

void require_same(std::span<const std::byte> expected, std::span<const std::byte> got,
                  threads::ThreadPool& pool) {
  if (expected.size() != got.size()) {
    throw Error(Errc::mismatch, "the output has " + std::to_string(got.size()) + " bytes instead of " +
                                    std::to_string(expected.size()));
  }
  if (const auto at = first_difference(expected, got, pool)) {
    throw Error(Errc::mismatch, "the output is wrong at byte " + std::to_string(*at) + " of " +
                                    std::to_string(got.size()) + "; no figure comes of it");
  }
}

void require_possible(double seconds, double floor_seconds) {
  if (seconds > 0 && seconds >= floor_seconds) return;
  throw Error(Errc::engine, std::to_string(1e6 * seconds) + " us is less than the " +
                                std::to_string(1e6 * floor_seconds) +
                                " us that the hardware needs at least: not all of the work was timed");
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
