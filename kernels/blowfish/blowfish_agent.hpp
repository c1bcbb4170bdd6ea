// The work of one thread of the Blowfish kernels, as phases between barriers.
//
// nvcc compiles it inside the kernel shells of blowfish.cu; g++ compiles it in tests, where a fake grid runs
// the phases thread by thread. The order of a thread-block:
//
//   while (next_run()) { enter_run(); BARRIER; while (more()) { fetch(); EXCHANGE; work(); } BARRIER; }
//
// EXCHANGE, for CBC and CFB: incoming(j, outgoing(j) of the lane below, of lane 31 for lane 0), for each j in
// turn.
//
// Work is distributed in units of one warp's worth of blocks. A thread-block takes one contiguous range of
// units; a "run" is the part of it in one segment; each of its warps takes a contiguous "strip" of the run.
// So a thread-block changes keys as rarely as possible, and no warp waits for another inside a run.
//
// In place, CBC and CFB need the ciphertext before a strip after its owner may have overwritten it: a
// thread-block's first run finds it in `chain`, saved by save_chain() before the launch; inside a run each
// warp reads its own in enter_run(), before the barrier; inside a warp ciphertext goes from lane to lane and
// from step to step in registers.
#pragma once

#include "fugu/core/feistel.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::kernels {

inline constexpr unsigned kWarpLanes = 32;

struct ThreadPlace {
  unsigned thread_block;
  unsigned thread_blocks;
  unsigned thread;
  unsigned threads;

  FUGU_HD constexpr unsigned lane() const { return thread % kWarpLanes; }
  FUGU_HD constexpr unsigned warp() const { return thread / kWarpLanes; }
  FUGU_HD constexpr unsigned warps() const { return threads / kWarpLanes; }
};

// A 32-bit word whose additions run as multiply-adds by a 1 the compiler cannot see (gridDim.z). Look-ups,
// byte permutes and exclusive ors already fill the ALU, while the multiplier's pipe would be idle.
struct MadWord {
  std::uint32_t value;

  FUGU_HD friend MadWord operator+(MadWord a, MadWord b) {
#if defined(__CUDA_ARCH__)
    return {a.value * gridDim.z + b.value};
#else
    return {a.value + b.value};
#endif
  }
  FUGU_HD friend MadWord operator^(MadWord a, MadWord b) {
    return {a.value ^ b.value};
  }
  FUGU_HD MadWord& operator^=(MadWord b) {
    value ^= b.value;
    return *this;
  }
};

// The table accessor of core::run_blocks: P in registers, S-boxes in shared memory.
//
// Replicated: S_i[b] of lane l is word (i/2)*16384 + b*64 + (i%2)*32 + l. A row of 256 bytes per value b
// makes the byte address of a look-up one byte permute: byte i of x above the lane's constant low byte; i
// itself becomes the load's immediate offset.
template <bool replicated>
class SharedTables {
 public:
  using Word = MadWord;

  FUGU_HD SharedTables() {}

  FUGU_HD static std::uint32_t position(std::uint32_t i, std::uint32_t b, std::uint32_t lane) {
    return replicated ? (i / 2) * 16384 + b * 64 + (i % 2) * 32 + lane : i * 256 + b;
  }

  // This thread's share of filling `shared`; a barrier follows.
  FUGU_HD static void fill(std::uint32_t* shared, const std::uint32_t* schedule, const ThreadPlace& place) {
    const std::uint32_t* sboxes = schedule + core::kSubkeys;
    constexpr std::uint32_t words = core::kSboxes * core::kSboxEntries;
    if constexpr (replicated) {
      for (std::uint32_t w = place.warp(); w < words; w += place.warps())
        shared[position(w / 256, w % 256, place.lane())] = sboxes[w];
    } else {
      for (std::uint32_t w = place.thread; w < words; w += place.threads)
        shared[position(w / 256, w % 256, 0)] = sboxes[w];
    }
  }

  FUGU_HD void read_subkeys(const std::uint32_t* schedule) {
    for (int i = 0; i < core::kSubkeys; ++i) subkeys_[i] = schedule[i];
  }

  FUGU_HD void place_at(const std::uint32_t* shared, unsigned lane) {
    shared_ = reinterpret_cast<const std::byte*>(shared);
    lane_bytes_ = lane * 4;
  }

