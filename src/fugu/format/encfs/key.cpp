// The ciphers, MACs and IVs of EncFS.
#include <algorithm>
#include <array>
#include <vector>

#include "fugu/auth/digest.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/encfs/detail/volume.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

constexpr std::string_view kDigest = "sha1";
constexpr std::size_t kDigestBytes = 20;

std::array<std::byte, 8> little_endian(std::uint64_t value) {
  std::array<std::byte, 8> bytes;
  store_little(value, bytes);
  return bytes;
}

// Version 2 of the interface: the IV is 32 bits of the seed under two multipliers, with interleaved bytes.
std::uint64_t older_mask(std::uint32_t seed) {
  const std::uint32_t a = 0x060a4011U * seed;
  const std::uint32_t b = 0x0221040dU * (seed ^ 0xd3fea11cU);
  const std::uint32_t parts[] = {a >> 24, b >> 16, a >> 8, b, b >> 24, a >> 16, b >> 8, a};
  std::uint64_t mask = 0;
  for (const std::uint32_t part : parts) mask = mask << 8 | (part & 0xff);
  return mask;
}

// Each byte is the XOR of all bytes up to it.
void undo_running_xor(std::span<std::byte> data) {
  for (std::size_t i = data.size(); i-- > 1;) data[i] ^= data[i - 1];
}

void reverse_runs(std::span<std::byte> data) {
  constexpr std::size_t kRunBytes = 64;
  for (; !data.empty(); data = data.subspan(std::min(data.size(), kRunBytes)))
    std::ranges::reverse(data.first(std::min(data.size(), kRunBytes)));
}

bool is_zero(std::span<const std::byte> data) {
  return std::ranges::all_of(data, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

struct EncfsKey::State {
  engine::Engine& engine;
  unsigned version;
  std::uint64_t iv;
  cipher::Schedule schedule;
  auth::Hmac hmac;

  ~State() { core::wipe(&iv, sizeof iv); }

  void transform_with(mode::Mode mode, std::uint64_t block_iv, std::span<std::byte> data) {
    mode::Settings settings;
    settings.mode = mode;
    core::store_u64_big(settings.iv.emplace().data(), block_iv);
    transform(engine, schedule, settings, core::Direction::decrypt, data);
  }
};

EncfsKey::EncfsKey(engine::Engine& engine, unsigned version, std::span<const std::byte> key_and_iv) {
  const auto key = key_and_iv.first(key_and_iv.size() - kBlockBytes);
  state_.reset(new State{
      engine, version, load_big(key_and_iv.last(kBlockBytes)), {}, auth::Hmac(std::string(kDigest), key)});
  cipher::expand(key, state_->schedule);
}

EncfsKey::~EncfsKey() = default;

std::uint64_t EncfsKey::iv_of(std::uint64_t seed) {
  if (state_->version < 3) return state_->iv ^ older_mask(static_cast<std::uint32_t>(seed));
  std::array<std::byte, 2 * kBlockBytes> message;
  core::store_u64_big(message.data(), state_->iv);
  std::ranges::copy(little_endian(seed), message.begin() + kBlockBytes);
  std::array<std::byte, kDigestBytes> digest;
  state_->hmac.update(message).finish(digest);
  const std::uint64_t iv = load_big(std::span(digest).first(kBlockBytes));
  core::wipe(message.data(), message.size());
  core::wipe(digest.data(), digest.size());
  return iv;
}

void EncfsKey::decrypt_stream(std::span<std::byte> data, std::uint64_t seed) {
  state_->transform_with(mode::Mode::cfb64, iv_of(seed + 1), data);
  undo_running_xor(data);
  reverse_runs(data);
  state_->transform_with(mode::Mode::cfb64, iv_of(seed), data);
  undo_running_xor(data);
}

void EncfsKey::decrypt_block(std::span<std::byte> data, std::uint64_t seed) {
  state_->transform_with(mode::Mode::cbc, iv_of(seed), data);
}

void EncfsKey::decrypt_blocks(const Blocks& blocks) {
  core::WipedVector<engine::Segment> segments;  // with derived IVs
  for (std::size_t at = 0; at < blocks.data.size(); at += blocks.block_bytes) {
    const auto block = blocks.data.subspan(at, blocks.block_bytes);
    if (blocks.leave_zeros && is_zero(block)) continue;
    const std::uint64_t number = blocks.first + at / blocks.block_bytes;
    segments.push_back(
        {.schedule = &state_->schedule, .iv = iv_of(number ^ blocks.file_iv), .in = block, .out = block});
  }
  state_->engine.run(engine::Op::cbc_decrypt, segments);
}

// An HMAC folded to 64 bits, without its last byte.
std::uint64_t EncfsKey::mac64(std::span<const std::byte> data, std::optional<std::uint64_t> chained) {
  std::array<std::byte, kDigestBytes> digest;
  state_->hmac.update(data);
  if (chained) state_->hmac.update(little_endian(*chained));
  state_->hmac.finish(digest);
  std::array<std::byte, 8> folded{};
  for (std::size_t i = 0; i + 1 < digest.size(); ++i) folded[i % 8] ^= digest[i];
  return load_big(folded);
}

std::uint32_t encfs_mac32(std::uint64_t mac64) {
  return static_cast<std::uint32_t>(mac64 >> 32 ^ mac64);
}

std::uint16_t encfs_mac16(std::uint64_t mac64) {
  const std::uint32_t mac32 = encfs_mac32(mac64);
  return static_cast<std::uint16_t>(mac32 >> 16 ^ mac32);
}

}  // namespace fugu::format
