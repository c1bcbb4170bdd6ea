// Engines that are wrong: a sealed file is neither made nor opened with them.
#include "fugu/format/sealed/detail/segments.hpp"
#include "sealed_support.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

using engine::Op;
using engine::Segment;
using engine::SegmentHooks;

// Hooks before and after all of a call's segments, as GPUs call them, or around each one, as CPUs do.
enum class Calls : std::uint8_t { together, one_by_one };

class Faulty : public engine::Engine {
 public:
  explicit Faulty(Calls calls) : calls_(calls) {}

  std::string_view name() const noexcept override { return "faulty"; }
  std::size_t preferred_chunk_bytes() const noexcept override { return good_->preferred_chunk_bytes(); }
  void run(Op op, std::span<const Segment> segments) override {
    for (const Segment& segment : segments) work(op, segment);
  }
  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    if (calls_ == Calls::together) return Engine::run_with(op, segments, hooks);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!hooks.before(i)) continue;
      work(op, segments[i]);
      hooks.after(i);
    }
  }

 protected:
  virtual void work(Op op, const Segment& segment) = 0;

  void work_well(Op op, const Segment& segment) { good_->run(op, {&segment, 1}); }

 private:
  Calls calls_;
  std::unique_ptr<engine::Engine> good_ = engine::make("cpu/scalar", {.threads = 1});
};

class Right final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override { work_well(op, segment); }
};

class WrongTable final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override {
    cipher::Schedule wrong = *segment.schedule;
    for (std::uint32_t& entry : wrong.s[2]) entry ^= 0x00010000;
    Segment other = segment;
    other.schedule = &wrong;
    work_well(op, other);
  }
};

class WrongCounter final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override {
    Segment other = segment;
    ++other.first_block;
    work_well(op, other);
  }
};

class OtherSegmentsKey final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override {
    if (first_ == nullptr) first_ = std::make_unique<cipher::Schedule>(*segment.schedule);
    Segment other = segment;
    other.schedule = first_.get();
    work_well(op, other);
  }
  std::unique_ptr<cipher::Schedule> first_;
};

class Idle final : public Faulty {
  using Faulty::Faulty;
  void work(Op, const Segment&) override {}
};

// Does its work well, but calls no hooks: no tag is made or compared, and no key of the next call derived.
class WithoutHooks final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override { work_well(op, segment); }
  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks&) override { run(op, segments); }
};

// Leaves out the last segment of each call.
class LeavesOut final : public Faulty {
  using Faulty::Faulty;
  void work(Op op, const Segment& segment) override { work_well(op, segment); }
  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    Faulty::run_with(op, segments.first(segments.size() - 1), hooks);
  }
};

const format::SealedOptions kSmall{.segment_log2 = 8, .cost = {.log2_n = 10}, .bounds = kTestBounds};
constexpr std::size_t kSize = 20 * 256 + 100;  // many segments, so that one random block after another agrees

// Runs everything that uses an engine, and passes the error of each to `judge`.
template <class Judge>
void use(std::unique_ptr<engine::Engine> engine, Judge judge) {
  const Bytes file = SealedBench(engine::make("cpu/scalar")).seal(pattern(kSize), key(), kSmall);
  SealedBench bench(std::move(engine));
  Opened sealed;
  try {
    sealed.released = bench.seal(pattern(kSize), key(), kSmall);
    EXPECT_EQ(bench.open(sealed.released, key()).released, pattern(kSize));
  } catch (const Error& error) {
    sealed.error = error;
  }
  judge("seal", sealed);
  judge("open", bench.open(file, key()));
  judge("range", bench.open_with(file, key(), kTestBounds, 0, Seekable::yes,
                                 [](const auto& job, const auto& header, const auto& keys) {
                                   format::decrypt_sealed_range(job, header, keys, 300, 700);
                                 }));
  judge("salvage", bench.open_with(file, key(), kTestBounds, 0, Seekable::yes,
                                   [](const auto& job, const auto& header, const auto& keys) {
                                     static_cast<void>(format::salvage_sealed(job, header, keys));
                                   }));
  Opened anew = bench.open_with(file, key(), kTestBounds, 0, Seekable::yes,
                                [](const auto& job, const auto& header, const auto& keys) {
                                  format::seal_anew(job, header, keys, key(), kSmall);
                                });
  if (!anew.ok()) anew.released.clear();  // the new header
  judge("seal anew", anew);
}

template <class Engine>
void expect_caught() {
  for (const Calls calls : {Calls::together, Calls::one_by_one}) {
    use(std::make_unique<Engine>(calls), [](const char* what, const Opened& opened) {
      SCOPED_TRACE(what);
      ASSERT_FALSE(opened.ok());
      EXPECT_EQ(opened.error->code(), Errc::engine) << opened.error->text();
      EXPECT_TRUE(opened.released.empty());
    });
  }
}

TEST(SealedFaults, ARightEngineWorks) {
  for (const Calls calls : {Calls::together, Calls::one_by_one})
    use(std::make_unique<Right>(calls), [](const char* what, const Opened& opened) {
      EXPECT_TRUE(opened.ok()) << what << ": " << opened.error->text();
    });
}

TEST(SealedFaults, AWrongTable) {
  expect_caught<WrongTable>();
}
TEST(SealedFaults, AWrongCounter) {
  expect_caught<WrongCounter>();
}
TEST(SealedFaults, AnotherSegmentsKey) {
  expect_caught<OtherSegmentsKey>();
}
TEST(SealedFaults, AnEngineThatDoesNothing) {
  expect_caught<Idle>();
}
TEST(SealedFaults, AnEngineThatCallsNoHooks) {
  expect_caught<WithoutHooks>();
}
TEST(SealedFaults, AnEngineThatLeavesOutASegment) {
  expect_caught<LeavesOut>();
}

// A run derives the keys of the next one, as many as it has segments itself: after a short one some are zero.
TEST(SealedFaults, KeysThatWereNotDerivedAreNotUsed) {
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  format::SealedKeys keys;
  static_cast<void>(format::make_sealed_header(4, key(), {.log2_n = 10}, keys, kTestBounds));
  format::SegmentCipher cipher(*engine, keys, 0, 8, 1);
  Bytes stored(8 * 32);
  const auto segments = format::cut_segments(stored, 32);
  cipher.seal(0, std::span(segments).first(4), false);
  EXPECT_EQ(code_of([&] { cipher.seal(1, segments, true); }), Errc::engine);
}

// The block is another one every time: a wrong block is found in the end, wherever it is.
class WrongBlock final : public Faulty {
 public:
  explicit WrongBlock(std::size_t block) : Faulty(Calls::together), block_(block) {}

 private:
  void work(Op op, const Segment& segment) override {
    work_well(op, segment);
    if (block_ * 8 < segment.out.size()) segment.out[block_ * 8] ^= std::byte{1};
  }
  std::size_t block_;
};

TEST(SealedFaults, EveryBlockIsComparedAtSomeTime) {
  const auto is_found = [](std::size_t block) {
    SealedBench bench(std::make_unique<WrongBlock>(block));
    for (int i = 0; i < 1000; ++i) {  // one of 32 blocks is missed with a probability of 2^-45
      const auto code = code_of([&] { static_cast<void>(bench.seal(pattern(256), key(), kSmall)); });
      if (code) return code == Errc::engine;
    }
    return false;
  };
  for (std::size_t block = 0; block < 32; ++block) EXPECT_TRUE(is_found(block)) << block;
}

}  // namespace
}  // namespace fugu::test
