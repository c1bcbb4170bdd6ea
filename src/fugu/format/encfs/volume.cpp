// Names, links and files of an EncFS volume.
#include "fugu/format/encfs/detail/volume.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fugu/auth/kdf.hpp"
#include "fugu/core/block.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kNameMacBytes = 2;

[[noreturn]] void bad_name() {
  throw Error(Errc::damaged, "its name is damaged, or not one of this volume");
}

// The volume's key with the 8 bytes of its IV. Its check value is also the seed.
auth::SecretBytes volume_key(engine::Engine& engine, const EncfsConfig& config,
                             const auth::SecretBytes& passphrase) {
  const auth::SecretBytes own =
      auth::pbkdf2("sha1", passphrase, config.salt, config.iterations, config.key_bytes + kBlockBytes);
  EncfsKey user(engine, config.cipher_version, own.span());
  const std::span<const std::byte> stored = config.volume_key;
  const std::uint64_t check = load_big(stored.first(kCheckBytes));
  auth::SecretBytes key(stored.subspan(kCheckBytes));
  user.decrypt_stream(key.span(), check);
  if (encfs_mac32(user.mac64(key.span())) != check) throw Error(Errc::wrong_key, "wrong passphrase");
  return key;
}

// -1 for an invalid digit. Base64 with its digits in the order of their codes, or RFC 4648's base32.
int digit_of(char c, bool base32) {
  if (base32) {
    if (c >= '2' && c <= '7') return c - '2' + 26;
    const char upper = static_cast<char>(c & ~0x20);
    return upper >= 'A' && upper <= 'Z' ? upper - 'A' : -1;
  }
  if (c == ',' || c == '-') return c == '-' ? 1 : 0;
  if (c >= '0' && c <= '9') return c - '0' + 2;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 12;
  return c >= 'a' && c <= 'z' ? c - 'a' + 38 : -1;
}

// Lowest bits first; an incomplete byte at the end is dropped.
std::vector<std::byte> decode(std::string_view text, bool base32) {
  std::vector<std::byte> bytes;
  unsigned held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const int digit = digit_of(c, base32);
    if (digit < 0) bad_name();
    held |= static_cast<unsigned>(digit) << bits;
    bits += base32 ? 5 : 6;
    if (bits < 8) continue;
    bytes.push_back(static_cast<std::byte>(held & 0xff));
    held >>= 8;
    bits -= 8;
  }
  return bytes;
}

std::string_view without_padding(std::string_view name) {
  const auto padding = static_cast<unsigned char>(name.back());
  if (padding > kBlockBytes || padding > name.size()) bad_name();
  return name.substr(0, name.size() - padding);
}

}  // namespace

EncfsVolume::EncfsVolume(engine::Engine& engine, const EncfsConfig& config,
                         const auth::SecretBytes& passphrase)
    : config_(config), key_(engine, config.cipher_version, volume_key(engine, config, passphrase).span()) {}

std::string EncfsVolume::name(std::string_view encrypted, PathIv& iv) {
  if (config_.names == EncfsNames::plain) return std::string(encrypted);
  std::vector<std::byte> bytes = decode(encrypted, config_.names == EncfsNames::block32);
  if (bytes.size() <= kNameMacBytes) bad_name();
  const std::uint64_t mac = load_big(std::span(bytes).first(kNameMacBytes));
  const std::span<std::byte> name = std::span(bytes).subspan(kNameMacBytes);
  const std::uint64_t seed = mac ^ iv.value_or(0);
  const bool is_stream = config_.names == EncfsNames::stream;
  if (!is_stream && name.size() % kBlockBytes != 0) bad_name();
  is_stream ? key_.decrypt_stream(name, seed) : key_.decrypt_block(name, seed);
  const std::uint64_t mac64 = key_.mac64(name, iv);
  if (encfs_mac16(mac64) != mac) bad_name();
  if (iv) iv = mac64;
  return std::string(is_stream ? text_of(name) : without_padding(text_of(name)));
}

std::string EncfsVolume::link_target(std::string_view encrypted) {
  PathIv none;
  if (encrypted.starts_with('+')) return '/' + name(encrypted.substr(1), none);
  PathIv iv = top_iv();
  std::string target;
  while (!encrypted.empty()) {
    const std::string_view one = encrypted.substr(0, encrypted.find('/'));
    encrypted.remove_prefix(one.size());
    target += one == "." || one == ".." || one.empty() ? std::string(one) : name(one, iv);
    const std::size_t slashes = std::min(encrypted.find_first_not_of('/'), encrypted.size());
    target += encrypted.substr(0, slashes);
    encrypted.remove_prefix(slashes);
  }
  return target;
}

stream::OrderedStage EncfsVolume::file(stream::Source& source, PathIv path_iv) {
  std::uint64_t file_iv = 0;
  if (config_.has_file_ivs) {
    std::array<std::byte, kBlockBytes> header;
    const std::size_t got = source.read(header);
    if (got != 0 && got < header.size()) throw Error(Errc::damaged, "the file ends inside its header");
    if (got != 0) key_.decrypt_stream(header, config_.chains_file_ivs ? path_iv.value_or(0) : 0);
    file_iv = load_big(header);
    if (got != 0 && file_iv == 0) throw Error(Errc::damaged, "its header is damaged");
  }
  return [this, file_iv, first = std::uint64_t{0}](std::span<std::byte> chunk, std::size_t size_bytes,
                                                   bool) mutable {
    const std::size_t out_bytes = open_blocks(chunk.first(size_bytes), first, file_iv);
    first += size_bytes / config_.block_bytes;
    return out_bytes;
  };
}

// Only the last block of a file may be short: it is a stream.
std::size_t EncfsVolume::open_blocks(std::span<std::byte> data, std::uint64_t first, std::uint64_t file_iv) {
  const std::size_t rest = data.size() % config_.block_bytes;
  const std::size_t count = data.size() / config_.block_bytes;
  key_.decrypt_blocks(
      {data.first(data.size() - rest), config_.block_bytes, first, file_iv, config_.has_holes});
  if (rest != 0) key_.decrypt_stream(data.last(rest), (first + count) ^ file_iv);
  if (config_.mac_bytes + config_.random_bytes == 0) return data.size();
  std::size_t out_bytes = 0;
  for (std::size_t at = 0; at < data.size(); at += config_.block_bytes) {
    const auto block = data.subspan(at, std::min(data.size() - at, config_.block_bytes));
    const auto content = checked(block, first + at / config_.block_bytes);
    std::ranges::copy(content, data.begin() + static_cast<std::ptrdiff_t>(out_bytes));
    out_bytes += content.size();
  }
  return out_bytes;
}

// The block after its MAC and random bytes. A block of zeros is a hole and has neither.
std::span<const std::byte> EncfsVolume::checked(std::span<const std::byte> block, std::uint64_t number) {
  const std::size_t header_bytes = config_.mac_bytes + config_.random_bytes;
  if (block.size() <= header_bytes) throw Error(Errc::damaged, "the file ends inside the MAC of a block");
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const bool is_hole = config_.has_holes && std::ranges::all_of(block, is_zero);
  if (!is_hole && config_.mac_bytes != 0) {
    const std::uint64_t mac = key_.mac64(block.subspan(config_.mac_bytes));
    const std::uint64_t mask = ~std::uint64_t{0} >> 8 * (8 - config_.mac_bytes);
    if (load_little(block.first(config_.mac_bytes)) != (mac & mask))
      throw Error(Errc::damaged, "block " + std::to_string(number) + " fails its MAC");
  }
  return block.subspan(header_bytes);
}

}  // namespace fugu::format
