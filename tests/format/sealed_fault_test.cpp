// Engines that are wrong: a sealed file is neither made nor opened with them.
#include "fugu/format/sealed/detail/segments.hpp"
#include "sealed_support.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

using engine::Op;
using engine::Segment;
using engine::SegmentHooks;

// Hooks before and after all of a call's segments, as GPUs call them, around each one, as CPUs do, or never:
// then no tag is made or compared, and no key of the next call derived.
enum class Calls : std::uint8_t { together, one_by_one, without_hooks };

using Work = std::function<void(engine::Engine& good, Op op, Segment segment)>;

void work_well(engine::Engine& good, Op op, Segment segment) {
  good.run(op, {&segment, 1});
}

class Faulty final : public engine::Engine {
 public:
  // `left_out`: of the segments at the end of each call.
  Faulty(Calls calls, Work work, std::size_t left_out = 0)
      : calls_(calls), work_(std::move(work)), left_out_(left_out) {}

  std::string_view name() const noexcept override { return "faulty"; }
  std::size_t preferred_chunk_bytes() const noexcept override { return good_->preferred_chunk_bytes(); }
  void run(Op op, std::span<const Segment> segments) override {
    for (const Segment& segment : segments) work_(*good_, op, segment);
  }
  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    if (calls_ == Calls::without_hooks) return run(op, segments);
    segments = segments.first(segments.size() - left_out_);
    if (calls_ == Calls::together) return Engine::run_with(op, segments, hooks);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!hooks.before(i)) continue;
      work_(*good_, op, segments[i]);
      hooks.after(i);
    }
  }

 private:
  Calls calls_;
  Work work_;
  std::size_t left_out_;
  std::unique_ptr<engine::Engine> good_ = engine::make("cpu/scalar", {.threads = 1});
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
  judge("range", bench.open_with(file, key(), [](const auto&... opened) {
    format::decrypt_sealed_range(opened..., 300, 700);
  }));
  judge("salvage", bench.open_with(file, key(), format::salvage_sealed));
  Opened anew = bench.open_with(file, key(),
                                [](const auto&... opened) { format::seal_anew(opened..., key(), kSmall); });
  if (!anew.ok()) anew.released.clear();  // the new header
  judge("seal anew", anew);
}

void expect_caught(Calls calls, const Work& work, std::size_t left_out = 0) {
  use(std::make_unique<Faulty>(calls, work, left_out), [](const char* what, const Opened& opened) {
    SCOPED_TRACE(what);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error->code(), Errc::engine) << opened.error->text();
    EXPECT_TRUE(opened.released.empty());
  });
}

void expect_caught(const Work& work, std::size_t left_out = 0) {
  for (const Calls calls : {Calls::together, Calls::one_by_one}) expect_caught(calls, work, left_out);
}

TEST(SealedFaults, ARightEngineWorks) {
  for (const Calls calls : {Calls::together, Calls::one_by_one})
    use(std::make_unique<Faulty>(calls, work_well), [](const char* what, const Opened& opened) {
      EXPECT_TRUE(opened.ok()) << what << ": " << opened.error->text();
    });
}

TEST(SealedFaults, AWrongTable) {
  expect_caught([](engine::Engine& good, Op op, Segment segment) {
    cipher::Schedule wrong = *segment.schedule;
    for (std::uint32_t& entry : wrong.s[2]) entry ^= 0x00010000;
    segment.schedule = &wrong;
    work_well(good, op, segment);
  });
}

TEST(SealedFaults, AWrongCounter) {
  expect_caught([](engine::Engine& good, Op op, Segment segment) {
    ++segment.first_block;
    work_well(good, op, segment);
  });
}

TEST(SealedFaults, AnotherSegmentsKey) {
  expect_caught(
      [first = std::shared_ptr<cipher::Schedule>()](engine::Engine& good, Op op, Segment segment) mutable {
        if (first == nullptr) first = std::make_shared<cipher::Schedule>(*segment.schedule);
        segment.schedule = first.get();
        work_well(good, op, segment);
      });
}

TEST(SealedFaults, AnEngineThatDoesNothing) {
  expect_caught([](engine::Engine&, Op, const Segment&) {});
}

TEST(SealedFaults, AnEngineThatCallsNoHooks) {
  expect_caught(Calls::without_hooks, work_well);
}

TEST(SealedFaults, AnEngineThatLeavesOutASegment) {
  expect_caught(work_well, 1);
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
TEST(SealedFaults, EveryBlockIsComparedAtSomeTime) {
  const auto is_found = [](std::size_t block) {
    SealedBench bench(std::make_unique<Faulty>(
        Calls::together, [at = block * 8](engine::Engine& good, Op op, Segment segment) {
          work_well(good, op, segment);
          if (at < segment.out.size()) segment.out[at] ^= std::byte{1};
        }));
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
