// Compares every Blowfish kernel, run thread by thread on the host, with OpenSSL.
//
// Buffers are exactly as long as their blocks, so that AddressSanitizer sees a read or write one byte too
// far.
#include "kernels/blowfish/blowfish_agent.hpp"
#include "engine/reference.hpp"
#include "fugu/cipher/schedule.hpp"
#include "kernels/blowfish/blowfish_policy.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

using core::ByteOrder;

// Runs the phases of a kernel agent on the host, thread by thread, between the same barriers as the device.
//
// The device does not define the order of thread-blocks and warps, so the grid runs them in an order of the
// caller's choice, each warp to its end before the next: code that depends on an order gives a wrong answer
// here. Lanes of a warp run phase by phase. Shared memory is poisoned at a thread-block's start. A barrier
// that only some threads reach, or an exchange that only some lanes reach, would hang a device: it throws
// DivergentBarrier.

enum class GridOrder : std::uint8_t { forward, backward };

std::vector<unsigned> order_of(unsigned count, GridOrder order) {
  std::vector<unsigned> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  if (order == GridOrder::backward) std::reverse(indices.begin(), indices.end());
  return indices;
}

struct DivergentBarrier : std::logic_error {
  using std::logic_error::logic_error;
};

// The common answer of all threads, which decides whether they reach the barrier.
template <class Agent, class Question>
bool unanimous(std::span<Agent> threads, const char* barrier, Question question) {
  const auto yes = std::count_if(threads.begin(), threads.end(), question);
  if (yes != 0 && static_cast<std::size_t>(yes) != threads.size()) throw DivergentBarrier(barrier);
  return yes != 0;
}

template <std::size_t vectors, class Agent>
void exchange(std::span<Agent> lanes) {
  for (std::size_t j = 0; j < vectors; ++j) {
    std::vector<kernels::BlockWords> sent;
    for (const Agent& lane : lanes) sent.push_back(lane.outgoing(j));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane].incoming(j, sent[(lane + lanes.size() - 1) % lanes.size()]);
  }
}

template <bool chained, std::size_t vectors, class Agent>
void run_warp(std::span<Agent> lanes) {
  while (unanimous(lanes, "exchange", [](Agent& lane) { return lane.more(); })) {
    for (Agent& lane : lanes) lane.fetch();
    if constexpr (chained) exchange<vectors>(lanes);
    for (Agent& lane : lanes) lane.work();
  }
}

template <bool chained, std::size_t vectors, class Agent>
void run_thread_block(const kernels::BlowfishArguments& arguments, const kernels::BlowfishShape& shape,
                      std::size_t shared_bytes, unsigned thread_block, GridOrder order) {
  std::vector<std::uint32_t> shared(shared_bytes / 4, 0xdeadbeefu);
  const auto thread_count = static_cast<unsigned>(shape.threads_per_block);
  std::vector<Agent> threads;
  threads.reserve(thread_count);
  for (unsigned thread = 0; thread < thread_count; ++thread)
    threads.emplace_back(
        arguments, shared.data(),
        kernels::ThreadPlace{thread_block, static_cast<unsigned>(shape.thread_blocks), thread, thread_count});
  const std::span<Agent> all(threads);
  while (unanimous(all, "barrier", [](Agent& thread) { return thread.next_run(); })) {
    for (Agent& thread : threads) thread.enter_run();
    for (const unsigned warp : order_of(thread_count / kernels::kWarpLanes, order))
      run_warp<chained, vectors>(all.subspan(warp * kernels::kWarpLanes, kernels::kWarpLanes));
  }
}

// One launch: the chain kernel if the operation has one, then the main kernel.
template <core::Op op, core::ByteOrder words, bool replicated, std::size_t vectors, bool prefetch>
void run_grid(kernels::BlowfishArguments arguments, const kernels::BlowfishShape& shape,
              std::size_t shared_bytes, GridOrder order) {
  using Agent = kernels::BlowfishAgent<op, words, replicated, vectors, prefetch>;
  kernels::lay_out(arguments, shape);
  const auto thread_blocks = static_cast<unsigned>(shape.thread_blocks);
  std::vector<std::uint64_t> chain(thread_blocks);
  arguments.chain = chain.data();
  if (kernels::is_chained(op)) {
    for (unsigned b = 0; b < thread_blocks; ++b)
      kernels::save_chain(arguments, kernels::unit_blocks(shape), b, thread_blocks);
  }
  for (const unsigned b : order_of(thread_blocks, order))
    run_thread_block<kernels::is_chained(op), vectors, Agent>(arguments, shape, shared_bytes, b, order);
}

struct Piece {
  std::size_t blocks;
  int key;
};

struct Case {
  std::vector<Piece> pieces;
  int thread_blocks;
  int warps;
  bool in_place;
  GridOrder order;
  bool little_counter = false;
};

constexpr std::uint64_t kIv = 0xfffffffffffffff0u;  // the counter wraps within every test

