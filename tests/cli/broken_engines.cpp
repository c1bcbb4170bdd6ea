// Replaces the registry by engines that are wrong or fail. Tests run it with the program's own main() to see
// statuses 6 and 7, which no option or variable of the real program can cause.
#include <atomic>

#include "fugu/engine/cpu/kernels.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"

namespace fugu::engine {
namespace {

using Segments = std::span<const Segment>;

// Does `work` with a good engine, the number of its call, and what it is given.
class Broken final : public Engine {
 public:
  using Run = void (*)(Engine& good, int call, Op op, Segments segments);
  Broken(std::string_view name, Run work) : name_(name), run_(work) {}

  std::string_view name() const noexcept override { return name_; }
  void run(Op op, Segments segments) override { run_(*good_, calls_++, op, segments); }
  std::size_t preferred_chunk_bytes() const noexcept override { return good_->preferred_chunk_bytes(); }

 private:
  std::string_view name_;
  Run run_;
  std::atomic<int> calls_ = 0;
  std::unique_ptr<Engine> good_ = cpu::make_cpu_engine("good", cpu::run_scalar, 1);
};

void wrong(Engine& good, int, Op op, Segments segments) {
  good.run(op, segments);
  if (!segments.empty() && !segments[0].out.empty()) segments[0].out.back() ^= std::byte{1};
}

// Wrong in its first call only: what it encrypted is decrypted well.
void wrong_once(Engine& good, int call, Op op, Segments segments) {
  good.run(op, segments);
  if (call == 0) segments[0].out.back() ^= std::byte{1};
}

void fails_later(Engine& good, int call, Op op, Segments segments) {
  if (call != 0) throw Error(Errc::engine, "the device does not answer");
  good.run(op, segments);
}

}  // namespace

std::vector<EngineInfo> list() {
  return {{"test/absent", "a device", "", false, "there is no such device"},
          {"test/wrong", "", "", true, ""},
          {"test/fails-later", "", "", true, ""}};
}

std::unique_ptr<Engine> make(std::string_view name, const Options&) {
  if (name == "test/absent") throw Error(Errc::no_device, "engine test/absent: there is no such device");
  if (name == "test/wrong-once") return std::make_unique<Broken>("test/wrong-once", wrong_once);
  if (name == "test/idle") return std::make_unique<Broken>("test/idle", [](Engine&, int, Op, Segments) {});
  if (name == "test/fails-later") return std::make_unique<Broken>("test/fails-later", fails_later);
  return std::make_unique<Broken>("test/wrong", wrong);
}

}  // namespace fugu::engine
