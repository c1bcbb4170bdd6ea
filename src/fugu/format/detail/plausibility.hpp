// The evidence that decrypted bytes are the beginning of a file and not noise. Private to format.
//
// The figure is a log-likelihood ratio, log2(P(bytes | files) / P(bytes | uniform noise)), where P(. | files)
// is a mixture of distributions of bytes (text, binary) and of UTF-8's characters, of known magic numbers,
// and of noise itself, since many plaintexts are compressed. The mixture is a probability distribution, so
// the ratio's mean over noise is 1, and by Markov's inequality noise reaches b bits at most once in 2^b. The
// bound also holds for its sum with the logarithm of a prior and with other independent ratios.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu::format {

inline constexpr std::size_t kPlausibilityBytes = 64;

// Reads the first kPlausibilityBytes of `beginning`, or all if it is shorter. Never below -1: noise has half
// of the mixture.
double plausibility_bits(std::span<const std::byte> beginning);

// The same for text alone.
double text_bits(std::span<const std::byte> beginning);

// log2 of the number of ways to choose `chosen` of `of` things: of messages, say, those that open.
double log2_choices(std::uint64_t of, std::uint64_t chosen);

}  // namespace fugu::format
