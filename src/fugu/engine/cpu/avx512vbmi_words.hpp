// The words of many blocks, byte-sliced in AVX-512 registers, and the table accessor that runs the rounds of
// core/feistel.hpp on them. Only avx512vbmi.cpp includes this.
//
// Rules: only functions marked FUGU_AVX512VBMI hold wide code, and the leaves among them are plain inline:
// the rounds are compiled for any CPU, so a leaf can only be inlined once the rounds are inlined into a
// marked function, which [[gnu::flatten]] does.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/feistel.hpp"
#include "fugu/core/wipe.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \
    "-Wuninitialized"  // GCC bug 105593: its own _mm512_undefined_*() inside intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define FUGU_AVX512VBMI [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]]

// tools/check_isa allows wide code in functions whose names contain their extension.
namespace fugu::engine::cpu::avx512vbmi {

inline constexpr std::size_t kWordBytes = 4;

// 64 words per slice: plane 0 holds their most significant bytes.
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

// The top bit of every byte. The asm hides this from clang, which otherwise trades the mask for comparisons
// that compete with the permutes for Intel's port 5.
FUGU_AVX512VBMI inline __mmask64 top_bits(__m512i x) {
  __mmask64 mask = _mm512_movepi8_mask(x);
  asm("" : "+k"(mask));
  return mask;
}

// Clears all vector registers. Otherwise parts of tables and of the state stay in them, and a signal or a
// lazily bound call saves every register on the stack.
FUGU_AVX512VBMI inline void clear_registers() {
  asm volatile(
      "vzeroall\n\t"  // 0 to 15
      "vpxord %%xmm16, %%xmm16, %%xmm16\n\t"
      "vpxord %%xmm17, %%xmm17, %%xmm17\n\t"
      "vpxord %%xmm18, %%xmm18, %%xmm18\n\t"
      "vpxord %%xmm19, %%xmm19, %%xmm19\n\t"
      "vpxord %%xmm20, %%xmm20, %%xmm20\n\t"
      "vpxord %%xmm21, %%xmm21, %%xmm21\n\t"
      "vpxord %%xmm22, %%xmm22, %%xmm22\n\t"
      "vpxord %%xmm23, %%xmm23, %%xmm23\n\t"
      "vpxord %%xmm24, %%xmm24, %%xmm24\n\t"
      "vpxord %%xmm25, %%xmm25, %%xmm25\n\t"
      "vpxord %%xmm26, %%xmm26, %%xmm26\n\t"
      "vpxord %%xmm27, %%xmm27, %%xmm27\n\t"
      "vpxord %%xmm28, %%xmm28, %%xmm28\n\t"
      "vpxord %%xmm29, %%xmm29, %%xmm29\n\t"
      "vpxord %%xmm30, %%xmm30, %%xmm30\n\t"
      "vpxord %%xmm31, %%xmm31, %%xmm31"
      :
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
        "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

// A schedule in the form the slices use: each S-box as four byte tables, each subkey byte repeated to a word,
// since broadcasting a byte from memory takes port 5 and broadcasting a word does not.
struct alignas(64) SlicedTables {
  std::uint8_t s[core::kSboxes][kWordBytes][core::kSboxEntries];
  std::uint32_t p[core::kSubkeys][kWordBytes];

  FUGU_AVX512VBMI explicit SlicedTables(const cipher::Schedule& schedule);
  SlicedTables(const SlicedTables&) = delete;
  SlicedTables& operator=(const SlicedTables&) = delete;
  ~SlicedTables() { core::wipe(this, sizeof *this); }
};

FUGU_AVX512VBMI inline SlicedTables::SlicedTables(const cipher::Schedule& schedule) {
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

// A quarter of a table, in a register that all slices permute. The asm stops g++ from reading it from memory
// once per slice: permutes with a memory operand took a seventh more cycles.
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

// S_i of one byte of many words, not looked up yet: the operators below do so one plane at a time, when they
// can consume it at once. All planes of all terms would not fit the registers, nor their masks.
template <class Lookup, std::size_t slices>
struct SboxTerm {
  const ByteTable* tables;
  __m512i index[slices];
};

template <class Lookup, std::size_t slices>
class PlanesOf {
 public:
  FUGU_AVX512VBMI explicit inline PlanesOf(const SboxTerm<Lookup, slices>& term) : tables_(term.tables) {
    // Hides that the tables are the same in every round: otherwise g++ copies all of them to the stack before
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

// Carries come from the top bits of majority(a, b, not sum): a byte comparison would also work, but competes
// with the permutes for Intel's port 5.
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

}  // namespace fugu::engine::cpu::avx512vbmi
