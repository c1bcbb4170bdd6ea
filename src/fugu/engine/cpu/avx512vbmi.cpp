// Rules: only functions marked FUGU_AVX512VBMI hold wide code, and the leaves among them are plain inline:
// the rounds (core/feistel.hpp) are compiled for any CPU, so a leaf can only be inlined once the rounds are
// inside a marked function, which [[gnu::flatten]] brings about.
#include "fugu/engine/cpu/avx512vbmi.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>

#include "fugu/core/feistel.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/engine/cpu/scalar.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \
    "-Wuninitialized"  // GCC bug 105593: its own _mm512_undefined_*() inside intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define FUGU_AVX512VBMI [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]]

namespace fugu::engine::cpu {
namespace {
namespace avx512vbmi {  // tools/check_isa lets wide code stand in functions that name their extension

using core::ByteOrder;
using core::Direction;

constexpr std::size_t kSliceBlocks = 64;
constexpr std::size_t kWordBytes = 4;

// 64 words: plane 0 holds their most significant bytes.
struct SlicedWord {
  __m512i plane[kWordBytes];
};

FUGU_AVX512VBMI inline SlicedWord& operator^=(SlicedWord& a, const SlicedWord& b) {
  for (std::size_t j = 0; j < kWordBytes; ++j) a.plane[j] = _mm512_xor_si512(a.plane[j], b.plane[j]);
  return a;
}

FUGU_AVX512VBMI inline SlicedWord operator^(SlicedWord a, const SlicedWord& b) {
  return a ^= b;
}

// The top bit of every byte. Opaque, because clang otherwise trades the mask for comparisons that compete
// with the permutes for Intel's port 5.
FUGU_AVX512VBMI inline __mmask64 top_bits(__m512i x) {
  __mmask64 mask = _mm512_movepi8_mask(x);
  asm("" : "+k"(mask));
  return mask;
}

// Carries come from the top bits of majority(a, b, not sum): a byte comparison would do, but competes with
// the permutes for Intel's port 5.
FUGU_AVX512VBMI inline SlicedWord operator+(const SlicedWord& a, const SlicedWord& b) {
  constexpr int kMajorityOfAAndBAndNotC = 0xd4;
  const __m512i minus_one = _mm512_set1_epi8(-1);
  SlicedWord sum;
  __mmask64 carry = 0;
  for (std::size_t j = kWordBytes; j-- != 0;) {
    sum.plane[j] = _mm512_add_epi8(a.plane[j], b.plane[j]);
    if (j != kWordBytes - 1)
      sum.plane[j] = _mm512_mask_sub_epi8(sum.plane[j], carry, sum.plane[j], minus_one);
    if (j != 0) {
      carry =
          top_bits(_mm512_ternarylogic_epi64(a.plane[j], b.plane[j], sum.plane[j], kMajorityOfAAndBAndNotC));
    }
  }
  return sum;
}

// A schedule as the slices use it: each S-box as four tables of bytes, each subkey byte repeated to a word,
// since broadcasting a byte from memory takes port 5 and broadcasting a word does not.
struct alignas(64) SlicedTables {
  std::uint8_t s[core::kSboxes][kWordBytes][core::kSboxEntries];
  std::uint32_t p[core::kSubkeys][kWordBytes];

