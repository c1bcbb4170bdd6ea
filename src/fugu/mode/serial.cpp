#include "fugu/mode/detail/serial.hpp"

#include "fugu/cipher/tables.hpp"

namespace fugu::mode {
namespace {

using cipher::Schedule;
using cipher::ScheduleTables;
using core::Block;
using core::ByteOrder;
using core::kBlockBytes;

Block operator^(Block a, Block b) {
  return {a.left ^ b.left, a.right ^ b.right};
}

[[gnu::always_inline]] inline Block encrypted(const ScheduleTables& tables, Block block) {
  std::uint32_t left[1] = {block.left};
  std::uint32_t right[1] = {block.right};
  core::run_blocks<core::Direction::encrypt>(tables, left, right);
  return {left[0], right[0]};
}

template <ByteOrder words>
std::uint64_t encrypted_image(const ScheduleTables& tables, std::uint64_t image) {
  return core::from_block<words>(encrypted(tables, core::to_block<words>(image)));
}

// `step(encrypt, chain, data)` replaces one block of data and returns the next chaining value. The halves
// stay apart: the left one is done a round before the right one, and the next block's first round looks it up
// meanwhile.
template <ByteOrder words, class Step>
std::uint64_t chain_blocks(const Schedule& schedule, std::uint64_t first, std::span<const std::byte> in,
                           std::byte* out, Step step) {
  const ScheduleTables tables(schedule);
  Block chain = core::to_block<words>(first);
  const std::byte* const end = in.data() + in.size();
  for (const std::byte* at = in.data(); at != end; at += kBlockBytes, out += kBlockBytes) {
    Block data = core::to_block<words>(core::load_u64_big(at));
    chain = step([&](Block x) { return encrypted(tables, x); }, chain, data);
    core::store_u64_big(out, core::from_block<words>(data));
  }
  return core::from_block<words>(chain);
}

template <class Step>
std::uint64_t chain_blocks(const Schedule& schedule, ByteOrder words, std::uint64_t chain,
                           std::span<const std::byte> in, std::byte* out, Step step) {
  return words == ByteOrder::big ? chain_blocks<ByteOrder::big>(schedule, chain, in, out, step)
                                 : chain_blocks<ByteOrder::little>(schedule, chain, in, out, step);
}

// The byte shifted into the register: of the output, or of the keystream.
enum class Feedback : std::uint8_t { output, keystream };

template <ByteOrder words, Feedback feedback>
std::uint64_t chain_bytes(const Schedule& schedule, std::uint64_t chain, std::span<const std::byte> in,
                          std::byte* out) {
  const ScheduleTables tables(schedule);
  for (const std::byte byte : in) {
    const auto keystream = static_cast<std::byte>(encrypted_image<words>(tables, chain) >> 56);
    const std::byte result = byte ^ keystream;
    chain = (chain << 8) | std::to_integer<std::uint64_t>(feedback == Feedback::output ? result : keystream);
    *out++ = result;
  }
  return chain;
}

template <Feedback feedback>
std::uint64_t chain_bytes(const Schedule& schedule, ByteOrder words, std::uint64_t chain,
                          std::span<const std::byte> in, std::byte* out) {
  return words == ByteOrder::big ? chain_bytes<ByteOrder::big, feedback>(schedule, chain, in, out)
                                 : chain_bytes<ByteOrder::little, feedback>(schedule, chain, in, out);
}

}  // namespace

std::uint64_t encrypt_block(const Schedule& schedule, ByteOrder words, std::uint64_t image) {
  const ScheduleTables tables(schedule);
  return words == ByteOrder::big ? encrypted_image<ByteOrder::big>(tables, image)
                                 : encrypted_image<ByteOrder::little>(tables, image);
}

std::uint64_t encrypt_serially(Mode mode, const Schedule& schedule, ByteOrder words, std::uint64_t chain,
                               std::span<const std::byte> in, std::byte* out) {
  const auto blocks = [&](auto step) { return chain_blocks(schedule, words, chain, in, out, step); };
  if (mode == Mode::cfb8) return chain_bytes<Feedback::output>(schedule, words, chain, in, out);
  if (mode == Mode::ofb8) return chain_bytes<Feedback::keystream>(schedule, words, chain, in, out);
  if (mode == Mode::cbc)
    return blocks([](auto encrypt, Block previous, Block& data) { return data = encrypt(previous ^ data); });
  if (mode == Mode::cfb64)
    return blocks([](auto encrypt, Block previous, Block& data) { return data = data ^ encrypt(previous); });
  if (mode == Mode::pcbc)
    return blocks([](auto encrypt, Block previous, Block& data) {
      const Block plaintext = data;
      data = encrypt(previous ^ plaintext);
      return plaintext ^ data;
    });
  return blocks([](auto encrypt, Block previous, Block& data) {  // ofb
    const Block keystream = encrypt(previous);
    data = data ^ keystream;
    return keystream;
  });
}

}  // namespace fugu::mode
