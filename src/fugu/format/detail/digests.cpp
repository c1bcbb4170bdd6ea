#include "fugu/format/detail/digests.hpp"

#include <zlib.h>

#include <bit>
#include <utility>

#include "fugu/auth/digest.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

std::vector<std::byte> low_byte_first(std::uint32_t value) {
  std::vector<std::byte> bytes(4);
  store_little(value, bytes);
  return bytes;
}

// crc32_z and adler32_z of zlib.
template <uLong (*function)(uLong, const Bytef*, z_size_t)>
class ZlibSum final : public Checksum {
 public:
  std::size_t size() const override { return 4; }
  void update(std::span<const std::byte> data) override {
    if (!data.empty()) value_ = function(value_, reinterpret_cast<const Bytef*>(data.data()), data.size());
  }
  std::vector<std::byte> finish() override { return low_byte_first(static_cast<std::uint32_t>(value_)); }

 private:
  uLong value_ = function(0, nullptr, 0);
};

// Polynomial 04c11db7, most significant bit first, initial value and final XOR all ones: CRC-32/BZIP2.
class BzipCrc final : public Checksum {
 public:
  std::size_t size() const override { return 4; }
  void update(std::span<const std::byte> data) override {
    for (const std::byte byte : data)
      value_ = value_ << 8 ^ kTable[value_ >> 24 ^ std::to_integer<std::uint32_t>(byte)];
  }
  std::vector<std::byte> finish() override { return low_byte_first(~value_); }

 private:
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      entries[i] = i << 24;
      for (int bit = 0; bit < 8; ++bit)
        entries[i] = entries[i] << 1 ^ ((entries[i] & 0x80000000U) != 0 ? 0x04c11db7U : 0);
    }
    return entries;
  }();

  std::uint32_t value_ = 0xffffffff;
};

class NamedDigest final : public Checksum {
 public:
  explicit NamedDigest(const std::string& name) : digest_(name) {}
  std::size_t size() const override { return digest_.size(); }
  void update(std::span<const std::byte> data) override { digest_.update(data); }
  std::vector<std::byte> finish() override {
    std::vector<std::byte> bytes(size());
    digest_.finish(bytes);
    return bytes;
  }

 private:
  auth::Digest digest_;
};

// Salt and passphrase repeated, to hash in large steps.
auth::SecretBytes repeated(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                           std::uint64_t count) {
  constexpr std::size_t kStepBytes = std::size_t{16} << 10;
  const std::size_t once = salt.size() + passphrase.size();
  const std::uint64_t wanted = std::min<std::uint64_t>(count, kStepBytes);
  const std::size_t times = std::max<std::size_t>(1, once == 0 ? 1 : static_cast<std::size_t>(wanted) / once);
  auth::SecretBytes bytes(times * once);
  for (std::size_t i = 0; i < times; ++i) {
    std::ranges::copy(salt, bytes.data() + i * once);
    std::ranges::copy(passphrase.span(), bytes.data() + i * once + salt.size());
  }
  return bytes;
}

constexpr std::size_t kSha1BlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kWords = 16;

using State = std::array<std::uint32_t, 5>;
using Block = std::span<const std::byte, kSha1BlockBytes>;

constexpr State kInitial{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};  // FIPS 180-4, 5.3.1

std::uint32_t load_word(std::span<const std::byte> bytes, core::ByteOrder order) {
  return static_cast<std::uint32_t>(order == core::ByteOrder::big ? load_big(bytes) : load_little(bytes));
}

void store_word(std::span<std::byte> bytes, std::uint32_t word, core::ByteOrder order) {
  store_little(order == core::ByteOrder::big ? core::byte_swap(word) : word, bytes);
}

