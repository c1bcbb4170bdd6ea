
#include <algorithm>

#include "fugu/spectral/detail/packed_bits.hpp"

namespace fugu::spectral {

template <class T>
void expand(std::span<const std::byte> packed, TableMeans means, std::span<T> out) {
  means == TableMeans::bits ? detail::expand<TableMeans::bits>(packed.data(), out)
                            : detail::expand<TableMeans::polarity>(packed.data(), out);
}
template void expand(std::span<const std::byte>, TableMeans, std::span<std::uint8_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<std::int32_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<std::int64_t>);
template void expand(std::span<const std::byte>, TableMeans, std::span<float>);
template void expand(std::span<const std::byte>, TableMeans, std::span<double>);

// Eight bytes at a time: the product gathers their lowest bits in its highest byte.
bool pack(std::span<const std::uint8_t> bytes, std::uint64_t& word) noexcept {
  std::uint8_t all[64] = {};
  std::copy_n(bytes.data(), bytes.size(), all);
  std::uint64_t seen = 0;
  word = 0;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, all + i, sizeof eight);
    seen |= eight;
    word |= (eight * 0x0102040810204080u >> 56) << i;
  }
  return (seen & ~std::uint64_t{0x0101010101010101u}) == 0;
}

}  // namespace fugu::spectral
