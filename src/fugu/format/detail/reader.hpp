// Takes fields from the front of bytes in memory. Private to format.
#pragma once

#include <algorithm>

#include "fugu/format/detail/message.hpp"

namespace fugu::format {

class Reader {
 public:
  // `bytes` outlive it. `ends_early` is the text of the Error{damaged} that every function throws where they
  // end before what it takes.
  Reader(std::span<const std::byte> bytes, const char* ends_early) : bytes_(bytes), ends_early_(ends_early) {}

  bool at_end() const { return bytes_.empty(); }
  std::span<const std::byte> left() const { return bytes_; }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) throw Error(Errc::damaged, ends_early_);
    const auto taken = bytes_.first(static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  void take_into(std::span<std::byte> field) { std::ranges::copy(take(field.size()), field.begin()); }
  std::vector<std::byte> take_copy(std::size_t size) {
    const auto taken = take(size);
    return {taken.begin(), taken.end()};
  }

  // Numbers of so many bytes.
  std::uint32_t little(std::size_t size) { return static_cast<std::uint32_t>(load_little(take(size))); }
  std::uint32_t big(std::size_t size) { return static_cast<std::uint32_t>(load_big(take(size))); }

 private:
  std::span<const std::byte> bytes_;
  const char* ends_early_;
};

}  // namespace fugu::format
