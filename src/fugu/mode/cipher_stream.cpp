#include <algorithm>

#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "fugu/mode/detail/padding.hpp"
#include "fugu/mode/detail/serial.hpp"
#include "fugu/mode/mode.hpp"

namespace fugu::mode {
namespace {

using core::kBlockBytes;
using engine::Op;

constexpr std::size_t kMaxWindowBytes = std::size_t{8} << 20;

std::uint64_t initial_chain(const Settings& settings) {
  const std::uint64_t image = core::load_u64_big(settings.iv.data());
  return settings.mode == Mode::ctr ? core::counter_bytes(image, settings.counter) : image;
}

bool is_whole_blocks(std::size_t bytes) {
  return bytes % kBlockBytes == 0;
}

// Padded data is whole blocks, and one at least when every length adds padding.
void check_ciphertext_size(Padding padding, std::size_t last_bytes) {
  if (!is_whole_blocks(last_bytes)) {
    throw Error(Errc::damaged,
                "the length is not a multiple of 8 bytes: the data is truncated or not of this mode");
  }
  if (padding == Padding::pkcs7 && last_bytes == 0)
    throw Error(Errc::damaged, "no data where padding has to be");
}

}  // namespace

bool is_serial(Mode mode, Direction direction) noexcept {
  const bool chained = mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8 || mode == Mode::pcbc;
  return mode == Mode::ofb || mode == Mode::ofb8 || (chained && direction == Direction::encrypt);
}

bool is_padded(Mode mode) noexcept {
  return mode == Mode::ecb || mode == Mode::cbc || mode == Mode::pcbc;
}

CipherStream::CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
                           Direction direction)
    : engine_(engine),
      schedule_(schedule),
      settings_(settings),
      direction_(direction),
      chain_(initial_chain(settings)) {
  if (settings.counter == ByteOrder::little && settings.mode != Mode::ctr) {
    throw Error(Errc::usage, "only ctr has a counter");
  }
}

// An OFB chain is keystream, and a PCBC chain shows plaintext.
CipherStream::~CipherStream() {
  core::wipe(&chain_, sizeof chain_);
}

std::size_t CipherStream::process(std::span<std::byte> buffer, std::size_t size_bytes, bool last) {
  if (size_bytes > buffer.size() || (!last && !is_whole_blocks(size_bytes))) {
    throw Error(Errc::usage, "a chunk that is not the last one is not whole blocks");
  }
  const bool at_padding = last && is_padded(settings_.mode);
  if (!at_padding) {
    transform(buffer.first(size_bytes));
    return size_bytes;
  }
  if (direction_ == Direction::encrypt) {
    const std::size_t padded_bytes = add_padding(settings_.padding, buffer, size_bytes);
    transform(buffer.first(padded_bytes));
    return padded_bytes;
  }
  check_ciphertext_size(settings_.padding, size_bytes);
  transform(buffer.first(size_bytes));
  return unpadded_size(settings_.padding, buffer.first(size_bytes));
}

void CipherStream::transform(std::span<std::byte> data) {
  if (data.empty()) return;
  if (settings_.mode == Mode::cfb8) {
    if (direction_ == Direction::decrypt) return decrypt_cfb8(data);
    chain_ = cfb8_encrypt(schedule_, settings_.words, chain_, data);
    return;
  }
  if (settings_.mode == Mode::ofb8) {
    chain_ = ofb8(schedule_, settings_.words, chain_, data);
    return;
  }
  const std::size_t whole_bytes = data.size() - data.size() % kBlockBytes;
  transform_blocks(data.first(whole_bytes));
  transform_partial_block(data.subspan(whole_bytes));
}