engine::Key& key_of(const Piece& piece) {
  static std::vector<engine::Key> keys = [] {
    std::vector<engine::Key> made;
    for (std::size_t i = 0; i < 3; ++i)
      made.emplace_back(std::vector<std::byte>(5 + 7 * i, static_cast<std::byte>(0x31 + i)));
    return made;
  }();
  return keys[static_cast<std::size_t>(piece.key)];
}

std::vector<std::uint32_t> packed(const cipher::Schedule& from) {
  std::vector<std::uint32_t> words(from.p, from.p + core::kSubkeys);
  words.insert(words.end(), &from.s[0][0], &from.s[0][0] + core::kSboxes * core::kSboxEntries);
  return words;
}

std::unique_ptr<std::byte[]> pattern(std::size_t bytes, std::size_t seed) {
  auto data = std::make_unique<std::byte[]>(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 37 + seed) % 251);
  return data;
}

// Returns OpenSSL's result.
std::vector<std::byte> expected(core::Op op, ByteOrder words, const Case& c, const Piece& piece,
                                const std::byte* in) {
  const ByteOrder counter = c.little_counter ? ByteOrder::little : ByteOrder::big;
  return engine::expected(key_of(piece), {op, kIv, 0, words, counter}, {in, in + 8 * piece.blocks});
}

// One of the kernels that blowfish.cu instantiates.
struct Kernel {
  core::Op op;
  ByteOrder words;
  bool replicated;
  int vectors;
  bool prefetch;
  decltype(&run_grid<core::Op::ctr, ByteOrder::big, true, 2, true>) run;
};

template <core::Op op, ByteOrder words, bool replicated, std::size_t vectors, bool prefetch>
constexpr Kernel kKernel = {op,      words,    replicated,
                            vectors, prefetch, run_grid<op, words, replicated, vectors, prefetch>};

template <core::Op op, bool replicated, std::size_t vectors, bool prefetch>
void add_word_orders(std::vector<Kernel>& kernels) {
  kernels.push_back(kKernel<op, ByteOrder::big, replicated, vectors, prefetch>);
  kernels.push_back(kKernel<op, ByteOrder::little, replicated, vectors, prefetch>);
}

template <core::Op... ops>
std::vector<Kernel> kernels_of() {
  std::vector<Kernel> kernels;
  (add_word_orders<ops, true, 2, false>(kernels), ...);
  (add_word_orders<ops, true, 2, true>(kernels), ...);
  (add_word_orders<ops, true, 1, false>(kernels), ...);
  (add_word_orders<ops, true, 4, false>(kernels), ...);
  (add_word_orders<ops, false, 2, false>(kernels), ...);
  return kernels;
}

void check(const Kernel& kernel, const Case& c) {
  std::vector<std::vector<std::uint32_t>> keys;
  for (int key = 0; key < 3; ++key) keys.push_back(packed(key_of({0, key}).schedule));
  std::vector<std::unique_ptr<std::byte[]>> in;
  std::vector<std::unique_ptr<std::byte[]>> out;
  std::vector<std::vector<std::byte>> want;
  auto arguments = std::make_unique<kernels::BlowfishArguments>();
  arguments->little_counter = c.little_counter;
  for (const Piece& piece : c.pieces) {
    in.push_back(pattern(8 * piece.blocks, in.size()));
    out.push_back(c.in_place ? nullptr : pattern(8 * piece.blocks, 99));
    want.push_back(expected(kernel.op, kernel.words, c, piece, in.back().get()));
    std::byte* to = c.in_place ? in.back().get() : out.back().get();
    arguments->segments[arguments->segment_count++] = {
        in.back().get(), to, keys[static_cast<std::size_t>(piece.key)].data(), piece.blocks, kIv, 0};
  }
  const kernels::BlowfishShape shape{kernel.replicated, kernel.vectors, kernel.prefetch, 32 * c.warps,
                                     c.thread_blocks};
  kernel.run(*arguments, shape, kernels::table_bytes(shape), c.order);
  for (std::size_t i = 0; i < c.pieces.size(); ++i) {
    const std::byte* got = c.in_place ? in[i].get() : out[i].get();
    ASSERT_TRUE(std::equal(want[i].begin(), want[i].end(), got))
        << "op " << static_cast<int>(kernel.op) << " vectors " << kernel.vectors << " piece " << i << " of "
        << c.pieces[i].blocks << " blocks, grid " << c.thread_blocks << " x " << c.warps
        << (c.in_place ? ", in place" : "");
  }
}

// Under sanitizers a call takes one order for each kernel, and the next call the other one. Kernels 2 i and
// 2 i + 1 differ in the order of words.
void check_kernels(const std::vector<Kernel>& kernels, Case c) {
  static std::size_t calls = 0;
  const std::size_t call = calls++;
  for (const GridOrder order : {GridOrder::forward, GridOrder::backward}) {
    for (const bool in_place : {false, true}) {
      if (test::kSanitized && in_place != (order == GridOrder::backward)) continue;
      c.order = order;
      c.in_place = in_place;
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (test::kSanitized && in_place != ((call + i / 2 + i) % 2 != 0)) continue;
        ASSERT_NO_FATAL_FAILURE(check(kernels[i], c));
      }
    }
  }
}

