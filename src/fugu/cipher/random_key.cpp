#include "fugu/cipher/random_key.hpp"

#include "fugu/core/block.hpp"
#include "fugu/core/splitmix.hpp"

namespace fugu::cipher {

RandomKey random_key(std::uint64_t seed) noexcept {
  core::SplitMix64 random(core::SplitMix64(seed).next());
  RandomKey made{};
  for (std::size_t at = 0; at < made.key.size(); at += 8)
    core::store_u64_big(made.key.data() + at, random.next());
  for (std::uint32_t& word : made.words) word = static_cast<std::uint32_t>(random.next() >> 32);
  return made;
}

}  // namespace fugu::cipher