  template <int i>
  FUGU_HD Word sbox(const Word& x) const {
    constexpr std::uint32_t offset = (i / 2) * 65536 + (i % 2) * 128;
    if constexpr (!replicated) return {*word_at(i * 1024 + (x.value >> (24 - 8 * i) & 0xffu) * 4)};
#if defined(__CUDA_ARCH__)
    constexpr std::uint32_t select = 0x5504u | static_cast<std::uint32_t>(3 - i) << 4;
    return {*word_at(__byte_perm(x.value, lane_bytes_, select) + offset)};
#else
    return {*word_at(((x.value >> (24 - 8 * i) & 0xffu) << 8) + lane_bytes_ + offset)};
#endif
  }

  FUGU_HD void mix_subkey(Word& x, int i) const {
    x.value ^= subkeys_[i];
  }

 private:
  FUGU_HD const std::uint32_t* word_at(std::uint32_t byte_offset) const {
    return reinterpret_cast<const std::uint32_t*>(shared_ + byte_offset);
  }

  const std::byte* shared_ = nullptr;
  std::uint32_t lane_bytes_ = 0;
  std::uint32_t subkeys_[core::kSubkeys];
};

// Two words of a block as stored in memory, and two blocks as one 16-byte access.
struct alignas(8) BlockWords {
  std::uint32_t first;
  std::uint32_t second;
};
struct alignas(16) BlockPair {
  BlockWords a;
  BlockWords b;
};

FUGU_HD BlockWords operator^(BlockWords x, BlockWords y) {
  return {x.first ^ y.first, x.second ^ y.second};
}

FUGU_HD std::uint32_t swap_bytes(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(x, 0, 0x0123);  // without this the compiler emits four instructions
#else
  return core::byte_swap(x);
#endif
}

template <core::ByteOrder words>
FUGU_HD std::uint32_t reorder(std::uint32_t native) {
  return words == core::ByteOrder::big ? swap_bytes(native) : native;
}

// `image`: first byte most significant, like the chaining blocks of engine::Segment.
FUGU_HD BlockWords words_of_image(std::uint64_t image) {
  return {swap_bytes(static_cast<std::uint32_t>(image >> 32)), swap_bytes(static_cast<std::uint32_t>(image))};
}
FUGU_HD std::uint64_t image_of_words(BlockWords words) {
  return static_cast<std::uint64_t>(swap_bytes(words.first)) << 32 | swap_bytes(words.second);
}

FUGU_HD constexpr bool is_chained(core::Op op) {
  return op == core::Op::cbc_decrypt || op == core::Op::cfb_decrypt;
}
FUGU_HD constexpr core::Direction direction_of(core::Op op) {
  return op == core::Op::ecb_decrypt || op == core::Op::cbc_decrypt ? core::Direction::decrypt
                                                                    : core::Direction::encrypt;
}

// The beginning of share `part` of `parts` when `units` are distributed evenly.
FUGU_HD std::uint64_t share_begin(std::uint64_t units, unsigned part, unsigned parts) {
  const std::uint64_t each = units / parts;
  const std::uint64_t rest = units % parts;
  return each * part + (part < rest ? part : rest);
}

// The segment that `unit` lies in.
FUGU_HD int segment_of(const BlowfishArguments& arguments, std::uint64_t unit) {
  int found = 0;
  for (int i = 1; i < arguments.segment_count; ++i) {
    if (arguments.segments[i].blocks != 0 && arguments.segments[i].first_unit <= unit) found = i;
  }
  return found;
}

FUGU_HD const BlockWords* block_at(const std::byte* base, std::uint64_t block) {
  return reinterpret_cast<const BlockWords*>(base) + block;
}

// cbc, cfb: saves the ciphertext before the first unit of a thread-block. One thread per thread-block, in a
// launch of its own before the main one.
FUGU_HD void save_chain(const BlowfishArguments& arguments, std::uint64_t blocks_per_unit,
                        unsigned thread_block, unsigned thread_blocks) {
  const std::uint64_t unit = share_begin(arguments.units, thread_block, thread_blocks);
  if (unit >= arguments.units) return;
  const BlowfishSegment& segment = arguments.segments[segment_of(arguments, unit)];
  const std::uint64_t block = (unit - segment.first_unit) * blocks_per_unit;
  arguments.chain[thread_block] =
      block == 0 ? segment.chain : image_of_words(*block_at(segment.in, block - 1));
}

