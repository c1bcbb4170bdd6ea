// The self-test must be able to fail. These tests give it engines that are each wrong in one small way.
#include "cli/check/checks.hpp"

#include "fugu/engine/registry.hpp"
#include "support/testing.hpp"

namespace fugu::cli {
namespace {

using engine::Op;
using engine::Segment;
using testing::HasSubstr;

constexpr std::uint64_t kRounds = 200;

// Runs a good engine, then changes its output in one way.
class Broken final : public engine::Engine {
 public:
  using Damage = std::function<void(Op, std::span<const Segment>)>;
  explicit Broken(Damage damage)
      : good_(engine::make("cpu/scalar", {.threads = 1})), damage_(std::move(damage)) {}

  std::string_view name() const noexcept override { return "broken"; }
  void run(Op op, std::span<const Segment> segments) override {
    good_->run(op, segments);
    damage_(op, segments);
  }
  std::size_t preferred_chunk_bytes() const noexcept override { return good_->preferred_chunk_bytes(); }

 private:
  std::unique_ptr<Engine> good_;
  Damage damage_;
};

void flip(std::byte& byte) {
  byte ^= std::byte{1};
}

TEST(EngineCheck, AGoodEngineAgrees) {
  for (const engine::EngineInfo& info : engine::list()) {
    if (!info.available) continue;
    const Verdict verdict = check_engine(*engine::make(info.name), kRounds, 7);
    EXPECT_EQ(verdict.difference, "") << info.name;
    EXPECT_GT(verdict.counts[0].second, 30u);
    EXPECT_EQ(verdict.counts[1].second, kRounds);
  }
}

TEST(EngineCheck, OneWrongBitFailsAtAVector) {
  Broken engine([](Op, std::span<const Segment> segments) {
    if (!segments.empty() && !segments[0].out.empty()) flip(segments[0].out.back());
  });
  EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr("vector "));
}

// No published vector is long enough to show these faults.
TEST(EngineCheck, AWrongBlockFarBehindTheFirstFails) {
  Broken engine([](Op, std::span<const Segment> segments) {
    for (const Segment& segment : segments) {
      if (segment.out.size() > 8 * 512) flip(segment.out[8 * 512]);
    }
  });
  const Verdict verdict = check_engine(engine, kRounds, 7);
  EXPECT_GT(verdict.counts[0].second, 0u);
  EXPECT_THAT(verdict.difference, HasSubstr("differs from OpenSSL"));
}

TEST(EngineCheck, EachOperationIsCrossChecked) {
  const std::pair<Op, const char*> operations[] = {{Op::ecb_encrypt, "ecb encryption"},
                                                   {Op::ecb_decrypt, "ecb decryption"},
                                                   {Op::ctr, "ctr"},
                                                   {Op::cbc_decrypt, "cbc decryption"},
                                                   {Op::cfb_decrypt, "cfb decryption"}};
  for (const auto& [broken, name] : operations) {
    Broken engine([which = broken](Op op, std::span<const Segment> segments) {
      if (op == which && segments.size() > 1 && !segments.back().out.empty()) flip(segments.back().out[0]);
    });
    EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr(name));
  }
}

TEST(EngineCheck, APositionThatIsIgnoredFails) {
  const auto good = engine::make("cpu/scalar", {.threads = 1});
  class ForgetsPosition final : public engine::Engine {
   public:
    explicit ForgetsPosition(Engine& inner) : inner_(inner) {}
    std::string_view name() const noexcept override { return "forgets"; }
    void run(Op op, std::span<const Segment> segments) override {
      std::vector<Segment> changed(segments.begin(), segments.end());
      for (Segment& segment : changed) segment.first_block = 0;
      inner_.run(op, changed);
    }
    std::size_t preferred_chunk_bytes() const noexcept override { return 4096; }

   private:
    Engine& inner_;
  } engine(*good);
  EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr("ctr differs from OpenSSL"));
}

}  // namespace
}  // namespace fugu::cli
