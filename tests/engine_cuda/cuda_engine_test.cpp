// The CUDA engines against the CPU engine, around every border a call is cut at, and under injected faults.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "fugu/device/context.hpp"
#include "fugu/device/fault.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "support/gpu.hpp"

namespace fugu::engine {
namespace {

constexpr Op kOps[] = {Op::ecb_encrypt, Op::ecb_decrypt, Op::ctr, Op::cbc_decrypt, Op::cfb_decrypt};
constexpr std::size_t kSlice = std::size_t{8} << 20;

void fill_random(std::span<std::byte> data, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    const std::uint64_t word = generator();
    std::memcpy(data.data() + i, &word, 8);
  }
}

const cipher::Schedule& key(std::size_t i) {
  static const auto schedules = [] {
    std::vector<cipher::Schedule> made(70);
    for (std::size_t k = 0; k < made.size(); ++k)
      cipher::expand(std::vector<std::byte>(8 + k % 40, static_cast<std::byte>(k + 1)), made[k]);
    return made;
  }();
  return schedules[i % schedules.size()];
}

Segment segment_of(std::span<const std::byte> in, std::span<std::byte> out, std::size_t key_index) {
  Segment segment;
  segment.schedule = &key(key_index);
  segment.iv = 0xfffffffffff00000u + key_index;
  segment.first_block = 77;
  segment.in = in;
  segment.out = out;
  return segment;
}

std::unique_ptr<Engine> cpu() {
  return make("auto");
}

// One segment, out of place into `out_memory` or in place, against the CPU engine.
void check_one(Engine& gpu, Op op, std::span<std::byte> memory, std::span<std::byte> out_memory,
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

class CudaEngine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { FUGU_NEED_GPU(1); }
  static std::unique_ptr<Engine> gpu() { return make(GetParam()); }
};

TEST_P(CudaEngine, sizes_around_every_border) {
  if (IsSkipped()) return;
  const auto engine = gpu();
  const Chunk in = engine->allocate(3 * kSlice + 64);
  const Chunk out = engine->allocate(3 * kSlice + 64);
  for (const std::size_t border :
       {std::size_t{0}, std::size_t{1024}, std::size_t{128} << 10, kSlice, 3 * kSlice})
    for (const int blocks : {-3, -2, -1, 0, 1, 2, 3}) {
      if (border == 0 && blocks <= 0) continue;
      const std::size_t bytes = border + static_cast<std::size_t>(blocks + 8) * 8 - 64;
      for (const Op op : kOps)
        for (const bool in_place : {false, true})
          ASSERT_NO_FATAL_FAILURE(
              check_one(*engine, op, in.span().first(bytes), out.span().first(bytes), in_place,
                        blocks % 2 == 0 ? core::ByteOrder::big : core::ByteOrder::little));
    }
}

TEST_P(CudaEngine, pageable_and_misaligned_memory) {
  if (IsSkipped()) return;
  const auto engine = gpu();
  std::vector<std::byte> in(2 * kSlice + 100);
  std::vector<std::byte> out(in.size());
  for (const std::size_t misaligned : {0u, 1u, 7u, 8u, 13u})
    for (const Op op : kOps)
      for (const bool in_place : {false, true})
        ASSERT_NO_FATAL_FAILURE(check_one(*engine, op, std::span(in).subspan(misaligned, 2 * kSlice + 80),
                                          std::span(out).subspan(misaligned, 2 * kSlice + 80), in_place,
                                          core::ByteOrder::big));
}

// More keys than one launch or one slot's tables hold, of sizes that are packed and sizes that are copied
// directly.
TEST_P(CudaEngine, segments_with_keys_of_their_own) {
  if (IsSkipped()) return;
  const auto engine = gpu();
  const Chunk memory = engine->allocate(std::size_t{40} << 20);
  std::vector<std::byte> want(memory.size());
  for (const Op op : kOps) {
    fill_random(memory.span(), 5);
    std::vector<Segment> segments;
    std::size_t at = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t bytes = 8 * (i % 7 == 0 ? 20000 + i : 1 + i * 31 % 4000);
      segments.push_back(segment_of(memory.span().subspan(at, bytes), std::span(want).subspan(at, bytes), i));
      at += bytes + i % 3;  // odd gaps: nothing is aligned
    }
    ASSERT_LE(at, memory.size());
    cpu()->run(op, segments);
    for (Segment& segment : segments)
      segment.out = {const_cast<std::byte*>(segment.in.data()), segment.in.size()};
    engine->run(op, segments);
    for (const Segment& segment : segments) {
      const auto offset = static_cast<std::size_t>(segment.out.data() - memory.data());
      ASSERT_EQ(0, std::memcmp(segment.out.data(), want.data() + offset, segment.out.size())) << offset;
    }
  }
}

