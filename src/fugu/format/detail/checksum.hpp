// Checksums and digests by name, as formats append them to their plaintext. Private to format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fugu::format {

class Checksum {
 public:
  virtual ~Checksum() = default;
  virtual std::size_t size() const = 0;
  virtual void update(std::span<const std::byte> data) = 0;
  virtual std::vector<std::byte> finish() = 0;
};

// "crc32b" is zlib's CRC-32, "crc32" that of bzip2 and "adler32" zlib's, all least significant byte first;
// other names are OpenSSL's. Throws Error{usage} for unknown names.
std::unique_ptr<Checksum> make_checksum(const std::string& name);

// zlib's CRC-32 of a message.
std::uint32_t crc32b(std::span<const std::byte> message);

}  // namespace fugu::format
