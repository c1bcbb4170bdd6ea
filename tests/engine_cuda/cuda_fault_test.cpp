// CUDA calls of the CUDA engines fail, and memory is searched for what they leave there. Needs a build with
// FUGU_FAULT_INJECTION.
#include <algorithm>
#include <atomic>
#include <filesystem>

#include "engine_cuda/support.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/detail/fault.hpp"
#include "fugu/device/detail/inspection.hpp"
#include "fugu/engine/calibration.hpp"
#include "fugu/engine/cuda/auto_engine.hpp"
#include "fugu/engine/cuda/cuda_engine.hpp"
#include "fugu/error.hpp"
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

// A GPU engine that counts calls which decrypt; its calibration encrypts.
class Counted final : public cuda::PinningEngine {
 public:
  Counted(std::unique_ptr<cuda::PinningEngine> gpu, std::atomic<int>& decryptions)
      : gpu_(std::move(gpu)), decryptions_(decryptions) {}

  std::string_view name() const noexcept override { return gpu_->name(); }
  void run(Op op, std::span<const Segment> segments) override {
    if (op == Op::cbc_decrypt) ++decryptions_;
    gpu_->run(op, segments);
  }
  Chunk allocate(std::size_t bytes) override { return gpu_->allocate(bytes); }
  std::size_t preferred_chunk_bytes() const noexcept override { return gpu_->preferred_chunk_bytes(); }
  void pin(std::span<std::byte> memory) override { gpu_->pin(memory); }
  void unpin(std::span<std::byte> memory) noexcept override { gpu_->unpin(memory); }
  bool has_pinned(std::span<const Segment> segments) const override { return gpu_->has_pinned(segments); }

 private:
  std::unique_ptr<cuda::PinningEngine> gpu_;
  std::atomic<int>& decryptions_;
};

// One run of `auto`, whose GPU starts during its first call and then gets every call.
class AutoLife {
 public:
  explicit AutoLife(const std::string& calibration_path) {
    cuda::AutoSettings settings;
    settings.start = [this] {
      return cuda::Started{std::make_unique<Counted>(cuda::make_cuda_engine("cuda:all", {0}), decryptions_),
                           kMachine};
    };
    settings.note = [this](std::string_view text) { note_ += text; };
    settings.patience_seconds = 0;
    settings.pace_seconds = 0;
    settings.calibration_path = calibration_path;
    engine_ = cuda::make_auto_engine(cpu(), settings);
  }

  // Decrypts until the GPU has worked three times, was left out with a note, or failed.
  void decrypt(std::span<const std::byte> original, std::span<const std::byte> want) {
    const Chunk chunk = engine_->allocate(original.size());
    while (decryptions_ < 3 && note_.empty()) {
      std::memcpy(chunk.data(), original.data(), original.size());
      const Segment segment = segment_of(chunk.span(), chunk.span(), 3);
      engine_->run(Op::cbc_decrypt, {&segment, 1});
      ASSERT_EQ(0, std::memcmp(chunk.data(), want.data(), want.size()));
    }
  }

  const std::string& note() const { return note_; }

  static constexpr const char* kMachine = "the gpu under test";

 private:
  std::atomic<int> decryptions_ = 0;
  std::string note_;
  std::unique_ptr<Engine> engine_;
};

// With this calibration all runs make the same choices.
std::string fast_gpu_calibration() {
  Calibration calibration;
  calibration.machine = cuda::calibration_machine(*cpu(), 0, AutoLife::kMachine);
  calibration.cpu.fill({0, 1});
  calibration.gpu.fill({0, 1e12});
  calibration.gpu_ordinary.fill({0, 1e12});
  const std::string path = testing::TempDir() + "fugu_auto_under_fault";
  EXPECT_TRUE(save_calibration(path, calibration));
  return path;
}

// A GPU that cannot start is left out with one note; one that fails later is an error. No bytes are ever
// wrong.
TEST_P(CudaFault, of_auto_at_its_start_and_later) {
  FUGU_NEED_GPU(1);
  if (!device::fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  const std::string path = fast_gpu_calibration();
  std::vector<std::byte> original(std::size_t{4} << 20);
  std::vector<std::byte> want(original.size());
  fill_random(original, 3);
  const Segment reference = segment_of(original, want, 3);
  cpu()->run(Op::cbc_decrypt, {&reference, 1});
  int notes = 0;
  int failures = 0;
  // Takes every call at the beginning of the start, and some of the many similar ones that follow.
  bool reached = true;
  for (std::uint64_t call = 1; reached; call += call < 64 ? 1 : 37) {
    device::inject_fault(call, GetParam().fault, GetParam().sticky);
    try {
      AutoLife life(path);
      ASSERT_NO_FATAL_FAILURE(life.decrypt(original, want)) << "call " << call;
      if (!life.note().empty()) {
        ++notes;
        EXPECT_TRUE(life.note().starts_with("the gpu is left out: ")) << life.note();
      }
    } catch (const Error& error) {
      ++failures;
      ASSERT_EQ(error.code(), Errc::engine) << error.text();
    }
    reached = device::counted_calls() >= call;
    device::clear_fault();
    const device::Stats stats = device::process_stats();
    ASSERT_EQ(stats.live_device_bytes + stats.live_pinned_bytes + stats.live_streams + stats.live_events, 0u)
        << "call " << call;
  }
  EXPECT_GT(notes, 30);
  EXPECT_GT(failures, 0);
  std::filesystem::remove(path);
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