TEST_P(CudaEngine, calls_from_many_threads) {
  if (IsSkipped()) return;
  const auto engine = gpu();
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&engine, &wrong, t] {
      std::vector<std::byte> data((t + 1) * 300000 * 8);
      std::vector<std::byte> want(data.size());
      fill_random(data, t);
      Segment segment = segment_of(data, want, t);
      make("cpu/scalar", {.threads = 1})->run(Op::cbc_decrypt, {&segment, 1});
      segment.out = data;
      engine->run(Op::cbc_decrypt, {&segment, 1});
      if (data != want) ++wrong;
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

// FUGU_SOAK_BLOCKS sets how many; tools/gpu_check asks for 10^10.
TEST_P(CudaEngine, random_blocks_against_the_cpu_engine) {
  if (IsSkipped()) return;
  const char* asked = std::getenv("FUGU_SOAK_BLOCKS");
  const std::uint64_t total = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 50'000'000;
  const auto engine = gpu();
  const auto reference = cpu();
  const Chunk data = engine->allocate(std::size_t{256} << 20);
  const Chunk want = engine->allocate(data.size());
  fill_random(data.span(), 1);
  std::uint64_t done = 0;
  for (std::size_t round = 0; done < total; ++round) {
    const Op op = kOps[round % 5];
    Segment segment = segment_of(data.span(), want.span(), round);
    reference->run(op, {&segment, 1});
    segment.out = data.span();  // this round's output is the next one's input
    engine->run(op, {&segment, 1});
    ASSERT_EQ(0, std::memcmp(data.data(), want.data(), data.size())) << "round " << round;
    done += data.size() / 8;
  }
  RecordProperty("blocks", std::to_string(done));
}

TEST_P(CudaEngine, leaves_nothing_behind) {
  if (IsSkipped()) return;
  {
    const auto engine = gpu();
    const Chunk chunk = engine->allocate(kSlice);
    Segment segment = segment_of(chunk.span(), chunk.span(), 1);
    engine->run(Op::ctr, {&segment, 1});
    EXPECT_GT(device::process_stats().live_device_bytes, 0u);
  }
  const device::Stats stats = device::process_stats();
  EXPECT_EQ(stats.live_device_bytes, 0u);
  EXPECT_EQ(stats.live_pinned_bytes, 0u);
  EXPECT_EQ(stats.live_streams, 0u);
  EXPECT_EQ(stats.live_events, 0u);
}

// A call long enough that the GPU starts in its midst: whoever did which part, the bytes are the CPU
// engine's.
TEST(AutoEngineGpu, gives_the_same_bytes) {
  FUGU_NEED_GPU(1);
  const auto engine = make("auto", {.threads = 1});
  const Chunk memory = engine->allocate(std::size_t{3} << 30);
  std::vector<std::byte> want(memory.size());
  fill_random(memory.span(), 8);
  for (const Op op : {Op::cbc_decrypt, Op::ctr}) {
    Segment segment = segment_of(memory.span(), want, 9);
    cpu()->run(op, {&segment, 1});
    segment.out = memory.span();
    engine->run(op, {&segment, 1});
    ASSERT_EQ(0, std::memcmp(memory.data(), want.data(), want.size())) << static_cast<int>(op);
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, CudaEngine, testing::Values("cuda:0", "cuda:all"),
                         [](const auto& which) { return std::string(which.param).substr(5); });

TEST(CudaEngines, each_gpu_by_its_number) {
  FUGU_NEED_GPU(2);
  for (const device::DeviceInfo& info : device::inventory().devices) {
    const auto engine = make("cuda:" + std::to_string(info.index));
    std::vector<std::byte> data(100000 * 8);
    ASSERT_NO_FATAL_FAILURE(check_one(*engine, Op::cbc_decrypt, data, {}, true, core::ByteOrder::big));
  }
}

TEST(CudaEngines, one_that_is_not_there_says_why) {
  for (const char* name : {"cuda:99", "cuda:"}) {
    try {
      make(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), device::inventory().devices.empty() ? Errc::no_device : Errc::usage)
          << error.text();
    }
  }
}

struct FaultCase {
  device::Fault fault;
  bool sticky;
};

class CudaFault : public testing::TestWithParam<FaultCase> {};

// A whole life of an engine with the Nth CUDA call failing, for every N until a life has no Nth call. An
// error or the right bytes; never wrong bytes, never anything left behind.
TEST_P(CudaFault, at_every_call) {
  FUGU_NEED_GPU(1);
  if (!device::fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  std::vector<std::byte> pageable(kSlice + 800);
  std::vector<std::byte> want(pageable.size());
  std::vector<std::byte> original(pageable.size());
  fill_random(original, 3);
  Segment reference = segment_of(original, want, 3);
  cpu()->run(Op::cbc_decrypt, {&reference, 1});
  std::uint64_t failures = 0;
  for (std::uint64_t call = 1;; ++call) {
    pageable = original;
    bool failed = false;
    device::inject_fault(call, GetParam().fault, GetParam().sticky);
    try {
      const auto engine = make("cuda:0");
      const Chunk pinned = engine->allocate(pageable.size());
      std::copy(original.begin(), original.end(), pinned.data());
      Segment segments[] = {segment_of(pageable, pageable, 3), segment_of(pinned.span(), pinned.span(), 3)};
      engine->run(Op::cbc_decrypt, segments);
      ASSERT_EQ(pageable, want) << "call " << call;
      ASSERT_EQ(0, std::memcmp(pinned.data(), want.data(), want.size())) << "call " << call;
    } catch (const Error& error) {
      failed = true;
      ASSERT_TRUE(error.code() == Errc::engine || error.code() == Errc::no_device) << error.text();
    }
    const bool reached = device::counted_calls() >= call;
    device::clear_fault();
    const device::Stats stats = device::process_stats();
    ASSERT_EQ(stats.live_device_bytes + stats.live_pinned_bytes + stats.live_streams + stats.live_events, 0u)
        << "call " << call;
    failures += failed ? 1 : 0;
    if (!reached) break;
  }
  EXPECT_GT(failures, 30u);
  RecordProperty("failed_lives", std::to_string(failures));
}

INSTANTIATE_TEST_SUITE_P(Gpu, CudaFault,
                         testing::Values(FaultCase{device::Fault::out_of_memory, false},
                                         FaultCase{device::Fault::launch_failure, false},
                                         FaultCase{device::Fault::lost_device, true}),
                         [](const auto& which) {
                           return std::string(which.index == 0   ? "out_of_memory"
                                              : which.index == 1 ? "launch_failure"
                                                                 : "lost_device");
                         });

}  // namespace
}  // namespace fugu::engine
