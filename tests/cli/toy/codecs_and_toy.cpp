// Replaces the table of formats by the same table with two more rows. Linked with the program's own main(),
// it shows what rows bring about.
#include "fugu/format/codec.hpp"

#define codecs codecs_of_the_program
#include "fugu/format/codecs.cpp"  // NOLINT(bugprone-suspicious-include): the rows, under another name
#undef codecs

namespace fugu::format {

extern const Codec kToyCodec;
extern const Codec kTwinCodec;

std::span<const Codec* const> codecs() {
  static const std::vector<const Codec*> all = [] {
    const auto rows = codecs_of_the_program();
    std::vector<const Codec*> with_toy(rows.begin(), rows.end());
    with_toy.push_back(&kToyCodec);
    with_toy.push_back(&kTwinCodec);
    return with_toy;
  }();
  return all;
}

}  // namespace fugu::format
