// CUDA calls of the CUDA engines fail, and memory is searched for what they leave there. Needs a build with
// FUGU_FAULT_INJECTION.
#include "engine_cuda/support.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/detail/inspection.hpp"
#include "support/gpu.hpp"

namespace fugu::engine {
namespace {

struct FaultCase {
  device::Fault fault;
  bool sticky;
};

class CudaFault : public testing::TestWithParam<FaultCase> {};

// Runs an engine from its making to its end with the Nth CUDA call failing, for every N up to the number of
// calls. The result is an error or the right bytes, never wrong bytes, and nothing is left behind.
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
    std::memcpy(pageable.data(), original.data(), original.size());
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

// A GPU that cannot start is left out with a note; one that fails later is an error. No bytes are ever wrong.
TEST_P(CudaFault, of_auto_at_its_start_and_later) {
  FUGU_NEED_GPU(1);
  if (!device::fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  std::vector<std::byte> original(std::size_t{4} << 20);
  std::vector<std::byte> want(original.size());
  fill_random(original, 3);
  const Segment reference = segment_of(original, want, 3);
  cpu()->run(Op::cbc_decrypt, {&reference, 1});
  choice::Calibration slow_cpu = choice::built_in();
  slow_cpu.engines = {{"cuda:0", 1e-12}};
  for (const EngineInfo& info : list())
    if (info.name.starts_with("cpu/")) slow_cpu.engines.push_back({info.name, 1});
  int notes = 0;
  int failures = 0;
  // Takes every call at the beginning of the start, and some of the many similar ones that follow.
  bool reached = true;
  for (std::uint64_t call = 1; reached; call += call < 64 ? 1 : 37) {
    std::string note;
    device::inject_fault(call, GetParam().fault, GetParam().sticky);
    try {
      const auto engine = make("auto", {.expected_bytes = original.size(),
                                        .calibration = slow_cpu,
                                        .note = [&](std::string_view text) { note += text; }});
      ASSERT_TRUE(note.empty() || engine->name() != "cuda:0") << "call " << call;
      const Chunk chunk = engine->allocate(original.size());
      std::memcpy(chunk.data(), original.data(), original.size());
      const Segment segment = segment_of(chunk.span(), chunk.span(), 3);
      engine->run(Op::cbc_decrypt, {&segment, 1});
      ASSERT_EQ(0, std::memcmp(chunk.data(), want.data(), want.size())) << "call " << call;
    } catch (const Error& error) {
      ++failures;
      ASSERT_EQ(error.code(), Errc::engine) << error.text();
    }
    if (!note.empty()) {
      ++notes;
      EXPECT_TRUE(note.starts_with("the GPU is not used: ")) << note;
    }
    reached = device::counted_calls() >= call;
    device::clear_fault();
    const device::Stats stats = device::process_stats();
    ASSERT_EQ(stats.live_device_bytes + stats.live_pinned_bytes + stats.live_streams + stats.live_events, 0u)
        << "call " << call;
  }
  EXPECT_GT(notes, 20);
  EXPECT_GT(failures, 0);
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

// Reads memory of GPU 0 or of the host as an attacker would, from outside the engine.
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

// Runs every operation with keys, from pinned memory and through staging memory.
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
    if (memory.data == pinned.data()) continue;  // it belongs to the caller
    EXPECT_EQ(reader.nonzero_bytes(memory), 0u)
        << memory.bytes << " bytes, " << (memory.place == device::Place::device ? "device" : "pinned");
    read_bytes += memory.bytes;
  }
  EXPECT_GT(read_bytes, kSlice) << "slices, tables and staging memory must be read";
}

// Returns whether a failure of the Nth CUDA call is an error. Some calls only ask a question, which a failure
// answers, too.
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
    std::uint64_t call = 200;  // within the slices, so that released memory has just been in use
    while (!fails_at(call, *engine, pinned, pageable)) ++call;
    EXPECT_GT(released_bytes, kSlice / 8) << "the thread that failed gives its slices back";
    work_with_secrets(*engine, pinned, pageable);
  }
  device::on_release({});
  EXPECT_EQ(left, 0u);
  EXPECT_GT(released_bytes, 2 * kSlice) << "the other threads' slices and the pinned chunk too";
  EXPECT_TRUE(device::held_memory().empty());
}

}  // namespace
}  // namespace fugu::engine
