// Conditions that a measurement must meet before its figure is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/device/device.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli::bench {

// Throws Error{mismatch} naming the first byte that differs. `pool` compares in parallel.
void require_same(std::span<const std::byte> expected, std::span<const std::byte> got,
                  threads::ThreadPool& pool);

// Throws Error{engine} for a time that is not positive or below `floor_seconds`.
void require_possible(double seconds, double floor_seconds);

// The least time in which a device can do Blowfish's look-ups: 64 words per block (16 rounds of 4 S-boxes),
// one per clock for each of the 32 shared-memory banks of every multiprocessor, at its highest clock.
double blowfish_floor_seconds(const device::DeviceInfo& device, std::uint64_t bytes);

// The least time in which `bytes` cross a link that has carried `fastest_bytes_per_second` in one direction.
// Since that is also a measurement, 5 % are allowed for its error.
double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes);

}  // namespace fugu::cli::bench
