// The conformance suite: what every engine must do. Expected values are OpenSSL's.
#include "fugu/engine/engine.hpp"

#include "engine/reference.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"

// The aligned array forms of new and delete, which chunks are made with, show here what a chunk leaves
// behind.
namespace {

std::span<const std::byte> watched;
bool freed_as_zeros = false;

}  // namespace

void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  if (bytes > std::uint64_t{1} << 50) throw std::bad_alloc();  // sanitizers would end the process
  const auto step = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(step, (bytes + step - 1) / step * step);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete[](void* memory, std::align_val_t) noexcept {
  if (memory == watched.data()) {
    freed_as_zeros = std::ranges::all_of(watched, [](std::byte b) { return b == std::byte{0}; });
  }
  std::free(memory);
}

namespace fugu::engine {
namespace {

class EachEngine : public testing::TestWithParam<test::EngineCase> {
 protected:
  std::unique_ptr<Engine> engine_ = GetParam().make();
  Key key_{test::pattern(16)};
};

constexpr std::uint64_t kIv = 0x0123456789abcdef;

TEST_P(EachEngine, EverySizeUpTo255Blocks) {
  for (const Request& request : every_request(kIv, 3)) {
    const Bytes in = test::pattern(std::size_t{8} * 255);
    const Bytes whole = expected(key_, request, in);
    for (std::size_t bytes = 0; bytes <= in.size(); bytes += 8) {
      const Bytes out = run(*engine_, key_, request, test::slice(in, 0, bytes));
      ASSERT_TRUE(std::equal(out.begin(), out.end(), whole.begin()))
          << describe(request) << ", " << bytes << " bytes";
    }
  }
}

TEST_P(EachEngine, SplitAtEveryBlock) {
  const Bytes in = test::pattern(std::size_t{8} * 255);
  for (const Request& request : every_request(kIv, 0)) {
    const Bytes whole = expected(key_, request, in);
    for (std::size_t head = 8; head < in.size(); head += 8) {
      Bytes out(in.size());
      Request rest = request;
      rest.first_block += head / 8;
      if (request.op != Op::ctr) rest.iv = core::load_u64_big(in.data() + head - 8);
      const std::span<const std::byte> all(in);
      const std::span<std::byte> all_out(out);
      const Segment segments[] = {segment_of(key_, request, all.first(head), all_out.first(head)),
                                  segment_of(key_, rest, all.subspan(head), all_out.subspan(head))};
      engine_->run(request.op, segments);
      ASSERT_EQ(out, whole) << describe(request) << ", split at " << head;
    }
  }
}

TEST_P(EachEngine, AnyAlignmentAndNothingBeyondTheEnd) {
  constexpr std::byte kGuard{0xa5};
  for (const Request& request : every_request(kIv, 1)) {
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{67}, std::size_t{255}}) {
      for (std::size_t shift = 0; shift < 8; ++shift) {
        const Bytes data = test::pattern(8 * blocks);
        const Bytes in = test::joined({Bytes(shift, kGuard), data});
        const std::size_t out_shift = (3 * shift + 1) % 8;
        Bytes out(out_shift + data.size() + 64, kGuard);
        const Segment segment = segment_of(key_, request, std::span(in).subspan(shift),
                                           std::span(out).subspan(out_shift, data.size()));
        engine_->run(request.op, {&segment, 1});
        const Bytes wanted =
            test::joined({Bytes(out_shift, kGuard), expected(key_, request, data), Bytes(64, kGuard)});
        ASSERT_EQ(out, wanted) << describe(request) << ", " << blocks << " blocks, shift " << shift;
      }
    }
  }
}

// The data are large enough for several threads. Each needs the ciphertext that its neighbour overwrites.
TEST_P(EachEngine, InPlace) {
  for (const Request& request : every_request(kIv, 0)) {
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{64}, std::size_t{255}, std::size_t{40001}}) {
      Bytes data = test::pattern(8 * blocks);
      const Bytes wanted = expected(key_, request, data);
      const Segment segment = segment_of(key_, request, data, data);
      engine_->run(request.op, {&segment, 1});
      ASSERT_EQ(data, wanted) << describe(request) << ", " << blocks << " blocks";
    }
  }
}

TEST_P(EachEngine, CountersWrapAt64Bits) {
  const Bytes in = test::pattern(std::size_t{8} * 255);
  for (const ByteOrder counter : {ByteOrder::big, ByteOrder::little}) {
    for (std::uint64_t before = 0; before <= 255; ++before) {
      const Request request{Op::ctr, ~std::uint64_t{0} - 9, 10 - before, ByteOrder::big, counter};
      ASSERT_EQ(run(*engine_, key_, request, in), expected(key_, request, in))
          << before << " blocks before the wrap, " << describe(request);
    }
    for (const std::uint64_t carry : {0xffull, 0xffffull, 0xffffffull, 0xffffffffull, 0xffffffffffull}) {
      const Request request{Op::ctr, carry - 100, 0, ByteOrder::big, counter};
      ASSERT_EQ(run(*engine_, key_, request, in), expected(key_, request, in))
          << carry << ", " << describe(request);
    }
  }
}

