// Other people's Blowfish: those of the libraries that CMake found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fugu/mode/settings.hpp"

namespace fugu::bench {

struct PeerWork {
  mode::Mode mode;  // ecb, cbc, cfb64, ofb or ctr
  bool decrypts;
  std::span<const unsigned char> key;
  const unsigned char* iv;  // 8 bytes
  unsigned char* data;      // processed in place
  std::size_t bytes;        // whole blocks
};

struct Peer {
  std::string name;                   // with its version
  bool (*run)(const PeerWork& work);  // sets the key first; false if the library has no such mode
};

std::vector<Peer> peers();

}  // namespace fugu::bench
