#include "fugu/format/detail/checksum.hpp"

#include <zlib.h>

#include <array>

#include "fugu/auth/digest.hpp"
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
      value_ = value_ << 8 ^ table()[value_ >> 24 ^ std::to_integer<std::uint32_t>(byte)];
  }
  std::vector<std::byte> finish() override { return low_byte_first(~value_); }

 private:
  static const std::array<std::uint32_t, 256>& table() {
    static const auto made = [] {
      std::array<std::uint32_t, 256> entries{};
      for (std::uint32_t i = 0; i < entries.size(); ++i) {
        std::uint32_t entry = i << 24;
        for (int bit = 0; bit < 8; ++bit) entry = entry << 1 ^ ((entry & 0x80000000U) != 0 ? 0x04c11db7U : 0);
        entries[i] = entry;
      }
      return entries;
    }();
    return made;
  }

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

}  // namespace fugu::format
