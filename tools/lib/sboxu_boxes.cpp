// Boxes measured by sboxU's C++ (https://github.com/lpp-crypto/sboxU): tools/peers builds it from a checkout.
//
// usage: sboxu_boxes FIELD < LINES     A line is a box of 8 bits in hexadecimal digits, two for the equivalence.
// Prints the processor time in seconds, then the value of each line.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "sboxU-cpp-module.hpp"

using Boxes = std::vector<cpp_S_box>;  // of a line

cpp_S_box box_of(const std::string& digits) {
  std::vector<BinWord> values;
  for (std::size_t i = 0; i < digits.size(); i += 2) values.push_back(std::stoul(digits.substr(i, 2), nullptr, 16));
  return cpp_S_box(values);
}

// As sboxU's affine_equivalence_permutations, without the maps at the end: S + c and T(x + c) by their least
// linearly equivalent boxes.
int are_equivalent(const cpp_S_box& s, const cpp_S_box& t) {
  const auto representative = [](const cpp_S_box& box, std::uint32_t in, std::uint32_t out) {
    std::vector<BinWord> values;
    for (std::uint32_t x = 0; x < 256; ++x) values.push_back(box[x ^ in] ^ out);
    return cpp_le_class_representative(cpp_S_box(values)).get_lut();
  };
  std::map<std::vector<BinWord>, int> known;
  for (std::uint32_t c = 0; c < 256; ++c) known[representative(s, 0, c)] = 1;
  for (std::uint32_t c = 0; c < 256; ++c)
    if (known.contains(representative(t, c, 0))) return 1;
  return 0;
}

long value_of(const std::string& field, const Boxes& boxes) {
  if (field == "linearity") return cpp_walsh_spectrum(boxes[0], 1).absolute().maximum();
  if (field == "du") return cpp_differential_spectrum(boxes[0], 1).maximum();
  if (field == "du <= 8") return cpp_is_differential_uniformity_smaller_than(boxes[0], 8) ? 1 : 0;
  return are_equivalent(boxes[0], boxes[1]);
}

int main(int, char** argv) {
  std::vector<Boxes> lines;
  for (std::string line; std::getline(std::cin, line);) {
    Boxes& boxes = lines.emplace_back();
    for (std::size_t at = 0; at < line.size(); at += 513) boxes.push_back(box_of(line.substr(at, 512)));
  }
  std::vector<long> values;
  const std::clock_t begin = std::clock();
  for (const Boxes& boxes : lines) values.push_back(value_of(argv[1], boxes));
  std::printf("%.6f", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  for (const long value : values) std::printf(" %ld", value);
}