TEST_P(EachEngine, ManySegmentsEachWithItsOwnKey) {
  test::Random random(3);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const auto either = [&random] { return random() % 2 == 0 ? ByteOrder::big : ByteOrder::little; };
  for (const Op op : kOps) {
    std::vector<std::unique_ptr<Key>> keys;
    std::vector<Bytes> in;
    std::vector<Bytes> out;
    std::vector<Request> requests;
    for (std::size_t i = 0; i < 100; ++i) {
      keys.push_back(std::make_unique<Key>(test::random_bytes(random, below(56) + 1)));
      in.push_back(test::random_bytes(random, 8 * below(i % 10 == 0 ? 9000 : 300)));
      out.push_back(i % 2 == 0 ? Bytes(in[i].size()) : in[i]);
      requests.push_back({op, random(), random(), either(), either()});
    }
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < in.size(); ++i)
      segments.push_back(segment_of(*keys[i], requests[i], i % 2 == 0 ? in[i] : out[i], out[i]));
    engine_->run(op, segments);
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], expected(*keys[i], requests[i], in[i])) << describe(requests[i]) << ", segment " << i;
  }
}

// A call with segments of many sizes in place, and the expected output.
struct InPlaceCall {
  InPlaceCall(Key& key, std::uint64_t iv) {
    for (const std::size_t blocks : {0u, 1u, 5000u, 131072u, 3u, 40000u, 60000u})
      in.push_back(test::pattern(8 * blocks));
    out = in;
    for (std::size_t i = 0; i < in.size(); ++i) {
      wanted.push_back(expected(key, {Op::ctr, iv, i}, in[i]));
      segments.push_back(segment_of(key, {Op::ctr, iv, i}, out[i], out[i]));
    }
  }

  std::vector<Bytes> in;
  std::vector<Bytes> out;
  std::vector<Bytes> wanted;
  std::vector<Segment> segments;
};

TEST_P(EachEngine, CallsItsHooksOnceBeforeAndAfterASegment) {
  InPlaceCall call(key_, kIv);
  std::vector<std::atomic<int>> before(call.in.size());
  std::vector<std::atomic<int>> after(call.in.size());
  SegmentHooks hooks;
  hooks.before = [&](std::size_t i) {
    if (call.out[i] == call.in[i]) ++before[i];
    return i % 3 != 2;
  };
  hooks.after = [&](std::size_t i) {
    if (call.out[i] == call.wanted[i]) ++after[i];
  };
  engine_->run_with(Op::ctr, call.segments, hooks);
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    EXPECT_EQ(before[i], 1) << i;
    EXPECT_EQ(after[i], i % 3 != 2 ? 1 : 0) << i;
    EXPECT_EQ(call.out[i], i % 3 != 2 ? call.wanted[i] : call.in[i]) << i;
  }
}

TEST_P(EachEngine, HandsOnTheExceptionsOfHooks) {
  const auto fail_at_3 = [](std::size_t i) {
    if (i == 3) throw std::out_of_range("hook");
    return true;
  };
  const SegmentHooks failing[] = {{.before = fail_at_3}, {.after = fail_at_3}};
  for (const SegmentHooks& hooks : failing) {
    InPlaceCall call(key_, kIv);
    EXPECT_THROW(engine_->run_with(Op::ctr, call.segments, hooks), std::out_of_range);
    InPlaceCall again(key_, kIv);
    engine_->run_with(Op::ctr, again.segments, {});
    EXPECT_EQ(again.out, again.wanted);
  }
}

TEST_P(EachEngine, RefusesWhatBreaksTheRulesAndWritesNothing) {
  const Bytes in = test::pattern(64);
  Bytes out(80);
  const std::span<std::byte> room(out);
  const Request request;
  const Segment good = segment_of(key_, request, std::span(in).first(16), room.subspan(64, 16));
  Segment without_key = segment_of(key_, request, in, room.first(64));
  without_key.schedule = nullptr;
  const Segment bad[] = {
      without_key,
      segment_of(key_, request, std::span(in).first(63), room.first(63)),
      segment_of(key_, request, in, room.first(56)),
      segment_of(key_, request, room.first(56), room.subspan(8, 56)),  // half in place
      segment_of(key_, request, in, room.subspan(16, 64)),             // over the other segment's output
  };
  for (const Segment& segment : bad) {
    const Segment segments[] = {good, segment};
    EXPECT_EQ(test::code_of([&] { engine_->run(Op::ecb_encrypt, segments); }), Errc::usage) << &segment - bad;
    EXPECT_EQ(out, Bytes(80));
  }
}