  FUGU_AVX512VBMI explicit SlicedTables(const cipher::Schedule& schedule);
  SlicedTables(const SlicedTables&) = delete;
  SlicedTables& operator=(const SlicedTables&) = delete;
  ~SlicedTables() { core::wipe(this, sizeof *this); }
};

FUGU_AVX512VBMI SlicedTables::SlicedTables(const cipher::Schedule& schedule) {
  for (std::size_t box = 0; box < core::kSboxes; ++box) {
    for (std::size_t i = 0; i < core::kSboxEntries; i += 16) {
      const __m512i words = _mm512_loadu_si512(schedule.s[box] + i);
      for (unsigned j = 0; j < kWordBytes; ++j) {
        const __m128i bytes = _mm512_cvtepi32_epi8(_mm512_srli_epi32(words, 24 - 8 * j));
        _mm_store_si128(reinterpret_cast<__m128i*>(s[box][j] + i), bytes);
      }
    }
  }
  for (std::size_t i = 0; i < core::kSubkeys; ++i) {
    for (unsigned j = 0; j < kWordBytes; ++j) p[i][j] = (schedule.p[i] >> (24 - 8 * j) & 0xffu) * 0x01010101u;
  }
}

FUGU_AVX512VBMI inline __m512i quarter(const std::uint8_t* table, std::size_t i) {
  return _mm512_load_si512(table + 64 * i);
}

// table[x] for the four tables of one S-box, as two permutes of two registers and a choice by bit 7.
struct TwoSourceLookup {
  FUGU_AVX512VBMI static inline SlicedWord look_up(
      const std::uint8_t (&tables)[kWordBytes][core::kSboxEntries], __m512i x) {
    const __mmask64 bit7 = top_bits(x);
    SlicedWord y;
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      const std::uint8_t* table = tables[j];
      const __m512i low = _mm512_permutex2var_epi8(quarter(table, 0), x, quarter(table, 1));
      const __m512i high = _mm512_permutex2var_epi8(quarter(table, 2), x, quarter(table, 3));
      y.plane[j] = _mm512_mask_blend_epi8(bit7, low, high);
    }
    return y;
  }
};

// The same as four permutes of one register, each writing only the bytes whose bits 7 and 6 select it.
struct MaskedLookup {
  FUGU_AVX512VBMI static inline SlicedWord look_up(
      const std::uint8_t (&tables)[kWordBytes][core::kSboxEntries], __m512i x) {
    const __mmask64 bit7 = top_bits(x);
    const __mmask64 bit6 = top_bits(_mm512_add_epi8(x, x));
    const __mmask64 both = _kand_mask64(bit7, bit6);
    SlicedWord y;
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      const std::uint8_t* table = tables[j];
      y.plane[j] = _mm512_permutexvar_epi8(x, quarter(table, 0));
      y.plane[j] = _mm512_mask_permutexvar_epi8(y.plane[j], bit6, x, quarter(table, 1));
      y.plane[j] = _mm512_mask_permutexvar_epi8(y.plane[j], bit7, x, quarter(table, 2));
      y.plane[j] = _mm512_mask_permutexvar_epi8(y.plane[j], both, x, quarter(table, 3));
    }
    return y;
  }
};

template <class Lookup>
class SlicedAccessor {
 public:
  using Word = SlicedWord;

  explicit SlicedAccessor(const SlicedTables& tables) : tables_(tables) {}

  template <int i>
  FUGU_AVX512VBMI inline Word sbox(const Word& x) const {
    const SlicedTables* tables = &tables_;
    // Hides that the tables are the same in every round: or else g++ copies all of them to the stack before
    // the first, where nothing would wipe them.
    asm volatile("" : "+r"(tables));
    return Lookup::look_up(tables->s[i], x.plane[i]);
  }
  FUGU_AVX512VBMI inline void mix_subkey(Word& x, int i) const {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      x.plane[j] = _mm512_xor_si512(x.plane[j], _mm512_set1_epi32(static_cast<int>(tables_.p[i][j])));
    }
  }

 private:
  const SlicedTables& tables_;
};

// Planes 0 to 3: left word, most significant byte first; 4 to 7: right word.
struct Slice {
  __m512i plane[core::kBlockBytes];
};

template <class Lookup, Direction direction, std::size_t slices>
FUGU_AVX512VBMI [[gnu::flatten]] void cipher_slices(const SlicedTables& tables, Slice* state) {
  SlicedWord left[slices];
  SlicedWord right[slices];
  for (std::size_t s = 0; s < slices; ++s) {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      left[s].plane[j] = state[s].plane[j];
      right[s].plane[j] = state[s].plane[kWordBytes + j];
    }
  }
  core::run_blocks<direction>(SlicedAccessor<Lookup>(tables), left, right);
  for (std::size_t s = 0; s < slices; ++s) {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      state[s].plane[j] = left[s].plane[j];
      state[s].plane[kWordBytes + j] = right[s].plane[j];
    }
  }
}

