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

// 64 words a slice: plane 0 holds their most significant bytes.
template <std::size_t slices>
struct SlicedWord {
  __m512i plane[slices][kWordBytes];
};

template <std::size_t slices>
FUGU_AVX512VBMI inline SlicedWord<slices>& operator^=(SlicedWord<slices>& a, const SlicedWord<slices>& b) {
  for (std::size_t s = 0; s < slices; ++s) {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      a.plane[s][j] = _mm512_xor_si512(a.plane[s][j], b.plane[s][j]);
    }
  }
  return a;
}

// The top bit of every byte. Opaque, because clang otherwise trades the mask for comparisons that compete
// with the permutes for Intel's port 5.
FUGU_AVX512VBMI inline __mmask64 top_bits(__m512i x) {
  __mmask64 mask = _mm512_movepi8_mask(x);
  asm("" : "+k"(mask));
  return mask;
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

using ByteTable = std::uint8_t[core::kSboxEntries];

// A quarter of a table, in a register that all slices permute. Opaque, because g++ otherwise reads it from
// memory once a slice: permutes with an operand in memory took a seventh more cycles.
FUGU_AVX512VBMI inline __m512i quarter(const ByteTable& table, std::size_t i) {
  __m512i entries = _mm512_load_si512(table + 64 * i);
  asm("" : "+v"(entries));
  return entries;
}

// table[x] as two permutes of two registers and a choice by bit 7.
struct TwoSourceLookup {
  __m512i x;
  __mmask64 bit7;

  FUGU_AVX512VBMI inline void select(__m512i bytes) {
    x = bytes;
    bit7 = top_bits(x);
  }
  template <std::size_t slices>
  FUGU_AVX512VBMI static inline void look_up(const TwoSourceLookup (&at)[slices], const ByteTable& table,
                                             __m512i (&y)[slices]) {
    const __m512i q[4] = {quarter(table, 0), quarter(table, 1), quarter(table, 2), quarter(table, 3)};
    for (std::size_t s = 0; s < slices; ++s) {
      const __m512i low = _mm512_permutex2var_epi8(q[0], at[s].x, q[1]);
      const __m512i high = _mm512_permutex2var_epi8(q[2], at[s].x, q[3]);
      y[s] = _mm512_mask_blend_epi8(at[s].bit7, low, high);
    }
  }
};

// The same as four permutes of one register, each writing only the bytes whose bits 7 and 6 select it.
struct MaskedLookup {
  __m512i x;
  __mmask64 bit6, bit7, both;

  FUGU_AVX512VBMI inline void select(__m512i bytes) {
    x = bytes;
    bit7 = top_bits(x);
    bit6 = top_bits(_mm512_add_epi8(x, x));
    both = _kand_mask64(bit7, bit6);
  }
  template <std::size_t slices>
  FUGU_AVX512VBMI static inline void look_up(const MaskedLookup (&at)[slices], const ByteTable& table,
                                             __m512i (&y)[slices]) {
    __m512i q = quarter(table, 0);
    for (std::size_t s = 0; s < slices; ++s) y[s] = _mm512_permutexvar_epi8(at[s].x, q);
    q = quarter(table, 1);
    for (std::size_t s = 0; s < slices; ++s)
      y[s] = _mm512_mask_permutexvar_epi8(y[s], at[s].bit6, at[s].x, q);
    q = quarter(table, 2);
    for (std::size_t s = 0; s < slices; ++s)
      y[s] = _mm512_mask_permutexvar_epi8(y[s], at[s].bit7, at[s].x, q);
    q = quarter(table, 3);
    for (std::size_t s = 0; s < slices; ++s)
      y[s] = _mm512_mask_permutexvar_epi8(y[s], at[s].both, at[s].x, q);
  }
};

// S_i of one byte of many words, not looked up yet: the operators below do that a plane at a time, when they
// can use it up at once. All planes of all terms would not fit the registers, nor their masks.
template <class Lookup, std::size_t slices>
struct SboxTerm {
  const ByteTable* tables;
  __m512i index[slices];
};

template <class Lookup, std::size_t slices>
class PlanesOf {
 public:
  FUGU_AVX512VBMI explicit inline PlanesOf(const SboxTerm<Lookup, slices>& term) : tables_(term.tables) {
    // Hides that the tables are the same in every round: or else g++ copies all of them to the stack before
    // the first, where nothing would wipe them.
    asm volatile("" : "+r"(tables_));
    for (std::size_t s = 0; s < slices; ++s) at_[s].select(term.index[s]);
  }
  // y[s]: plane j of slice s.
  FUGU_AVX512VBMI inline void look_up(std::size_t j, __m512i (&y)[slices]) const {
    Lookup::look_up(at_, tables_[j], y);
  }

 private:
  const ByteTable* tables_;
  Lookup at_[slices];
};

template <class Lookup, std::size_t slices>
FUGU_AVX512VBMI inline SlicedWord<slices> looked_up(const SboxTerm<Lookup, slices>& term) {
  const PlanesOf planes(term);
  SlicedWord<slices> word;
  for (std::size_t j = kWordBytes; j-- != 0;) {
    __m512i y[slices];
    planes.look_up(j, y);
    for (std::size_t s = 0; s < slices; ++s) word.plane[s][j] = y[s];
  }
  return word;
}

// Carries come from the top bits of majority(a, b, not sum): a byte comparison would do, but competes with
// the permutes for Intel's port 5.
template <class Lookup, std::size_t slices>
FUGU_AVX512VBMI inline SlicedWord<slices> operator+(SlicedWord<slices> a,
                                                    const SboxTerm<Lookup, slices>& term) {
  constexpr int kMajorityOfAAndBAndNotC = 0xd4;
  const __m512i minus_one = _mm512_set1_epi8(-1);
  const PlanesOf planes(term);
  __m512i carries[slices];
  for (std::size_t j = kWordBytes; j-- != 0;) {
    __m512i b[slices];
    planes.look_up(j, b);
    for (std::size_t s = 0; s < slices; ++s) {
      __m512i sum = _mm512_add_epi8(a.plane[s][j], b[s]);
      if (j != kWordBytes - 1) sum = _mm512_mask_sub_epi8(sum, top_bits(carries[s]), sum, minus_one);
      if (j != 0) carries[s] = _mm512_ternarylogic_epi64(a.plane[s][j], b[s], sum, kMajorityOfAAndBAndNotC);
      a.plane[s][j] = sum;
    }
  }
  return a;
}

template <class Lookup, std::size_t slices>
FUGU_AVX512VBMI inline SlicedWord<slices> operator+(const SboxTerm<Lookup, slices>& a,
                                                    const SboxTerm<Lookup, slices>& b) {
  return looked_up(b) + a;
}

template <class Lookup, std::size_t slices>
FUGU_AVX512VBMI inline SlicedWord<slices> operator^(SlicedWord<slices> a,
                                                    const SboxTerm<Lookup, slices>& term) {
  return a ^= looked_up(term);
}

template <class Lookup, std::size_t slices>
class SlicedAccessor {
 public:
  using Word = SlicedWord<slices>;

  explicit SlicedAccessor(const SlicedTables& tables) : tables_(tables) {}

  template <int i>
  FUGU_AVX512VBMI inline SboxTerm<Lookup, slices> sbox(const Word& x) const {
    SboxTerm<Lookup, slices> term;
    term.tables = tables_.s[i];
    for (std::size_t s = 0; s < slices; ++s) term.index[s] = x.plane[s][i];
    return term;
  }
  FUGU_AVX512VBMI inline void mix_subkey(Word& x, int i) const {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      const __m512i subkey = _mm512_set1_epi32(static_cast<int>(tables_.p[i][j]));
      for (std::size_t s = 0; s < slices; ++s) x.plane[s][j] = _mm512_xor_si512(x.plane[s][j], subkey);
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
  SlicedWord<slices> left[1];
  SlicedWord<slices> right[1];
  for (std::size_t s = 0; s < slices; ++s) {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      left[0].plane[s][j] = state[s].plane[j];
      right[0].plane[s][j] = state[s].plane[kWordBytes + j];
    }
  }
  core::run_blocks<direction>(SlicedAccessor<Lookup, slices>(tables), left, right);
  for (std::size_t s = 0; s < slices; ++s) {
    for (std::size_t j = 0; j < kWordBytes; ++j) {
      state[s].plane[j] = left[0].plane[s][j];
      state[s].plane[kWordBytes + j] = right[0].plane[s][j];
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
constexpr std::size_t kMaxSlices = 2;  // each quarter of a table serves both; three spill

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