TEST_P(EachEngine, TakesNoSegmentsAndEmptyOnes) {
  EXPECT_NO_THROW(engine_->run(Op::ctr, {}));
  const Bytes in = test::pattern(16);
  Bytes out(24);
  const std::span<std::byte> room(out);
  const Request request{Op::ecb_encrypt, 0, 0};
  const Segment empty = segment_of(key_, request, {}, room.subspan(16, 0));
  engine_->run(Op::ecb_encrypt, {&empty, 1});
  EXPECT_EQ(out, Bytes(24));
  const Segment segments[] = {empty, segment_of(key_, request, in, room.first(16)), empty};
  engine_->run(Op::ecb_encrypt, segments);
  Bytes wanted = expected(key_, request, in);
  wanted.resize(24);
  EXPECT_EQ(out, wanted);
}

// One engine has several callers at a time, which ThreadSanitizer checks as well.
TEST_P(EachEngine, SeveralCallersAtATime) {
  const Bytes in = test::pattern(std::size_t{8} * 20011);
  std::vector<Bytes> wanted;
  for (const Op op : kOps) wanted.push_back(expected(key_, {op, kIv, 0}, in));
  std::vector<std::vector<Bytes>> got(4);
  std::vector<std::thread> callers;
  for (std::vector<Bytes>& mine : got) {
    callers.emplace_back([&] {
      for (int turn = 0; turn < 4; ++turn) {
        for (const Op op : kOps) mine.push_back(run(*engine_, key_, {op, kIv, 0}, in));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::vector<Bytes>& mine : got) {
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i], wanted[i % wanted.size()]);
  }
}

// The other threads of the pool are busy with calls of their own.
TEST_P(EachEngine, ACallInATurnOfAPoolStaysOnItsThread) {
  std::atomic<int> strayed = 0;
  threads::ThreadPool(2).for_each(4, [&](std::size_t) {
    const std::thread::id here = std::this_thread::get_id();
    InPlaceCall call(key_, kIv);
    const auto look = [&](std::size_t) {
      strayed += std::this_thread::get_id() != here ? 1 : 0;
      return true;
    };
    engine_->run_with(Op::ctr, call.segments, {.before = look, .after = look});
    EXPECT_EQ(call.out, call.wanted);
  });
  EXPECT_EQ(strayed, 0);
}

TEST_P(EachEngine, AllocatesAlignedMemory) {
  const Chunk chunk = engine_->allocate(engine_->preferred_chunk_bytes());
  ASSERT_EQ(chunk.size(), engine_->preferred_chunk_bytes());
  EXPECT_EQ(chunk.size() % core::kBlockBytes, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunk.data()) % 64, 0u);
  std::fill(chunk.span().begin(), chunk.span().end(), std::byte{1});
}

// Without sanitizers, at least two engines (on one thread and on several) make 30 000 calls each.
TEST_P(EachEngine, RandomCallsAgreeWithOpenSsl) {
  constexpr int kCalls = test::cases(30000);
  constexpr int kCallsPerKey = 16;
  test::Random random(5);
  std::optional<Key> key;
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const auto either = [&random] { return random() % 2 == 0 ? ByteOrder::big : ByteOrder::little; };
  for (int call = 0; call < kCalls; ++call) {
    if (call % kCallsPerKey == 0) key.emplace(test::random_bytes(random, below(72) + 1));
    const Request request{kOps[random() % std::size(kOps)], random(), random(), either(), either()};
    const Bytes in = test::random_bytes(random, 8 * below(160));
    Bytes out = in;
    const Segment segment = segment_of(*key, request, random() % 2 == 0 ? in : out, out);
    engine_->run(request.op, {&segment, 1});
    ASSERT_EQ(out, expected(*key, request, in)) << "call " << call << ", " << describe(request);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, EachEngine, testing::ValuesIn(test::engines()),
                         [](const auto& engine) { return test::identifier(engine.param); });

class HostChunk : public testing::TestWithParam<std::size_t> {
 protected:
  HostChunk() : chunk_(allocate_host_chunk(GetParam())) {
    std::fill_n(chunk_.data(), chunk_.size(), std::byte{0x5a});
    watched = chunk_.span();
    freed_as_zeros = false;
  }
  ~HostChunk() override { watched = {}; }

  Chunk chunk_;
};

TEST_P(HostChunk, is_wiped_when_it_dies) {
  { const Chunk dies = std::move(chunk_); }
  EXPECT_TRUE(freed_as_zeros);
}

TEST_P(HostChunk, is_wiped_when_another_takes_its_place) {
  chunk_ = Chunk();
  EXPECT_TRUE(freed_as_zeros);
}

TEST(HostChunks, that_do_not_fit_are_no_memory) {
  EXPECT_THROW(static_cast<void>(allocate_host_chunk(std::numeric_limits<std::size_t>::max() / 4 * 3)),
               std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HostChunk, testing::Values(1, 4096, (std::size_t{4} << 20) + 8));

}  // namespace
}  // namespace fugu::engine