void check_ops(const Case& c) {
  static const auto all = kernels_of<core::Op::ecb_encrypt, core::Op::ecb_decrypt, core::Op::ctr,
                                     core::Op::cbc_decrypt, core::Op::cfb_decrypt>();
  check_kernels(all, c);
}

Case one_segment(std::size_t blocks, int thread_blocks, int warps) {
  return {{{blocks, 0}}, thread_blocks, warps, false, GridOrder::forward};
}

TEST(BlowfishAgent, tails_of_every_length) {
  for (const unsigned blocks :
       {1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 130u, 255u, 256u, 257u})
    ASSERT_NO_FATAL_FAILURE(check_ops(one_segment(blocks, 1, 1)));
}

TEST(BlowfishAgent, grids_of_many_shapes) {
  for (const int thread_blocks : {1, 2, 3, 5})
    for (const int warps : {1, 2, 4}) {
      if (test::kSanitized && warps != 1 << thread_blocks % 3) continue;
      ASSERT_NO_FATAL_FAILURE(check_ops(one_segment(2311, thread_blocks, warps)));
    }
}

TEST(BlowfishAgent, more_thread_blocks_than_work) {
  ASSERT_NO_FATAL_FAILURE(check_ops(one_segment(1, 7, 2)));
  ASSERT_NO_FATAL_FAILURE(check_ops(one_segment(200, 7, 4)));
}

TEST(BlowfishAgent, segments_with_keys_of_their_own) {
  Case c{{{700, 0}, {1, 1}, {129, 1}, {0, 2}, {64, 0}, {1000, 2}, {3, 0}}, 1, 1, false, GridOrder::forward};
  for (const int thread_blocks : {1, 3, 8}) {
    c.thread_blocks = thread_blocks;
    c.warps = 1 + thread_blocks % 3;
    ASSERT_NO_FATAL_FAILURE(check_ops(c));
  }
}

TEST(BlowfishAgent, most_segments_one_launch_takes) {
  Case c{{}, 3, 2, false, GridOrder::forward};
  for (int i = 0; i < kernels::kMaxSegments; ++i)
    c.pieces.push_back({static_cast<std::size_t>(i * 5 % 83), i % 3});
  ASSERT_NO_FATAL_FAILURE(check_ops(c));
}

TEST(BlowfishAgent, little_endian_counters) {
  Case c = one_segment(777, 2, 2);
  c.little_counter = true;
  ASSERT_NO_FATAL_FAILURE(check_kernels(kernels_of<core::Op::ctr>(), c));
}

TEST(BlowfishAgent, nothing_to_do) {
  kernels::BlowfishArguments none{};
  kernels::lay_out(none, {true, 2, false, 1024, 4});
  EXPECT_EQ(none.units, 0u);
}

// Some of these threads return other values than the rest.
class Divergent {
 public:
  Divergent(const kernels::BlowfishArguments&, std::uint32_t*, const kernels::ThreadPlace& place)
      : thread_(place.thread) {}

  static inline unsigned runs_of_thread_5 = 1;
  static inline unsigned steps_of_lane_7 = 1;

  bool next_run() { return run_++ < (thread_ == 5 ? runs_of_thread_5 : 1); }
  void enter_run() { step_ = 0; }
  bool more() { return step_++ < (thread_ % 32 == 7 ? steps_of_lane_7 : 1); }
  void fetch() {}
  void work() {}

 private:
  unsigned thread_;
  unsigned run_ = 0;
  unsigned step_ = 0;
};

TEST(FakeGrid, FailsOnADivergentBarrier) {
  const auto run = [](unsigned runs, unsigned steps) {
    Divergent::runs_of_thread_5 = runs;
    Divergent::steps_of_lane_7 = steps;
    const kernels::BlowfishArguments none{};
    run_thread_block<false, 1, Divergent>(none, {true, 1, false, 64, 1}, 4, 0, GridOrder::forward);
  };
  EXPECT_NO_THROW(run(1, 1));
  for (const unsigned other : {0u, 2u}) {
    EXPECT_THROW(run(other, 1), DivergentBarrier) << "one thread comes " << other << " times";
    EXPECT_THROW(run(1, other), DivergentBarrier) << "one lane comes " << other << " times";
  }
}

TEST(BlowfishPolicy, follows_the_device) {
  EXPECT_TRUE(kernels::choose_shape(132, 227 * 1024, 1024).replicated);  // H100, H200
  EXPECT_TRUE(kernels::choose_shape(108, 163 * 1024, 1024).replicated);  // A100
  EXPECT_FALSE(kernels::choose_shape(84, 99 * 1024, 1024).replicated);   // 8.6, 8.9, 12.0: 99 KiB
  EXPECT_FALSE(kernels::choose_shape(40, 64 * 1024, 1024).replicated);   // 7.5
  EXPECT_EQ(kernels::choose_shape(132, 227 * 1024, 1024).thread_blocks, 132);
}

}  // namespace
}  // namespace fugu::test