void CipherStream::transform_blocks(std::span<std::byte> blocks) {
  if (blocks.empty()) return;
  const bool encrypting = direction_ == Direction::encrypt;
  switch (settings_.mode) {
    case Mode::ecb:
      return run(encrypting ? Op::ecb_encrypt : Op::ecb_decrypt, blocks);
    case Mode::ctr:
      run(Op::ctr, blocks);
      block_ += blocks.size() / kBlockBytes;
      return;
    case Mode::cbc:
      if (!encrypting) return decrypt_chained(Op::cbc_decrypt, blocks);
      chain_ = cbc_encrypt(schedule_, settings_.words, chain_, blocks);
      return;
    case Mode::cfb64:
      if (!encrypting) return decrypt_chained(Op::cfb_decrypt, blocks);
      chain_ = cfb64_encrypt(schedule_, settings_.words, chain_, blocks);
      return;
    case Mode::ofb:
      chain_ = ofb(schedule_, settings_.words, chain_, blocks);
      return;
    case Mode::pcbc:
      if (!encrypting) return decrypt_pcbc(blocks);
      chain_ = pcbc_encrypt(schedule_, settings_.words, chain_, blocks);
      return;
    case Mode::cfb8:
    case Mode::ofb8:
      break;  // have no blocks
  }
}

// The end of a stream in ctr, ofb or cfb64: as much as is needed of one more keystream block.
void CipherStream::transform_partial_block(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  const std::uint64_t input =
      settings_.mode == Mode::ctr ? core::counter_bytes(chain_ + block_, settings_.counter) : chain_;
  std::byte keystream[kBlockBytes];
  core::store_u64_big(keystream, encrypt_block(schedule_, settings_.words, input));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] ^= keystream[i];
  core::wipe(keystream, sizeof keystream);
}

// What the next chunk chains to is overwritten by the plaintext of this one: taken first.
void CipherStream::decrypt_chained(Op op, std::span<std::byte> blocks) {
  const std::uint64_t last_ciphertext = core::load_u64_big(blocks.last(kBlockBytes).data());
  run(op, blocks);
  chain_ = last_ciphertext;
}

// Byte i is combined with the first byte of the encryption of the 8 ciphertext bytes before it: known for all
// i at once, so the engine encrypts them all, eight times the data.
void CipherStream::decrypt_cfb8(std::span<std::byte> bytes) {
  const std::size_t windows_at_once = scratch_bytes_for(bytes.size() * kBlockBytes) / kBlockBytes;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), windows_at_once));
    const auto windows = windows_.span().first(part.size() * kBlockBytes);
    for (std::size_t i = 0; i < part.size(); ++i) {
      core::store_u64_big(&windows[i * kBlockBytes], chain_);
      chain_ = (chain_ << 8) | std::to_integer<std::uint64_t>(part[i]);
    }
    run(Op::ecb_encrypt, windows);
    for (std::size_t i = 0; i < part.size(); ++i) part[i] ^= windows[i * kBlockBytes];
    bytes = bytes.subspan(part.size());
  }
}

// The cipher of a block needs nothing of the one before; what is combined with it needs its plaintext.
void CipherStream::decrypt_pcbc(std::span<std::byte> blocks) {
  const std::size_t bytes_at_once = scratch_bytes_for(blocks.size());
  while (!blocks.empty()) {
    const auto part = blocks.first(std::min(blocks.size(), bytes_at_once));
    const auto deciphered = windows_.span().first(part.size());
    std::ranges::copy(part, deciphered.begin());
    run(Op::ecb_decrypt, deciphered);
    for (std::size_t at = 0; at < part.size(); at += kBlockBytes) {
      const std::uint64_t ciphertext = core::load_u64_big(&part[at]);
      const std::uint64_t plaintext = core::load_u64_big(&deciphered[at]) ^ chain_;
      core::store_u64_big(&part[at], plaintext);
      chain_ = plaintext ^ ciphertext;
    }
    blocks = blocks.subspan(part.size());
  }
}

// Makes room for `bytes` or what is worked on at a time, and returns how much there is.
std::size_t CipherStream::scratch_bytes_for(std::size_t bytes) {
  const std::size_t most =
      std::clamp(engine_.preferred_chunk_bytes() / kBlockBytes * kBlockBytes, kBlockBytes, kMaxWindowBytes);
  if (windows_.size() < std::min(most, bytes)) windows_ = engine_.allocate(most);
  return windows_.size();
}

void CipherStream::run(Op op, std::span<std::byte> blocks) {
  engine::Segment segment;
  segment.schedule = &schedule_;
  segment.iv = chain_;
  segment.first_block = block_;
  segment.in = blocks;
  segment.out = blocks;
  segment.words = settings_.words;
  segment.counter = settings_.counter;
  engine_.run(op, {&segment, 1});
}

}  // namespace fugu::mode
