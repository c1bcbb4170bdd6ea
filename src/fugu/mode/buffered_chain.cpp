// Splits bytes into blocks, and holds one block back where it may be the padded one.
#include "fugu/mode/buffered_chain.hpp"

#include <algorithm>
#include <cstring>

#include "fugu/mode/detail/padding.hpp"

namespace fugu::mode {
namespace {

using core::kBlockBytes;

bool is_partly_over(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const std::less<> before;
  return a != b && before(a, b + bytes) && before(b, a + bytes);
}

}  // namespace

BufferedChain::BufferedChain(const Settings& settings, Direction direction)
    : chain_(settings, direction), padding_(settings.padding) {}

BufferedChain::~BufferedChain() {
  core::wipe(held_.data(), held_.size());
}

void BufferedChain::restart(const Iv& iv, Direction direction) noexcept {
  chain_.restart(iv, direction);
  held_bytes_ = 0;
}

std::size_t BufferedChain::update_bytes(std::size_t bytes) const noexcept {
  if (!is_padded(chain_.mode())) return bytes;
  const std::size_t ready = (held_bytes_ + bytes) / kBlockBytes * kBlockBytes;
  const bool may_be_last = chain_.direction() == Direction::decrypt && padding_ != Padding::none &&
                           ready == held_bytes_ + bytes && ready != 0;
  return may_be_last ? ready - kBlockBytes : ready;
}

std::size_t BufferedChain::update(engine::Engine& engine, const cipher::Schedule& schedule,
                                  std::span<const std::byte> in, std::byte* out) {
  if (is_padded(chain_.mode())) return update_blocks(engine, schedule, in, out);
  transform(engine, schedule, in, out);
  return in.size();
}

// The output lags or leads its input by the held bytes: where the two overlap, each place is read before it
// is written.
std::size_t BufferedChain::update_blocks(engine::Engine& engine, const cipher::Schedule& schedule,
                                         std::span<const std::byte> in, std::byte* out) {
  const std::size_t ready = update_bytes(in.size());
  if (ready == 0) {
    hold(in);
    return 0;
  }
  if (held_bytes_ == 0 && ready == in.size()) {  // most calls; short ones would feel the copies
    transform(engine, schedule, in, out);
    return ready;
  }
  std::array<std::byte, kBlockBytes> tail;
  const auto tail_bytes = in.last(held_bytes_ + in.size() - ready);
  std::copy(tail_bytes.begin(), tail_bytes.end(), tail.begin());
  std::array<std::byte, kBlockBytes> head;
  std::size_t head_bytes = 0;
  if (held_bytes_ != 0) {
    const std::size_t missing = kBlockBytes - held_bytes_;
    hold(in.first(missing));
    in = in.subspan(missing);
    head_bytes = kBlockBytes;
    chain_.transform(engine, schedule, held_, head.data());
  }
  transform(engine, schedule, in.first(ready - head_bytes), out + head_bytes);
  std::copy_n(head.begin(), head_bytes, out);
  core::wipe(head.data(), head_bytes);
  held_bytes_ = 0;
  hold(std::span(tail).first(tail_bytes.size()));
  core::wipe(tail.data(), tail_bytes.size());
  return ready;
}

void BufferedChain::transform(engine::Engine& engine, const cipher::Schedule& schedule,
                              std::span<const std::byte> in, std::byte* out) {
  if (is_partly_over(in.data(), out, in.size())) {
    std::memmove(out, in.data(), in.size());
    in = {out, in.size()};
  }
  chain_.transform(engine, schedule, in, out);
}

void BufferedChain::hold(std::span<const std::byte> in) noexcept {
  std::copy(in.begin(), in.end(), held_.begin() + static_cast<std::ptrdiff_t>(held_bytes_));
  held_bytes_ += in.size();
}

std::size_t BufferedChain::finish(engine::Engine& engine, const cipher::Schedule& schedule, std::byte* out) {
  if (!is_padded(chain_.mode())) return 0;
  std::size_t bytes = 0;
  if (chain_.direction() == Direction::encrypt) {
    bytes = add_padding(padding_, held_, held_bytes_);
    chain_.transform(engine, schedule, std::span(held_).first(bytes), held_.data());
  } else {
    check_ciphertext_size(padding_, held_bytes_);
    const auto last = std::span(held_).first(held_bytes_);
    chain_.transform(engine, schedule, last, last.data());
    bytes = unpadded_size(padding_, last);
  }
  std::copy_n(held_.begin(), bytes, out);
  held_bytes_ = 0;
  return bytes;
}

}  // namespace fugu::mode
