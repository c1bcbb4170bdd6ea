#include "support/weak_keys.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "support/vector_reader.hpp"

namespace fugu::test {

std::vector<cipher::WeakKey> known_weak_keys() {
  std::ifstream file(vectors_directory() / "sbox/weak_keys.txt");
  std::vector<cipher::WeakKey> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    cipher::WeakKey weak;
    char bar[4];
    fields >> std::hex >> weak.key >> bar[0] >> std::dec >> weak.box >> bar[1] >> weak.x >> bar[2] >>
        weak.y >> bar[3] >> std::hex >> weak.value;
    if (!fields) throw std::runtime_error("sbox/weak_keys.txt: " + line);
    all.push_back(weak);
  }
  if (all.empty()) throw std::runtime_error("sbox/weak_keys.txt holds no key");
  return all;
}

}  // namespace fugu::test
