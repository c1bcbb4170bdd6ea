// The CUDA engines when CUDA calls fail, and what they leave in memory. Needs a build with
// FUGU_FAULT_INJECTION.
#include <algorithm>

#include "engine_cuda/support.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/fault.hpp"
#include "fugu/device/inspection.hpp"
#include "fugu/error.hpp"
#include "support/gpu.hpp"

namespace fugu::engine {
namespace {

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

// What stands in memory of GPU 0 or of the host, read as an attacker would: from outside the engine.
class Reader {
 public:
  std::size_t nonzero_bytes(const device::HeldMemory& memory) {
    seen_.assign(memory.data, memory.data + (memory.place == device::Place::pinned ? memory.bytes : 0));
    if (memory.place == device::Place::device) {
      seen_.resize(memory.bytes);
      context_.synchronize();
      device::copy_to_host(std::span(seen_), device::DeviceSpan<const std::byte>{memory.data, memory.bytes},
                           stream_);
      stream_.synchronize();
    }
    return seen_.size() - static_cast<std::size_t>(std::ranges::count(seen_, std::byte{0}));
  }

 private:
  device::Context context_{0};
  device::Stream stream_{context_};
  std::vector<std::byte> seen_;
};

// Every operation, with keys, from pinned memory and through staging memory.
void work_with_secrets(Engine& engine, const Chunk& pinned, std::vector<std::byte>& pageable) {
  for (const Op op : kOps) {
    const Segment segments[] = {segment_of(pageable, pageable, 3),
                                segment_of(pinned.span(), pinned.span(), 4)};
    engine.run(op, segments);
  }
}

TEST(CudaSecrets, are_gone_from_all_memory_of_an_engine_that_lives) {
  FUGU_NEED_GPU(1);
  if (!device::fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  Reader reader;
  const auto engine = make("cuda:0");
  const Chunk pinned = engine->allocate(kSlice);
  std::vector<std::byte> pageable(kSlice + 800);
  fill_random(pinned.span(), 1);
  fill_random(pageable, 2);
  work_with_secrets(*engine, pinned, pageable);
  std::size_t read_bytes = 0;
  for (const device::HeldMemory& memory : device::held_memory()) {
    if (memory.data == pinned.data()) continue;  // the caller's
    EXPECT_EQ(reader.nonzero_bytes(memory), 0u)
        << memory.bytes << " bytes, " << (memory.place == device::Place::device ? "device" : "pinned");
    read_bytes += memory.bytes;
  }
  EXPECT_GT(read_bytes, kSlice) << "slices, tables and staging memory were to be looked at";
}

// Whether a run whose Nth CUDA call fails is an error: some only ask a question that a failure answers as
// well.
bool fails_at(std::uint64_t call, Engine& engine, const Chunk& pinned, std::vector<std::byte>& pageable) {
  device::inject_fault(call, device::Fault::launch_failure, false);
  bool failed = false;
  try {
    work_with_secrets(engine, pinned, pageable);
  } catch (const Error&) {
    failed = true;
  }
  device::clear_fault();
  return failed;
}

TEST(CudaSecrets, are_gone_from_memory_that_is_given_back) {
  FUGU_NEED_GPU(1);
  if (!device::fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  Reader reader;
  std::size_t left = 0;
  std::size_t released_bytes = 0;
  {
    const auto engine = make("cuda:0");
    const Chunk pinned = engine->allocate(kSlice);
    std::vector<std::byte> pageable(kSlice + 800);
    fill_random(pinned.span(), 1);
    fill_random(pageable, 2);
    device::on_release([&](const device::HeldMemory& memory) {
      left += reader.nonzero_bytes(memory);
      released_bytes += memory.bytes;
    });
    std::uint64_t call = 200;  // amidst the slices: what is released then has just been in use
    while (!fails_at(call, *engine, pinned, pageable)) ++call;
    EXPECT_GT(released_bytes, kSlice) << "an engine that failed gives its memory back";
    work_with_secrets(*engine, pinned, pageable);
  }
  device::on_release({});
  EXPECT_EQ(left, 0u);
  EXPECT_GT(released_bytes, 3 * kSlice) << "the pinned chunk too";
  EXPECT_TRUE(device::held_memory().empty());
}

}  // namespace
}  // namespace fugu::engine
