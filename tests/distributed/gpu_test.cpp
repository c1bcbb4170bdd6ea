// Transforms over the GPUs of several ranks are compared bit by bit with one GPU, and with closed forms if no
// GPU holds all values. FUGU_GPU_LOG2_SIZE is the largest order, 30 by default.
#include "fugu/distributed/gpu.hpp"

#include "distributed/support.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::distributed {
namespace {

using device::Buffer;
using device::Contents;
using device::DeviceSpan;
using Value = std::int32_t;

constexpr std::size_t kAtATime = std::size_t{1} << 26;

// Returns -1, 0 or 1, as if at random.
Value value_at(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<Value>((x ^ (x >> 31)) % 3) - 1;
}

// Calls work(i) for all i below count, on all processors.
template <class Work>
void in_parallel(std::size_t count, Work work) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency() / 2);
  std::vector<std::jthread> all;
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([=] {
      for (std::size_t i = count * t / threads; i < count * (t + 1) / threads; ++i) work(i);
    });
}

class Gpus : public testing::TestWithParam<GpuRanks::By> {
 protected:
  // Ranks share a GPU where there are fewer, but not with NCCL.
  void SetUp() override {
    const int gpus = static_cast<int>(device::inventory().devices.size());
    const NodePlace place = place_on_node(world(), 1, 1);
    const int wanted = GetParam() == GpuRanks::By::nccl ? world().size() : 1;
    if (world().size() < 2 || gpus < wanted)
      GTEST_SKIP() << world().size() << " ranks and " << gpus << " GPUs; needs two ranks and " << wanted
                   << " GPUs";
    context_ = std::make_unique<device::Context>(place.rank % gpus);
    ranks_ = std::make_unique<GpuRanks>(world(), *context_, GetParam());
    stream_ = std::make_unique<device::Stream>(*context_);
    host_ = device::PinnedBuffer<Value>(*context_, kAtATime);
    other_ = device::PinnedBuffer<Value>(*context_, kAtATime);
  }

  static int largest() {
    const char* given = std::getenv("FUGU_GPU_LOG2_SIZE");
    return given != nullptr ? std::atoi(given) : 30;
  }

  // Writes the values make(first + i).
  template <class Make>
  void fill(DeviceSpan<Value> data, std::uint64_t first, Make make) {
    const std::span<Value> host = host_.span().first(std::min(kAtATime, data.size));
    for (std::size_t at = 0; at < data.size; at += host.size()) {
      in_parallel(host.size(), [=](std::size_t i) { host[i] = make(first + at + i); });
      device::copy_to_device(data.subspan(at, host.size()), std::span<const Value>(host), *stream_);
      stream_->synchronize();
    }
  }

  // Returns how many of `data` differ from make(first + i).
  template <class Make>
  std::uint64_t differing(DeviceSpan<const Value> data, std::uint64_t first, Make make) {
    const std::span<Value> host = host_.span().first(std::min(kAtATime, data.size));
    std::atomic<std::uint64_t> wrong = 0;
    for (std::size_t at = 0; at < data.size; at += host.size()) {
      device::copy_to_host(host, DeviceSpan<const Value>{data.data + at, host.size()}, *stream_);
      stream_->synchronize();
      in_parallel(host.size(), [=, &wrong](std::size_t i) {
        if (host[i] != make(first + at + i)) wrong.fetch_add(1, std::memory_order_relaxed);
      });
    }
    return wrong;
  }

  // Returns how many values of two places in device memory differ.
  std::uint64_t differing(DeviceSpan<const Value> a, DeviceSpan<const Value> b) {
    std::uint64_t wrong = 0;
    const std::span<Value> other = other_.span().first(std::min(kAtATime, a.size));
    for (std::size_t at = 0; at < a.size; at += other.size()) {
      device::copy_to_host(other, DeviceSpan<const Value>{a.data + at, other.size()}, *stream_);
      stream_->synchronize();
      wrong += differing({b.data + at, other.size()}, 0, [=](std::uint64_t i) { return other[i]; });
    }
    return wrong;
  }

