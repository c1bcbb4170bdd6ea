// How much a decrypted beginning looks like the beginning of a file rather than like noise. Private to
// format.
//
// The figure is a log-likelihood ratio, log2(P(bytes | files) / P(bytes | uniform noise)), where P(. | files)
// is a mixture of distributions of bytes (text, binary) and of UTF-8's characters, of known magic numbers,
// and of noise itself: much of what is encrypted was compressed before. The mixture is a probability
// distribution, so the ratio's mean over noise is 1, and by Markov's inequality noise reaches b bits at most
// once in 2^b. Added to the logarithm of a prior, and to other independent ratios, it stays such a bound.
#pragma once

#include <cstddef>
#include <span>

namespace fugu::format {

inline constexpr std::size_t kPlausibilityBytes = 64;

// Looks at the first kPlausibilityBytes of `beginning`, or all when it is shorter. Never below -1: noise has
// half of the mixture.
double plausibility_bits(std::span<const std::byte> beginning);

}  // namespace fugu::format