template <core::Op op, core::ByteOrder words, bool replicated, std::size_t vectors, bool prefetch>
class BlowfishAgent {
 public:
  static constexpr std::uint32_t kStepBlocks = 2 * kWarpLanes * vectors;

  FUGU_HD BlowfishAgent(const BlowfishArguments& arguments, std::uint32_t* shared, const ThreadPlace& place)
      : arguments_(arguments), shared_(shared), place_(place) {
    unit_ = share_begin(arguments.units, place.thread_block, place.thread_blocks);
    end_unit_ = share_begin(arguments.units, place.thread_block + 1, place.thread_blocks);
    first_unit_ = unit_;
    tables_.place_at(shared, place.lane());
  }

  // Moves to the next run; false when this thread-block is done. Uniform over its threads.
  FUGU_HD bool next_run() {
    if (unit_ >= end_unit_) return false;
    segment_ = segment_of(arguments_, unit_);
    const BlowfishSegment& segment = arguments_.segments[segment_];
    const std::uint64_t segment_end = segment.first_unit + (segment.blocks + kStepBlocks - 1) / kStepBlocks;
    run_unit_ = unit_;
    unit_ = segment_end < end_unit_ ? segment_end : end_unit_;
    return true;
  }

  // Loads the run's tables if the key changed, and finds this warp's strip.
  FUGU_HD void enter_run() {
    const BlowfishSegment& segment = arguments_.segments[segment_];
    if (segment.schedule != schedule_) {
      schedule_ = segment.schedule;
      SharedTables<replicated>::fill(shared_, schedule_, place_);
      tables_.read_subkeys(schedule_);
    }
    const std::uint64_t begin = run_unit_ + share_begin(unit_ - run_unit_, place_.warp(), place_.warps());
    const std::uint64_t end = run_unit_ + share_begin(unit_ - run_unit_, place_.warp() + 1, place_.warps());
    enter_strip(segment, (begin - segment.first_unit) * kStepBlocks,
                (end - segment.first_unit) * kStepBlocks);
  }

  // Whether this warp has a step left. Uniform over its lanes.
  FUGU_HD bool more() const { return left_ > 0; }

  FUGU_HD void fetch() {
    if constexpr (prefetch) {
      current_ = pending_;
      if (left_ > kStepBlocks) load(pending_, in_ + kStepBlocks / 2, left_ - kStepBlocks);
    } else {
      load(current_, in_, left_);
    }
  }

  FUGU_HD BlockWords outgoing(std::size_t j) const { return current_.data[j].b; }

  // Gives lane 0 the chaining block of its next pair.
  FUGU_HD void incoming(std::size_t j, BlockWords neighbour) {
    current_.previous[j] = place_.lane() == 0 ? chain_ : neighbour;
    chain_ = neighbour;
  }

  FUGU_HD void work() {
    BlockPair result[vectors];
    cipher(result);
    store(result);
    in_ += kStepBlocks / 2;
    out_ += kStepBlocks / 2;
    counter_ += kStepBlocks;
    left_ = left_ > kStepBlocks ? left_ - kStepBlocks : 0;
  }

 private:
  using Word = typename SharedTables<replicated>::Word;

  struct Fetched {
    BlockPair data[vectors];
    BlockWords previous[vectors];  // cbc, cfb: the ciphertext block before each pair
  };

  FUGU_HD void enter_strip(const BlowfishSegment& segment, std::uint64_t begin, std::uint64_t end) {
    if (end > segment.blocks) end = segment.blocks;
    left_ = begin < end ? end - begin : 0;
    in_ = reinterpret_cast<const BlockPair*>(segment.in) + begin / 2 + place_.lane();
    out_ = reinterpret_cast<BlockPair*>(segment.out) + begin / 2 + place_.lane();
    counter_ = segment.chain + begin;
    if (left_ == 0) return;
    if constexpr (is_chained(op)) {
      std::uint64_t image = segment.chain;
      if (begin != 0 && begin == (run_unit_ - segment.first_unit) * kStepBlocks && run_unit_ == first_unit_)
        image = arguments_.chain[place_.thread_block];
      else if (begin != 0)
        image = image_of_words(*block_at(segment.in, begin - 1));
      chain_ = words_of_image(image);
    }
    if constexpr (prefetch) load(pending_, in_, left_);
  }

