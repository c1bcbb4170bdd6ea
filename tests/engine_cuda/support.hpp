// The common part of the tests of the CUDA engines: keys, data, and the CPU engine they are compared with.
#pragma once

#include <cstring>

#include "fugu/engine/registry.hpp"
#include "support/testing.hpp"

namespace fugu::engine {

inline constexpr Op kOps[] = {Op::ecb_encrypt, Op::ecb_decrypt, Op::ctr, Op::cbc_decrypt, Op::cfb_decrypt};
inline constexpr std::size_t kSlice = std::size_t{8} << 20;

inline void fill_random(std::span<std::byte> data, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    const std::uint64_t word = generator();
    std::memcpy(data.data() + i, &word, 8);
  }
}

inline const cipher::Schedule& key(std::size_t i) {
  static const auto schedules = [] {
    std::vector<cipher::Schedule> made(70);
    for (std::size_t k = 0; k < made.size(); ++k)
      cipher::expand(std::vector<std::byte>(8 + k % 40, static_cast<std::byte>(k + 1)), made[k]);
    return made;
  }();
  return schedules[i % schedules.size()];
}

inline Segment segment_of(std::span<const std::byte> in, std::span<std::byte> out, std::size_t key_index) {
  Segment segment;
  segment.schedule = &key(key_index);
  segment.iv = 0xfffffffffff00000u + key_index;
  segment.first_block = 77;
  segment.in = in;
  segment.out = out;
  return segment;
}

// Returns the best engine of the CPU, never "auto", which may choose the GPU that it is compared with.
inline std::unique_ptr<Engine> cpu() {
  for (const EngineInfo& engine : list())
    if (engine.available && engine.name.starts_with("cpu/")) return make(engine.name);
  throw Error(Errc::engine, "no CPU engine");
}

// Compares one segment, in place or to `out_memory`, with the CPU engine.
inline void check_one(Engine& gpu, Op op, std::span<std::byte> memory, std::span<std::byte> out_memory,
                      bool in_place, core::ByteOrder order) {
  fill_random(memory, memory.size());
  std::vector<std::byte> want(memory.size());
  Segment segment = segment_of(memory, want, memory.size());
  segment.words = order;
  segment.counter = order;
  cpu()->run(op, {&segment, 1});
  segment.out = in_place ? memory : out_memory;
  gpu.run(op, {&segment, 1});
  ASSERT_EQ(0, std::memcmp(segment.out.data(), want.data(), want.size()))
      << "op " << static_cast<int>(op) << ", " << memory.size() << " bytes" << (in_place ? ", in place" : "");
}

}  // namespace fugu::engine
