// The configuration of an EncFS volume: .encfs6.xml, .encfs5 or .encfs4. Private to encfs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/stream/source.hpp"

namespace fugu::format {

enum class EncfsNames : std::uint8_t { plain, stream, block, block32 };

struct EncfsConfig {
  unsigned version = 6;         // of the configuration
  std::string creator;          // "EncFS 1.9.5"
  unsigned cipher_version = 3;  // of its interface: 2 makes IVs differently
  EncfsNames names = EncfsNames::stream;
  std::size_t key_bytes = 0;
  std::size_t block_bytes = 0;   // as stored, with MAC and random bytes
  std::size_t mac_bytes = 0;     // at the beginning of each block, 0 to 8
  std::size_t random_bytes = 0;  // after the MAC
  bool has_file_ivs = false;
  bool chains_names = false;          // a name's IV depends on the directories above
  bool chains_file_ivs = false;       // a file's IV depends on its path
  bool has_holes = false;             // blocks of zeros are stored as zeros
  std::vector<std::byte> salt;        // empty: the key comes from EVP_BytesToKey
  std::vector<std::byte> volume_key;  // encrypted
  std::uint32_t iterations = 0;

  bool has_salt() const { return !salt.empty(); }
};

inline constexpr std::size_t kEncfsMaxConfigBytes = std::size_t{64} << 10;

// Throws Error{damaged} for what EncFS does not write, and Error{unknown_format} for other ciphers than
// Blowfish, naming the program that opens them.
EncfsConfig read_encfs_config(stream::Source& source);

// Whether a file begins as a configuration, of whatever cipher.
bool is_encfs_config(std::span<const std::byte> head);

}  // namespace fugu::format