  // `at`: this lane's first pair; `left`: blocks from the step's first to the strip's end.
  FUGU_HD void load(Fetched& into, const BlockPair* at, std::uint64_t left) const {
    const bool whole = left >= kStepBlocks;
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::uint32_t n = pair_block(j);
      const BlockPair* pair = at + j * kWarpLanes;
      into.data[j] = {};
      if (whole || n + 1 < left)
        into.data[j] = *pair;
      else if (n < left)
        into.data[j].a = pair->a;
    }
  }

  FUGU_HD void store(const BlockPair (&result)[vectors]) const {
    const bool whole = left_ >= kStepBlocks;
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::uint32_t n = pair_block(j);
      BlockPair* pair = out_ + j * kWarpLanes;
      if (whole || n + 1 < left_)
        *pair = result[j];
      else if (n < left_)
        pair->a = result[j].a;
    }
  }

  FUGU_HD void cipher(BlockPair (&result)[vectors]) const {
    Word left[2 * vectors];
    Word right[2 * vectors];
    for (std::size_t j = 0; j < vectors; ++j) {
      const BlockPair input = cipher_input(j);
      left[2 * j] = {reorder<words>(input.a.first)};
      right[2 * j] = {reorder<words>(input.a.second)};
      left[2 * j + 1] = {reorder<words>(input.b.first)};
      right[2 * j + 1] = {reorder<words>(input.b.second)};
    }
    core::run_blocks<direction_of(op)>(tables_, left, right);
    for (std::size_t j = 0; j < vectors; ++j) {
      result[j].a = {reorder<words>(left[2 * j].value), reorder<words>(right[2 * j].value)};
      result[j].b = {reorder<words>(left[2 * j + 1].value), reorder<words>(right[2 * j + 1].value)};
      combine(result[j], j);
    }
  }

  FUGU_HD BlockPair cipher_input(std::size_t j) const {
    if constexpr (op == core::Op::ctr) {
      const std::uint64_t value = counter_ + pair_block(j);
      const auto order = arguments_.little_counter ? core::ByteOrder::little : core::ByteOrder::big;
      return {words_of_image(core::counter_bytes(value, order)),
              words_of_image(core::counter_bytes(value + 1, order))};
    }
    if constexpr (op == core::Op::cfb_decrypt) return {current_.previous[j], current_.data[j].a};
    return current_.data[j];
  }

  FUGU_HD void combine(BlockPair& result, std::size_t j) const {
    const BlockPair& data = current_.data[j];
    if constexpr (op == core::Op::ctr || op == core::Op::cfb_decrypt)
      result = {result.a ^ data.a, result.b ^ data.b};
    if constexpr (op == core::Op::cbc_decrypt) result = {result.a ^ current_.previous[j], result.b ^ data.a};
  }

  // The position of this lane's pair j, relative to the step's first block.
  FUGU_HD std::uint32_t pair_block(std::size_t j) const {
    return 2 * (static_cast<std::uint32_t>(j) * kWarpLanes + place_.lane());
  }

  const BlowfishArguments& arguments_;
  std::uint32_t* shared_;
  ThreadPlace place_;
  SharedTables<replicated> tables_;
  const std::uint32_t* schedule_ = nullptr;  // its tables are in shared memory
  int segment_ = 0;
  std::uint64_t unit_;        // where the next run begins
  std::uint64_t end_unit_;    // of this thread-block
  std::uint64_t first_unit_;  // the thread-block's first unit
  std::uint64_t run_unit_ = 0;

  const BlockPair* in_ = nullptr;  // this lane's first pair of the current step
  BlockPair* out_ = nullptr;
  std::uint64_t left_ = 0;     // blocks from the step's first to the strip's end
  std::uint64_t counter_ = 0;  // ctr: the counter of the step's first block
  BlockWords chain_{};         // cbc, cfb, in lane 0: the ciphertext block before its next pair
  Fetched current_;
  Fetched pending_;
};

}  // namespace fugu::kernels
