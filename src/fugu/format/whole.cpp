#include "fugu/format/detail/whole.hpp"

#include <string>

#include "fugu/error.hpp"

namespace fugu::format {

core::WipedBytes take_all(Lookahead& source, std::string_view what) {
  core::WipedBytes all;
  while (true) {
    const std::span<const std::byte> next = source.peek(kLookaheadBytes);
    if (next.empty()) return all;
    all.insert(all.end(), next.begin(), next.end());
    source.skip(next.size());
    if (all.size() > kMostWholeBytes) throw Error(Errc::damaged, "is too long for " + std::string(what));
  }
}

}  // namespace fugu::format
