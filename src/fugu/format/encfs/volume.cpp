// The ciphers, MACs and IVs of EncFS, and with them the names, links and files of a volume.
#include "fugu/format/encfs/detail/volume.hpp"

#include <array>

#include "fugu/auth/kdf.hpp"
#include "fugu/core/block.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kNameMacBytes = 2;
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
    std::ranges::reverse(first_of(data, kRunBytes));
}

std::uint32_t mac32(std::uint64_t mac64) {
  return static_cast<std::uint32_t>(mac64 >> 32 ^ mac64);
}

std::uint16_t mac16(std::uint64_t mac64) {
  const std::uint32_t folded = mac32(mac64);
  return static_cast<std::uint16_t>(folded >> 16 ^ folded);
}

[[noreturn]] void bad_name() {
  throw Error(Errc::damaged, "its name is damaged, or not one of this volume");
}

// The volume's key with the 8 bytes of its IV. Its check value is also the seed.
auth::SecretBytes volume_key(engine::Engine& engine, const EncfsConfig& config,
                             const auth::SecretBytes& passphrase) {
  const std::size_t bytes = config.key_bytes + kBlockBytes;
  const auth::SecretBytes own = config.has_salt()
                                    ? auth::pbkdf2("sha1", passphrase, config.salt, config.iterations, bytes)
                                    : auth::bytes_to_key("sha1", passphrase, {}, bytes, config.iterations);
  EncfsKey user(engine, config.cipher_version, own.span());
  const std::span<const std::byte> stored = config.volume_key;
  const std::uint64_t check = load_big(stored.first(kCheckBytes));
  auth::SecretBytes key(stored.subspan(kCheckBytes));
  user.decrypt_stream(key.span(), check);
  if (mac32(user.mac64(key.span())) != check)
    throw Error(Errc::wrong_key, "wrong passphrase, or a damaged key in the volume's configuration");
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

EncfsKey::EncfsKey(engine::Engine& engine, unsigned version, std::span<const std::byte> key_and_iv)
    : engine_(engine),
      version_(version),
      iv_(load_big(key_and_iv.last(kBlockBytes))),
      schedule_(schedule_of(key_and_iv.first(key_and_iv.size() - kBlockBytes))),
      hmac_(std::string(kDigest), key_and_iv.first(key_and_iv.size() - kBlockBytes)) {}

EncfsKey::~EncfsKey() {
  core::wipe(&iv_, sizeof iv_);
}

void EncfsKey::transform(mode::Mode mode, std::uint64_t block_iv, std::span<std::byte> data) {
  mode::Settings settings{.mode = mode, .iv = mode::Iv()};
  core::store_u64_big(settings.iv->data(), block_iv);
  format::transform(engine_, schedule_, settings, Direction::decrypt, data);
}

std::uint64_t EncfsKey::iv_of(std::uint64_t seed) {
  if (version_ < 3) return iv_ ^ older_mask(static_cast<std::uint32_t>(seed));
  std::array<std::byte, 2 * kBlockBytes> message;
  core::store_u64_big(message.data(), iv_);
  std::ranges::copy(little_endian(seed), message.begin() + kBlockBytes);
  std::array<std::byte, kDigestBytes> digest;
  hmac_.update(message).finish(digest);
  const std::uint64_t iv = load_big(std::span(digest).first(kBlockBytes));
  core::wipe(message.data(), message.size());
  core::wipe(digest.data(), digest.size());
  return iv;
}

void EncfsKey::decrypt_stream(std::span<std::byte> data, std::uint64_t seed) {
  transform(Mode::cfb64, iv_of(seed + 1), data);
  undo_running_xor(data);
  reverse_runs(data);
  transform(Mode::cfb64, iv_of(seed), data);
  undo_running_xor(data);
}

void EncfsKey::decrypt_block(std::span<std::byte> data, std::uint64_t seed) {
  transform(Mode::cbc, iv_of(seed), data);
}

void EncfsKey::decrypt_blocks(const Blocks& blocks) {
  core::WipedVector<engine::Segment> segments;  // with derived IVs
  for (std::size_t at = 0; at < blocks.data.size(); at += blocks.block_bytes) {
    const auto block = blocks.data.subspan(at, blocks.block_bytes);
    if (blocks.leave_zeros && is_zero(block)) continue;
    const std::uint64_t number = blocks.first + at / blocks.block_bytes;
    segments.push_back(
        {.schedule = &schedule_, .iv = iv_of(number ^ blocks.file_iv), .in = block, .out = block});
  }
  engine_.run(engine::Op::cbc_decrypt, segments);
}

// An HMAC folded to 64 bits, without its last byte.
std::uint64_t EncfsKey::mac64(std::span<const std::byte> data, std::optional<std::uint64_t> chained) {
  std::array<std::byte, kDigestBytes> digest;
  hmac_.update(data);
  if (chained) hmac_.update(little_endian(*chained));
  hmac_.finish(digest);
  std::array<std::byte, 8> folded{};
  for (std::size_t i = 0; i + 1 < digest.size(); ++i) folded[i % 8] ^= digest[i];
  return load_big(folded);
}

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
  if (mac16(mac64) != mac) bad_name();
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

stream::OrderedStage EncfsVolume::file(stream::Source& source, PathIv path_iv, SalvageReport* salvage) {
  std::uint64_t file_iv = 0;
  if (config_.has_file_ivs) {
    std::array<std::byte, kBlockBytes> header;
    const std::size_t got = source.read(header);
    if (got != 0 && got < header.size()) throw Error(Errc::damaged, "the file ends inside its header");
    if (got != 0) key_.decrypt_stream(header, config_.chains_file_ivs ? path_iv.value_or(0) : 0);
    file_iv = load_big(header);
    if (got != 0 && file_iv == 0) throw Error(Errc::damaged, "its header is damaged");
  }
  return [this, file_iv, salvage, first = std::uint64_t{0}](std::span<std::byte> chunk,
                                                            std::size_t size_bytes, bool) mutable {
    const std::size_t out_bytes = open_blocks(chunk.first(size_bytes), first, file_iv, salvage);
    first += size_bytes / config_.block_bytes;
    return out_bytes;
  };
}

// Only the last block of a file may be short: it is a stream.
std::size_t EncfsVolume::open_blocks(std::span<std::byte> data, std::uint64_t first, std::uint64_t file_iv,
                                     SalvageReport* salvage) {
  const std::size_t rest = data.size() % config_.block_bytes;
  const std::size_t count = data.size() / config_.block_bytes;
  key_.decrypt_blocks(
      {data.first(data.size() - rest), config_.block_bytes, first, file_iv, config_.has_holes});
  if (rest != 0) key_.decrypt_stream(data.last(rest), (first + count) ^ file_iv);
  if (config_.mac_bytes + config_.random_bytes == 0) return data.size();
  std::size_t out_bytes = 0;
  for (std::size_t at = 0; at < data.size(); at += config_.block_bytes) {
    const auto block = data.subspan(at, std::min(data.size() - at, config_.block_bytes));
    const auto content = content_of(block, first + at / config_.block_bytes, salvage);
    std::ranges::copy(content, data.begin() + static_cast<std::ptrdiff_t>(out_bytes));
    out_bytes += content.size();
  }
  return out_bytes;
}

// The block after its MAC and random bytes. A block of zeros is a hole and has neither.
std::span<std::byte> EncfsVolume::content_of(std::span<std::byte> block, std::uint64_t number,
                                             SalvageReport* salvage) {
  const std::size_t header_bytes = config_.mac_bytes + config_.random_bytes;
  if (block.size() <= header_bytes) {
    if (salvage == nullptr) throw Error(Errc::damaged, "the file ends inside the MAC of a block");
    salvage->end_lost = true;
    return {};
  }
  const auto content = block.subspan(header_bytes);
  const bool is_hole = config_.has_holes && is_zero(block);
  if (!is_hole && config_.mac_bytes != 0) {
    const std::uint64_t mac = key_.mac64(block.subspan(config_.mac_bytes));
    const std::uint64_t mask = ~std::uint64_t{0} >> 8 * (8 - config_.mac_bytes);
    const bool is_right = load_little(block.first(config_.mac_bytes)) == (mac & mask);
    if (!is_right && salvage == nullptr)
      throw Error(Errc::damaged, "block " + std::to_string(number) + " fails its MAC");
    if (!is_right) {
      std::ranges::fill(content, std::byte{0});
      salvage->lost.push_back({number * (config_.block_bytes - header_bytes), content.size()});
    }
  }
  return content;
}

}  // namespace fugu::format
