// Replaces the registry by engines that are wrong or fail. Tests run it with the program's own main() to see
// statuses 6 and 7, which no option or variable of the real program can cause.
#include <atomic>

#include "fugu/engine/cpu/kernels.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"

namespace fugu::engine {
namespace {

class Broken : public Engine {
 public:
  void run(Op op, std::span<const Segment> segments) override { good_->run(op, segments); }
  std::size_t preferred_chunk_bytes() const noexcept override { return good_->preferred_chunk_bytes(); }

 private:
  std::unique_ptr<Engine> good_ = cpu::make_cpu_engine("good", cpu::run_scalar, 1);
};

class Wrong final : public Broken {
 public:
  std::string_view name() const noexcept override { return "test/wrong"; }
  void run(Op op, std::span<const Segment> segments) override {
    Broken::run(op, segments);
    if (!segments.empty() && !segments[0].out.empty()) segments[0].out.back() ^= std::byte{1};
  }
};

// Wrong in its first call only: what it encrypted is decrypted well.
class WrongOnce final : public Broken {
 public:
  std::string_view name() const noexcept override { return "test/wrong-once"; }
  void run(Op op, std::span<const Segment> segments) override {
    Broken::run(op, segments);
    if (calls_++ == 0) segments[0].out.back() ^= std::byte{1};
  }

 private:
  std::atomic<int> calls_ = 0;
};

class Idle final : public Broken {
 public:
  std::string_view name() const noexcept override { return "test/idle"; }
  void run(Op, std::span<const Segment>) override {}
};

class FailsLater final : public Broken {
 public:
  std::string_view name() const noexcept override { return "test/fails-later"; }
  void run(Op op, std::span<const Segment> segments) override {
    if (calls_++ != 0) throw Error(Errc::engine, "the device does not answer");
    Broken::run(op, segments);
  }

 private:
  std::atomic<int> calls_ = 0;
};

}  // namespace

std::vector<EngineInfo> list() {
  return {{"test/absent", "a device", "", false, "there is no such device"},
          {"test/wrong", "", "", true, ""},
          {"test/fails-later", "", "", true, ""}};
}

std::unique_ptr<Engine> make(std::string_view name, const Options&) {
  if (name == "test/absent") throw Error(Errc::no_device, "engine test/absent: there is no such device");
  if (name == "test/wrong-once") return std::make_unique<WrongOnce>();
  if (name == "test/idle") return std::make_unique<Idle>();
  if (name == "test/fails-later") return std::make_unique<FailsLater>();
  return std::make_unique<Wrong>();
}

}  // namespace fugu::engine
