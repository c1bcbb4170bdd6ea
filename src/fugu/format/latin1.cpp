#include "fugu/format/detail/latin1.hpp"

#include <utility>

namespace fugu::format {

Latin1 to_latin1(std::span<const std::byte> utf8) {
  auth::SecretBytes bytes(utf8.size());
  std::size_t size = 0;
  std::size_t at = 0;
  for (; at < utf8.size(); ++at) {
    const auto value = std::to_integer<unsigned>(utf8[at]);
    if (value < 0x80) {
      bytes.data()[size++] = utf8[at];
      continue;
    }
    const bool is_latin1 = (value == 0xc2 || value == 0xc3) && at + 1 < utf8.size() &&
                           (utf8[at + 1] & std::byte{0xc0}) == std::byte{0x80};
    if (!is_latin1) break;
    bytes.data()[size++] =
        static_cast<std::byte>((value << 6 & 0xc0) | (std::to_integer<unsigned>(utf8[++at]) & 0x3f));
  }
  return {auth::SecretBytes(std::as_const(bytes).span().first(size)), at == utf8.size()};
}

}  // namespace fugu::format