// A byte of eight registers has a 7-bit place: 3 bits register, 4 bits byte in its lane (lanes stay apart).
// This rotates the place left by one: what was the top bit of the register becomes the lowest of the byte.
// Blocks lie in memory with their byte number in the low 3 bits, so 4 turns make it the register: planes. 3
// more make 7: memory.
FUGU_AVX512VBMI inline void rotate_place(__m512i (&r)[8]) {
  const __m512i a[8] = {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]};
  for (std::size_t k = 0; k < 4; ++k) {
    r[2 * k] = _mm512_unpacklo_epi8(a[k], a[k + 4]);
    r[2 * k + 1] = _mm512_unpackhi_epi8(a[k], a[k + 4]);
  }
}

// Which plane byte j of a block in memory belongs to.
using PlaneOrder = std::array<std::uint8_t, core::kBlockBytes>;

constexpr PlaneOrder plane_order(ByteOrder words, bool reversed) {
  PlaneOrder order{};
  for (std::size_t j = 0; j < order.size(); ++j) {
    const std::size_t byte = reversed ? 7 - j : j;
    order[j] = static_cast<std::uint8_t>(words == ByteOrder::big ? byte : byte ^ 3);
  }
  return order;
}

FUGU_AVX512VBMI inline void to_planes(__m512i (&rows)[8], const PlaneOrder& order, Slice& slice) {
  for (int turn = 0; turn < 4; ++turn) rotate_place(rows);
  for (std::size_t j = 0; j < 8; ++j) slice.plane[order[j]] = rows[j];
}

FUGU_AVX512VBMI inline void from_planes(const Slice& slice, const PlaneOrder& order, __m512i (&rows)[8]) {
  for (std::size_t j = 0; j < 8; ++j) rows[j] = slice.plane[order[j]];
  for (int turn = 0; turn < 3; ++turn) rotate_place(rows);
}

constexpr std::size_t kRowBytes = 64;  // 8 blocks
constexpr std::size_t kSliceBytes = kSliceBlocks * core::kBlockBytes;
constexpr std::size_t kMaxSlices = 2;  // measured: one leaves the permutes waiting, three spill

using SliceCipher = void (*)(const SlicedTables&, Slice*);

// What all groups of a piece share.
struct Work {
  const SlicedTables& tables;
  std::array<SliceCipher, kMaxSlices> cipher;  // for 1, 2, ... slices at a time
  PlaneOrder order_in;
  PlaneOrder order_out;
  std::uint64_t chain;  // ctr: native; else: the block before the piece, as it lies in memory
};

// Row `row` of the group at block `first`, each block replaced by the one before it. The block before the
// piece is not in memory: that element is masked out.
FUGU_AVX512VBMI inline __m512i previous_row(const Work& work, const Piece& piece, std::size_t byte) {
  const __mmask8 in_memory = byte == 0 ? 0xfe : 0xff;
  const __m512i before = _mm512_set1_epi64(static_cast<long long>(work.chain));
  return _mm512_mask_loadu_epi64(before, in_memory, piece.in + byte - core::kBlockBytes);
}

FUGU_AVX512VBMI inline __m512i counter_row(const Work& work, std::size_t byte) {
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(work.chain + byte / core::kBlockBytes));
  return _mm512_add_epi64(first, _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
}

template <Op op>
FUGU_AVX512VBMI inline __m512i cipher_input_row(const Work& work, const Piece& piece, std::size_t byte) {
  if constexpr (op == Op::ctr) return counter_row(work, byte);
  if constexpr (op == Op::cfb_decrypt) return previous_row(work, piece, byte);
  return _mm512_loadu_si512(piece.in + byte);
}

template <Op op>
FUGU_AVX512VBMI inline __m512i output_row(const Work& work, const Piece& piece, std::size_t byte,
                                          __m512i row) {
  if constexpr (op == Op::ctr || op == Op::cfb_decrypt) {
    return _mm512_xor_si512(row, _mm512_loadu_si512(piece.in + byte));
  }
  if constexpr (op == Op::cbc_decrypt) return _mm512_xor_si512(row, previous_row(work, piece, byte));
  return row;
}