  std::unique_ptr<device::Context> context_;
  std::unique_ptr<GpuRanks> ranks_;
  std::unique_ptr<device::Stream> stream_;
  device::PinnedBuffer<Value> host_;
  device::PinnedBuffer<Value> other_;
};

// Transforms slabs to interleaved values, which each rank compares with the whole transform on its own GPU,
// and back.
TEST_P(Gpus, TransformIsWhatOneGpuComputes) {
  for (const int n : {20, 24, 27, 30, 33}) {
    if (n > largest() ||
        log2_gpu_ranks(n, world().size()) != std::countr_zero(static_cast<unsigned>(world().size())))
      continue;
    SCOPED_TRACE(n);
    const Split split = gpu_split_of(world(), n, sizeof(Value));
    const std::uint64_t first = static_cast<std::uint64_t>(world().rank()) * split.local_values();
    const Buffer<Value> mine(*stream_, split.local_values(), Contents::open);
    const Buffer<Value> whole(*stream_, std::size_t{1} << n, Contents::open);
    fill(mine.span(), first, value_at);
    fill(whole.span(), 0, value_at);
    walsh(*ranks_, mine.span(), n);
    spectral::cuda::walsh(whole.span(), n, spectral::Ordering::natural, *stream_);
    stream_->synchronize();
    std::uint64_t wrong = 0;
    for (const auto& run : interleaved_runs(split, world().rank()))
      wrong +=
          differing(mine.span().subspan(run.local, run.values), whole.span().subspan(run.global, run.values));
    EXPECT_EQ(wrong, 0U);
    walsh(*ranks_, mine.span(), n);  // 2^n f, modulo 2^32
    const auto scale = n < 32 ? std::uint32_t{1} << n : 0U;
    EXPECT_EQ(differing(mine.span(), first,
                        [=](std::uint64_t x) {
                          return static_cast<Value>(static_cast<std::uint32_t>(value_at(x)) * scale);
                        }),
              0U);
  }
}

// f = sum of c_i at d_i has W(a) = sum of c_i (-1)^(a . d_i).
TEST_P(Gpus, FewPointsHaveTheirClosedForm) {
  const int n = largest();
  const std::uint64_t all = (std::uint64_t{1} << n) - 1;
  const std::uint64_t points[] = {1, 0x5555555555555555U & all, 0x123456789abcdefU & all, all};
  constexpr Value kWeights[] = {1, 2, 4, 8};  // each sum has its own signs
  const Split split = gpu_split_of(world(), n, sizeof(Value));
  const std::uint64_t first = static_cast<std::uint64_t>(world().rank()) * split.local_values();
  const Buffer<Value> mine(*stream_, split.local_values(), Contents::open);
  device::wipe(mine.span(), *stream_);
  for (std::size_t i = 0; i < std::size(points); ++i) {
    if (points[i] < first || points[i] >= first + split.local_values()) continue;
    device::copy_to_device(mine.span().subspan(points[i] - first, 1), std::span<const Value>(&kWeights[i], 1),
                           *stream_);
  }
  stream_->synchronize();
  walsh(*ranks_, mine.span(), n);
  const auto spectrum = [=](std::uint64_t a) {
    Value sum = 0;
    for (std::size_t i = 0; i < std::size(points); ++i)
      sum += std::popcount(a & points[i]) % 2 == 0 ? kWeights[i] : -kWeights[i];
    return sum;
  };
  std::uint64_t wrong = 0;
  for (const auto& run : interleaved_runs(split, world().rank()))
    wrong += differing(mine.span().subspan(run.local, run.values), run.global, spectrum);
  EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Links, Gpus, testing::Values(GpuRanks::By::fastest, GpuRanks::By::nccl),
                         [](const auto& test) {
                           return test.param == GpuRanks::By::nccl ? "nccl" : "copies";
                         });

}  // namespace
}  // namespace fugu::distributed
