// The evidence that bytes are the content of a file and not noise: a code. Private to format.
//
// A code assigns a probability to every string of bytes of a length. The evidence is log2(P(bytes) * 256^n):
// how many bits the code saves over noise. Its mean under noise, before the logarithm, is at most 1, so by
// Markov's inequality noise reaches b bits at most once in 2^b, and the same holds for sums over stories
// weighted by their priors (story.hpp). Nothing here may break that: whatever is added is one more member of
// a mixture whose weights sum to 1, and predicts each byte from those before it alone.
//
//   half of the weight    noise: evidence never falls below -1, or -2 behind a magic number
//   the other half        a sequence of stretches, each in one of the languages below; their weights follow
//                         what they predicted, and a share kSwitch of it is spread anew at each byte
//     text                bytes as in text, UTF-8 as lead bytes and their followers
//     columns             even and odd bytes by themselves: UTF-16, samples of 16 bits
//     repeats             the byte after the last two, the last one, or any, as often as it was seen so far
//     steps               the same for differences to the byte before: counters, ramps, pictures
//     rows                the same for differences to the byte eight before, by its place in the block: in
//                         pcbc and cbc one file's blocks are the other's differences
//   beginnings            a row of kBeginnings at the start of a content, then the above
//   ends                  a row of kEnds at the end of a content, after the above, and zeros, and the size
//   that gzip ends in
//
// To teach it a file type, add a row to kBeginnings (detail/beginnings.hpp) or kEnds (evidence.cpp): every
// row costs all others 1/rows of the weight, and evidence_test's counts over noise must stay below their
// bounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu::format {

// The most bytes that any padding adds.
inline constexpr std::size_t kMaxTaken = 8;

// Two figures. Between readings under one key all bytes count. Against a wrong secret only those count that
// it would make at random: where an input of the cipher repeats, so does its output under every key.
struct Bits {
  double all = 0;
  double sure = 0;

  Bits operator+(const Bits& other) const { return {all + other.all, sure + other.sure}; }
};

struct EvidenceBits {
  // [n]: the content goes on after the bytes but the last n, or its end is not known; -infinity if there are
  // fewer.
  std::array<Bits, kMaxTaken + 1> going_on = {};
  // [n]: the content ends there.
  std::array<Bits, kMaxTaken + 1> ending = {};
};

// What stands before the bytes; nothing before the beginning of a content.
struct Before {
  std::span<const std::byte> beginning = {};  // of the content
  std::uint64_t bytes = 0;
};

// `fresh`: a flag for each byte, whether a wrong key makes it at random; empty: all are.
EvidenceBits evidence_of(std::span<const std::byte> bytes, std::span<const std::uint8_t> fresh = {},
                         const Before& before = {});

// Of the beginning of a content: at most kBeginningBytes are looked at.
inline constexpr std::size_t kBeginningBytes = 512;
double evidence_bits(std::span<const std::byte> beginning);

// With so many, a file that does not end as it should is called damaged, and not its secret wrong.
inline constexpr double kPlausibleBits = 16;

// log2(2^a + 2^b), without overflow.
double log2_sum(double a, double b);

// log2 of the number of ways to choose `chosen` of `of` things: of messages, say, those that open.
double log2_choices(std::uint64_t of, std::uint64_t chosen);

}  // namespace fugu::format
