// Compares a range of a sealed file with the same bytes of the whole file.
// Input: first u16, count u16 (0xffff: to the end), then the file.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const std::uint64_t first = input.number(2);
  const std::uint64_t asked = input.number(2);
  const std::optional<std::uint64_t> count = asked == 0xffff ? std::nullopt : std::optional(asked);
  const auto file = input.rest();
  const auto whole = fuzz::open_sealed(file, 64, fuzz::Seekable::yes, format::decrypt_sealed);
  const auto range = fuzz::open_sealed(
      file, 64, fuzz::Seekable::yes,
      [&](const format::Job& job, const format::SealedHeader& header, const format::SealedKeys& keys) {
        format::decrypt_sealed_range(job, header, keys, first, count);
      });
  if (!whole) return 0;
  fuzz::require(range.has_value() == (first <= whole->size()),
                "a range of a whole file fails, or one beyond it does not");
  if (!range) return 0;
  const std::size_t begin = static_cast<std::size_t>(first);
  const std::size_t bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(count.value_or(whole->size()), whole->size() - begin));
  fuzz::require(range->size() == bytes && std::equal(range->begin(), range->end(),
                                                     whole->begin() + static_cast<std::ptrdiff_t>(begin)),
                "a range differs from the whole");
  return 0;
}