// The functions and constants of FIPS 180-4, 4.1.1 and 4.2.1.
std::uint32_t mix(unsigned round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

// FIPS 180-4, 6.1.3: the message schedule is a ring of 16 words.
void compress(State& state, Block block, core::ByteOrder order) {
  std::array<std::uint32_t, kWords> w;
  for (std::size_t i = 0; i < kWords; ++i) w[i] = load_word(block.subspan(4 * i, 4), order);
  auto [a, b, c, d, e] = state;
  for (unsigned round = 0; round < 80; ++round) {
    std::uint32_t& word = w[round % kWords];
    if (round >= kWords)
      word =
          std::rotl(w[(round + 13) % kWords] ^ w[(round + 8) % kWords] ^ w[(round + 2) % kWords] ^ word, 1);
    const std::uint32_t next = std::rotl(a, 5) + mix(round, b, c, d) + e + word;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const State added{a, b, c, d, e};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
  core::wipe(w.data(), sizeof w);
}

}  // namespace

std::unique_ptr<Checksum> make_checksum(const std::string& name) {
  if (name == "crc32") return std::make_unique<BzipCrc>();
  if (name == "crc32b") return std::make_unique<ZlibSum<crc32_z>>();
  if (name == "adler32") return std::make_unique<ZlibSum<adler32_z>>();
  return std::make_unique<NamedDigest>(name);
}

std::uint32_t crc32b(std::span<const std::byte> message) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(message.data()), message.size()));
}

auth::SecretBytes s2k(const std::string& digest, const auth::SecretBytes& passphrase,
                      std::span<const std::byte> salt, std::uint64_t count, std::size_t key_bytes) {
  auth::Digest hash(digest);
  const std::size_t once = salt.size() + passphrase.size();
  const auth::SecretBytes step = repeated(passphrase, salt, count);
  auth::SecretBytes stream(key_bytes + hash.size());
  std::vector<std::byte> zeros;
  for (std::size_t at = 0; at < key_bytes; at += hash.size()) {
    hash.update(zeros);
    std::uint64_t left = std::max<std::uint64_t>(count, once);
    while (left != 0 && once != 0) {
      const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left, step.size()));
      hash.update(step.span().first(bytes));
      left -= bytes;
    }
    hash.finish(stream.span().subspan(at));
    zeros.push_back(std::byte{0});
  }
  return auth::SecretBytes(std::as_const(stream).span().first(key_bytes));
}

auth::SecretBytes sha1_chain(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                             std::size_t key_bytes) {
  auth::Digest sha1("sha1");
  auth::SecretBytes chain(key_bytes + sha1.size());
  for (std::size_t at = 0; at < key_bytes; at += sha1.size()) {
    sha1.update(salt).update(passphrase.span()).update(chain.span().first(at));
    sha1.finish(chain.span().subspan(at));
  }
  return auth::SecretBytes(std::as_const(chain).span().first(key_bytes));
}

Sha1Digest sha1_variant(std::span<const std::byte> message, const Sha1Variant& variant) {
  State state = variant.zero_state ? State{} : kInitial;
  const std::uint64_t bits = 8 * std::uint64_t{message.size()};
  for (; message.size() >= kSha1BlockBytes; message = message.subspan(kSha1BlockBytes))
    compress(state, message.first<kSha1BlockBytes>(), variant.words);
  std::array<std::byte, 2 * kSha1BlockBytes> tail{};
  std::ranges::copy(message, tail.begin());
  tail[message.size()] = std::byte{0x80};
  const std::size_t most = kSha1BlockBytes - 1 - kLengthBytes - (variant.is_openoffice ? 4 : 0);
  const std::size_t bytes = message.size() <= most ? kSha1BlockBytes : 2 * kSha1BlockBytes;
  for (unsigned i = 0; i < kLengthBytes; ++i) tail[bytes - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  for (std::size_t at = 0; at < bytes; at += kSha1BlockBytes)
    compress(state, std::span(tail).subspan(at).first<kSha1BlockBytes>(), variant.words);
  core::wipe(tail.data(), tail.size());
  Sha1Digest digest;
  for (std::size_t i = 0; i < state.size(); ++i)
    store_word(std::span(digest).subspan(4 * i, 4), state[i], variant.words);
  return digest;
}

}  // namespace fugu::format
