// The modes: parallel directions go to the engine, serial chains run here.
#include "fugu/mode/chain.hpp"

#include <algorithm>
#include <cstring>

#include "fugu/mode/detail/serial.hpp"

namespace fugu::mode {
namespace {

using core::kBlockBytes;
using engine::Op;

constexpr std::size_t kMaxScratchBytes = std::size_t{8} << 20;
constexpr std::size_t kFewWindows = 32;  // for fewer blocks an allocation does not pay

Iv checked_iv(const Settings& settings) {
  if (settings.counter == ByteOrder::little && settings.mode != Mode::ctr)
    throw Error(Errc::usage, "only ctr has a counter");
  if (!settings.iv && settings.mode != Mode::ecb)
    throw Error(Errc::usage, std::string(name_of(settings.mode)) + " needs an IV");
  return settings.iv.value_or(Iv{});
}

bool is_partly_over(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const std::less<> before;
  return a != b && before(a, b + bytes) && before(b, a + bytes);
}

}  // namespace

std::span<std::byte> Scratch::of(engine::Engine& engine, std::size_t bytes) {
  const std::size_t most =
      std::clamp(engine.preferred_chunk_bytes() / kBlockBytes * kBlockBytes, kBlockBytes, kMaxScratchBytes);
  if (chunk_.size() < std::min(most, bytes)) chunk_ = engine.allocate(most);
  return chunk_.span();
}

Chain::Chain(const Settings& settings, Direction direction)
    : mode_(settings.mode),
      direction_(direction),
      words_(settings.words),
      counter_order_(settings.counter),
      iv_(checked_iv(settings)) {}

void Chain::restart(const Iv& iv, Direction direction, unsigned used) noexcept {
  iv_ = iv;
  direction_ = direction;
  used_ = used;
}

void Chain::seek(std::uint64_t offset) {
  const auto within = static_cast<unsigned>(offset % kBlockBytes);
  if (mode_ != Mode::ctr && (mode_ != Mode::ecb || within != 0))
    throw Error(Errc::usage, std::string(name_of(mode_)) + " cannot start at byte " + std::to_string(offset));
  if (mode_ == Mode::ecb) return;
  set_counter(counter() + offset / kBlockBytes + (within != 0 ? 1 : 0));
  used_ = within;
}

void Chain::transform(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> in,
                      std::byte* out) {
  if (in.empty()) return;
  if (mode_ == Mode::cfb8 && direction_ == Direction::decrypt) return decrypt_cfb8(engine, schedule, in, out);
  if (mode_ == Mode::cfb8 || mode_ == Mode::ofb8)
    return core::store_u64_big(iv_.data(), encrypt_serially(mode_, schedule, words_, image(), in, out));
  if (is_padded(mode_) && in.size() % kBlockBytes != 0)
    throw Error(Errc::usage, std::string(name_of(mode_)) + " takes whole blocks");
  const std::size_t head = std::min<std::size_t>(in.size(), (kBlockBytes - used_) % kBlockBytes);
  const std::size_t whole = (in.size() - head) / kBlockBytes * kBlockBytes;
  transform_within_block(schedule, in.first(head), out);
  transform_blocks(engine, schedule, in.subspan(head, whole), out + head);
  transform_within_block(schedule, in.subspan(head + whole), out + head + whole);
}

void Chain::transform_blocks(engine::Engine& engine, const cipher::Schedule& schedule,
                             std::span<const std::byte> blocks, std::byte* out) {
  if (blocks.empty()) return;
  if (is_serial(mode_, direction_))
    return core::store_u64_big(iv_.data(), encrypt_serially(mode_, schedule, words_, image(), blocks, out));
  // In place the plaintext overwrites the next call's chaining block.
  const std::uint64_t next = core::load_u64_big(blocks.last(kBlockBytes).data());
  const bool encrypting = direction_ == Direction::encrypt;
  if (mode_ == Mode::ecb)
    return run(engine, encrypting ? Op::ecb_encrypt : Op::ecb_decrypt, schedule, blocks, out);
  if (mode_ == Mode::pcbc) return decrypt_pcbc(engine, schedule, blocks, out);
  run(engine,
      mode_ == Mode::ctr   ? Op::ctr
      : mode_ == Mode::cbc ? Op::cbc_decrypt
                           : Op::cfb_decrypt,
      schedule, blocks, out);
  if (mode_ == Mode::ctr) return set_counter(counter() + blocks.size() / kBlockBytes);
  core::store_u64_big(iv_.data(), next);
}

// At most the rest of one block of ctr, ofb or cfb64: the current one, or the next.
void Chain::transform_within_block(const cipher::Schedule& schedule, std::span<const std::byte> in,
                                   std::byte* out) {
  if (in.empty()) return;
  const bool counts = mode_ == Mode::ctr;
  if (used_ == 0 && counts) set_counter(counter() + 1);
  if (used_ == 0 && !counts) core::store_u64_big(iv_.data(), encrypt_block(schedule, words_, image()));
  Iv keystream = iv_;
  if (counts) {
    const std::uint64_t block = core::counter_bytes(counter() - 1, counter_order_);
    core::store_u64_big(keystream.data(), encrypt_block(schedule, words_, block));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::byte given = in[i];
    out[i] = given ^ keystream[used_];
    if (mode_ == Mode::cfb64) iv_[used_] = direction_ == Direction::encrypt ? out[i] : given;
    used_ = (used_ + 1) % kBlockBytes;
  }
  core::wipe(keystream.data(), keystream.size());
}

// Byte i is combined with the first byte of the encryption of the 8 ciphertext bytes before it. These are
// known for all i at once, so the engine encrypts them all, eight times the data.
void Chain::decrypt_cfb8(engine::Engine& engine, const cipher::Schedule& schedule,
                         std::span<const std::byte> in, std::byte* out) {
  std::array<std::byte, kFewWindows * kBlockBytes> few;
  const std::span<std::byte> memory =
      in.size() <= kFewWindows ? std::span<std::byte>(few) : scratch_.of(engine, in.size() * kBlockBytes);
  for (std::size_t at = 0; at < in.size();) {
    const auto part = in.subspan(at, std::min(in.size() - at, memory.size() / kBlockBytes));
    const auto windows = memory.first(part.size() * kBlockBytes);
    std::uint64_t window = image();
    for (std::size_t i = 0; i < part.size(); ++i) {
      core::store_u64_big(&windows[i * kBlockBytes], window);
      window = (window << 8) | std::to_integer<std::uint64_t>(part[i]);
    }
    core::store_u64_big(iv_.data(), window);
    run(engine, Op::ecb_encrypt, schedule, windows, windows.data());
    for (std::size_t i = 0; i < part.size(); ++i) out[at + i] = part[i] ^ windows[i * kBlockBytes];
    at += part.size();
  }
  core::wipe(few.data(), std::min(few.size(), in.size() * kBlockBytes));
}

// Deciphering a block does not depend on the block before; combining it needs that block's plaintext.
void Chain::decrypt_pcbc(engine::Engine& engine, const cipher::Schedule& schedule,
                         std::span<const std::byte> blocks, std::byte* out) {
  std::array<std::byte, kFewWindows * kBlockBytes> few;
  const std::span<std::byte> memory =
      blocks.size() <= few.size() ? std::span<std::byte>(few) : scratch_.of(engine, blocks.size());
  const std::size_t few_bytes = std::min(few.size(), blocks.size());
  std::uint64_t chain = image();
  while (!blocks.empty()) {
    const auto part = blocks.first(std::min(blocks.size(), memory.size()));
    const auto deciphered = memory.first(part.size());
    run(engine, Op::ecb_decrypt, schedule, part, deciphered.data());
    for (std::size_t at = 0; at < part.size(); at += kBlockBytes) {
      const std::uint64_t ciphertext = core::load_u64_big(&part[at]);
      const std::uint64_t plaintext = core::load_u64_big(&deciphered[at]) ^ chain;
      core::store_u64_big(out + at, plaintext);
      chain = plaintext ^ ciphertext;
    }
    blocks = blocks.subspan(part.size());
    out += part.size();
  }
  core::store_u64_big(iv_.data(), chain);
  core::wipe(few.data(), few_bytes);
}

void Chain::run(engine::Engine& engine, Op op, const cipher::Schedule& schedule,
                std::span<const std::byte> in, std::byte* out) {
  engine::Segment segment;
  segment.schedule = &schedule;
  segment.iv = mode_ == Mode::ctr ? counter() : image();
  segment.in = in;
  segment.out = {out, in.size()};
  segment.words = words_;
  segment.counter = counter_order_;
  engine.run(op, {&segment, 1});
}

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