// Rows are written last to first, as groups are: in place, what chains to a block still has to be read from
// it.
template <Op op>
FUGU_AVX512VBMI [[gnu::flatten]] void run_group(const Work& work, const Piece& piece, std::size_t first_byte,
                                                std::size_t slices, Slice* state) {
  __m512i rows[8];
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t byte = first_byte + s * kSliceBytes;
    for (std::size_t k = 0; k < 8; ++k) rows[k] = cipher_input_row<op>(work, piece, byte + k * kRowBytes);
    to_planes(rows, work.order_in, state[s]);
  }
  work.cipher[slices - 1](work.tables, state);
  for (std::size_t s = slices; s-- != 0;) {
    const std::size_t byte = first_byte + s * kSliceBytes;
    from_planes(state[s], work.order_out, rows);
    for (std::size_t k = 8; k-- != 0;) {
      const std::size_t at = byte + k * kRowBytes;
      _mm512_storeu_si512(piece.out + at, output_row<op>(work, piece, at, rows[k]));
    }
  }
}

template <Op op>
FUGU_AVX512VBMI void run_groups(const Work& work, const Piece& piece, std::size_t slices) {
  Slice state[kMaxSlices];
  while (slices != 0) {
    const std::size_t count = slices < kMaxSlices ? slices : kMaxSlices;
    slices -= count;
    run_group<op>(work, piece, slices * kSliceBytes, count, state);
  }
  core::wipe(state, sizeof state);
}

// The blocks after the last whole slice.
void run_rest(Op op, const Piece& piece, std::size_t first) noexcept {
  if (first == piece.blocks) return;
  Piece rest = piece;
  rest.in += first * core::kBlockBytes;
  rest.out += first * core::kBlockBytes;
  rest.blocks -= first;
  if (op == Op::ctr) {
    rest.chain += first;
  } else if (first != 0) {
    rest.chain = core::load_u64_big(rest.in - core::kBlockBytes);
  }
  run_scalar(op, rest);
}

template <class Lookup, Direction direction>
constexpr std::array<SliceCipher, kMaxSlices> kSliceCiphers{cipher_slices<Lookup, direction, 1>,
                                                            cipher_slices<Lookup, direction, 2>};

template <class Lookup>
Work work_of(Op op, const Piece& piece, const SlicedTables& tables) {
  const bool decrypts = op == Op::ecb_decrypt || op == Op::cbc_decrypt;
  // A counter is a number in a register: its bytes lie as in memory only if that order is little-endian.
  const bool reversed = op == Op::ctr && piece.counter == ByteOrder::big;
  return {tables,
          decrypts ? kSliceCiphers<Lookup, Direction::decrypt> : kSliceCiphers<Lookup, Direction::encrypt>,
          plane_order(piece.words, reversed), plane_order(piece.words, false),
          op == Op::ctr ? piece.chain : core::byte_swap(piece.chain)};
}

template <class Lookup>
void run(Op op, const Piece& piece) noexcept {
  const std::size_t slices = piece.blocks / kSliceBlocks;
  run_rest(op, piece, slices * kSliceBlocks);  // first: in place, the slices overwrite what it chains to
  if (slices == 0) return;
  const SlicedTables tables(*piece.schedule);
  const Work work = work_of<Lookup>(op, piece, tables);
  switch (op) {
    case Op::ecb_encrypt:
      return run_groups<Op::ecb_encrypt>(work, piece, slices);
    case Op::ecb_decrypt:
      return run_groups<Op::ecb_decrypt>(work, piece, slices);
    case Op::ctr:
      return run_groups<Op::ctr>(work, piece, slices);
    case Op::cbc_decrypt:
      return run_groups<Op::cbc_decrypt>(work, piece, slices);
    case Op::cfb_decrypt:
      return run_groups<Op::cfb_decrypt>(work, piece, slices);
  }
}

}  // namespace avx512vbmi
}  // namespace

Kernel avx512vbmi_kernel(const CpuFeatures& features) noexcept {
  if (!features.avx512f || !features.avx512bw || !features.avx512vl || !features.avx512vbmi) return nullptr;
  return features.fast_two_source_permutes ? avx512vbmi::run<avx512vbmi::TwoSourceLookup>
                                           : avx512vbmi::run<avx512vbmi::MaskedLookup>;
}

}  // namespace fugu::engine::cpu

#else

namespace fugu::engine::cpu {

Kernel avx512vbmi_kernel(const CpuFeatures&) noexcept {
  return nullptr;
}

}  // namespace fugu::engine::cpu

#endif
