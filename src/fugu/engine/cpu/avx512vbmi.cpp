// Blowfish byte-sliced in AVX-512 registers: no look-up of the kernel touches memory at a data-dependent
// address. Those of an encryption on this engine do: short rests, serial chains and key schedules are scalar.
//
// The state of 64 blocks is eight planes of 64 bytes, plane j holding byte j of every block. A 256-byte table
// is four registers indexed by byte permutes; 32-bit additions run plane by plane with carries in mask
// registers. Needs AVX-512 F, BW, VL and VBMI (Ice Lake, Zen 4 and later). The rules of avx512vbmi_words.hpp
// hold here.
#include "fugu/engine/cpu/kernels.hpp"

#if defined(__x86_64__)

#include <array>

#include "fugu/engine/cpu/avx512vbmi_words.hpp"

namespace fugu::engine::cpu {
namespace avx512vbmi {
namespace {

using core::ByteOrder;
using core::Direction;

constexpr std::size_t kSliceBlocks = 64;

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

// A byte of eight registers has a 7-bit place: 3 bits for the register, 4 bits for the byte in its lane
// (lanes stay apart). This rotates the place left by one: the top bit of the register becomes the lowest of
// the byte. Blocks lie in memory with their byte number in the low 3 bits, so 4 rotations move it to the
// register: planes. 3 more give 7: memory.
FUGU_AVX512VBMI inline void rotate_place(__m512i (&r)[8]) {
  const __m512i a[8] = {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]};
  for (std::size_t k = 0; k < 4; ++k) {
    r[2 * k] = _mm512_unpacklo_epi8(a[k], a[k + 4]);
    r[2 * k + 1] = _mm512_unpackhi_epi8(a[k], a[k + 4]);
  }
}

// The plane of byte j of a block in memory.
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
constexpr std::size_t kMaxSlices = 2;  // each quarter of a table serves both; three would spill registers

using SliceCipher = void (*)(const SlicedTables&, Slice*);

// The data shared by all groups of a piece.
struct SharedData {
  const SlicedTables& tables;
  std::array<SliceCipher, kMaxSlices> cipher;  // for 1, 2, ... slices at a time
  PlaneOrder order_in;
  PlaneOrder order_out;
  std::uint64_t chain;  // ctr: native; else: the block before the piece, as it lies in memory
};

// Row `row` of the group at block `first`, each block replaced by its predecessor. The block before the piece
// is not in memory: that element is masked out.
FUGU_AVX512VBMI inline __m512i previous_row(const SharedData& shared, const Piece& piece, std::size_t byte) {
  const __mmask8 in_memory = byte == 0 ? 0xfe : 0xff;
  const __m512i before = _mm512_set1_epi64(static_cast<long long>(shared.chain));
  return _mm512_mask_loadu_epi64(before, in_memory, piece.in + byte - core::kBlockBytes);
}

FUGU_AVX512VBMI inline __m512i counter_row(const SharedData& shared, std::size_t byte) {
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(shared.chain + byte / core::kBlockBytes));
  return _mm512_add_epi64(first, _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
}

template <Op op>
FUGU_AVX512VBMI inline __m512i cipher_input_row(const SharedData& shared, const Piece& piece,
                                                std::size_t byte) {
  if constexpr (op == Op::ctr) return counter_row(shared, byte);
  if constexpr (op == Op::cfb_decrypt) return previous_row(shared, piece, byte);
  return _mm512_loadu_si512(piece.in + byte);
}

template <Op op>
FUGU_AVX512VBMI inline __m512i output_row(const SharedData& shared, const Piece& piece, std::size_t byte,
                                          __m512i row) {
  if constexpr (op == Op::ctr || op == Op::cfb_decrypt) {
    return _mm512_xor_si512(row, _mm512_loadu_si512(piece.in + byte));
  }
  if constexpr (op == Op::cbc_decrypt) return _mm512_xor_si512(row, previous_row(shared, piece, byte));
  return row;
}

// Rows are written from last to first, like groups: in place, a block's predecessor must still be readable.
template <Op op>
FUGU_AVX512VBMI [[gnu::flatten]] void run_group(const SharedData& shared, const Piece& piece,
                                                std::size_t first_byte, std::size_t slices, Slice* state) {
  __m512i rows[8];
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t byte = first_byte + s * kSliceBytes;
    for (std::size_t k = 0; k < 8; ++k) rows[k] = cipher_input_row<op>(shared, piece, byte + k * kRowBytes);
    to_planes(rows, shared.order_in, state[s]);
  }
  shared.cipher[slices - 1](shared.tables, state);
  for (std::size_t s = slices; s-- != 0;) {
    const std::size_t byte = first_byte + s * kSliceBytes;
    from_planes(state[s], shared.order_out, rows);
    for (std::size_t k = 8; k-- != 0;) {
      const std::size_t at = byte + k * kRowBytes;
      _mm512_storeu_si512(piece.out + at, output_row<op>(shared, piece, at, rows[k]));
    }
  }
}

template <Op op>
FUGU_AVX512VBMI void run_groups(const SharedData& shared, const Piece& piece, std::size_t slices) {
  Slice state[kMaxSlices];
  while (slices != 0) {
    const std::size_t count = slices < kMaxSlices ? slices : kMaxSlices;
    slices -= count;
    run_group<op>(shared, piece, slices * kSliceBytes, count, state);
  }
  core::wipe(state, sizeof state);
  clear_registers();
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
SharedData shared_data_of(Op op, const Piece& piece, const SlicedTables& tables) {
  const bool decrypts = op == Op::ecb_decrypt || op == Op::cbc_decrypt;
  // The counter is a number in a register: its bytes match memory only if its order is little-endian.
  const bool reversed = op == Op::ctr && piece.counter == ByteOrder::big;
  return {tables,
          decrypts ? kSliceCiphers<Lookup, Direction::decrypt> : kSliceCiphers<Lookup, Direction::encrypt>,
          plane_order(piece.words, reversed), plane_order(piece.words, false),
          op == Op::ctr ? piece.chain : core::byte_swap(piece.chain)};
}

template <class Lookup>
void run(Op op, const Piece& piece) noexcept {
  const std::size_t slices = piece.blocks / kSliceBlocks;
  run_rest(op, piece, slices * kSliceBlocks);  // first: in place, the slices overwrite its chaining block
  if (slices == 0) return;
  const SlicedTables tables(*piece.schedule);
  const SharedData shared = shared_data_of<Lookup>(op, piece, tables);
  switch (op) {
    case Op::ecb_encrypt:
      return run_groups<Op::ecb_encrypt>(shared, piece, slices);
    case Op::ecb_decrypt:
      return run_groups<Op::ecb_decrypt>(shared, piece, slices);
    case Op::ctr:
      return run_groups<Op::ctr>(shared, piece, slices);
    case Op::cbc_decrypt:
      return run_groups<Op::cbc_decrypt>(shared, piece, slices);
    case Op::cfb_decrypt:
      return run_groups<Op::cfb_decrypt>(shared, piece, slices);
  }
}

}  // namespace
}  // namespace avx512vbmi

// The look-up that suits the CPU: two-register permutes (one micro-operation on AMD's cores, three on
// Intel's), or masked permutes of one register.
Kernel avx512vbmi_kernel(const core::CpuFeatures& features) noexcept {
  if (!features.avx512f || !features.avx512bw || !features.avx512vl || !features.avx512vbmi) return nullptr;
  return features.fast_two_source_permutes ? avx512vbmi::run<avx512vbmi::TwoSourceLookup>
                                           : avx512vbmi::run<avx512vbmi::MaskedLookup>;
}

}  // namespace fugu::engine::cpu

#else

namespace fugu::engine::cpu {

Kernel avx512vbmi_kernel(const core::CpuFeatures&) noexcept {
  return nullptr;
}

}  // namespace fugu::engine::cpu

#endif
