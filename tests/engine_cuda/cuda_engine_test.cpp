// Compares the CUDA engines with the CPU engine, with sizes around every border at which calls are cut.
#include <thread>

#include "engine_cuda/support.hpp"
#include "fugu/device/context.hpp"
#include "fugu/engine/cuda/cuda_engine.hpp"
#include "support/gpu.hpp"
#include "support/testing.hpp"

namespace fugu::engine {
namespace {

// The parameter is the number of GPUs that work together; 0 means all.
class CudaEngine : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { FUGU_NEED_GPU(std::max(1u, static_cast<unsigned>(GetParam()))); }

  static std::unique_ptr<Engine> gpu() {
    if (GetParam() == 0) return make("cuda:all");
    std::vector<int> devices(static_cast<std::size_t>(GetParam()));
    std::iota(devices.begin(), devices.end(), 0);
    return cuda::make_cuda_engine("some of the gpus", devices);
  }
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

// There are more keys than the tables of one launch or one slot hold. Some segments are packed, others copied
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
      at += bytes + i % 3;  // odd gaps, so that nothing is aligned
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

// Pinned segments have an odd number of blocks, and a block that is not the call's follows each of them.
TEST_P(CudaEngine, leaves_what_lies_between_segments_alone) {
  if (IsSkipped()) return;
  const auto engine = gpu();
  constexpr std::size_t kBytes = (std::size_t{256} << 10) + 8;
  const Chunk in = engine->allocate(4 * (kBytes + 8));
  const Chunk out = engine->allocate(in.size());
  fill_random(in.span(), 1);
  std::memset(out.data(), 0x5a, out.size());
  std::vector<Segment> segments;
  for (std::size_t at = 0; at < in.size(); at += kBytes + 8)
    segments.push_back(segment_of(in.span().subspan(at, kBytes), out.span().subspan(at, kBytes), 1));
  engine->run(Op::ecb_encrypt, segments);
  for (const Segment& segment : segments)
    for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(segment.out.data()[kBytes + i], std::byte{0x5a}) << i;
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

// The call is so long that the GPU starts during it. All bytes are those of the CPU engine, whoever computed
// them.
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

INSTANTIATE_TEST_SUITE_P(Gpu, CudaEngine, testing::Values(1, 2, 3, 0), [](const auto& gpus) {
  return gpus.param == 0 ? std::string("all") : std::to_string(gpus.param);
});

TEST(CudaEngines, each_gpu_by_its_number) {
  FUGU_NEED_GPU(2);
  for (const device::DeviceInfo& info : device::inventory().devices) {
    const auto engine = make("cuda:" + std::to_string(info.index));
    std::vector<std::byte> data(100000 * 8);
    ASSERT_NO_FATAL_FAILURE(check_one(*engine, Op::cbc_decrypt, data, {}, true, core::ByteOrder::big));
  }
}

TEST(CudaEngines, one_that_is_not_there_says_why) {
  const Errc expected = device::inventory().devices.empty() ? Errc::no_device : Errc::usage;
  for (const char* name : {"cuda:99", "cuda:"})
    EXPECT_EQ(test::code_of([&] { make(name); }), expected) << name;
}

}  // namespace
}  // namespace fugu::engine
