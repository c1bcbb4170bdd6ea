// Boxes measured by somebody else's C++: tools/peers builds this from a checkout of sboxU
// (https://github.com/lpp-crypto/sboxU), or with PEIGEN defined from one of
// https://github.com/peigen-sboxes/PEIGEN.
//
// usage: peer_boxes FIELD < LINES     A line is a box of 8 bits in hexadecimal digits, two for the
// equivalence. Prints the processor time in seconds, then the value of each line.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#if defined(PEIGEN)
#include "func.hpp"

using Box = Peigen::function_t<8>;

Box box_of(const std::string& digits) {
  return Box(digits);
}

long value_of(const std::string& field, const std::vector<Box>& boxes) {
  static int table[256][256];
  int most = 0, other = 0, spectrum[257], ones[257];
  if (field == "linearity") {
    boxes[0].linear_approximation_matrix(table, most, spectrum, other, ones);
    return most;
  }
  if (field == "du") {
    boxes[0].difference_distribution_matrix(table, most, spectrum, other, ones);
    return most;
  }
  int degrees[9];
  boxes[0].degree(degrees, most, other);
  return most;
}
#else
#include "sboxU-cpp-module.hpp"

using Box = cpp_S_box;

Box box_of(const std::string& digits) {
  std::vector<BinWord> values;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    values.push_back(std::stoul(digits.substr(i, 2), nullptr, 16));
  return Box(values);
}

// As sboxU's affine_equivalence_permutations, without the maps at the end: S + c and T(x + c) by their least
// linearly equivalent boxes.
int are_equivalent(const Box& s, const Box& t) {
  const auto representative = [](const Box& box, std::uint32_t in, std::uint32_t out) {
    std::vector<BinWord> values;
    for (std::uint32_t x = 0; x < 256; ++x) values.push_back(box[x ^ in] ^ out);
    return cpp_le_class_representative(Box(values)).get_lut();
  };
  std::map<std::vector<BinWord>, int> known;
  for (std::uint32_t c = 0; c < 256; ++c) known[representative(s, 0, c)] = 1;
  for (std::uint32_t c = 0; c < 256; ++c)
    if (known.contains(representative(t, c, 0))) return 1;
  return 0;
}

long value_of(const std::string& field, const std::vector<Box>& boxes) {
  if (field == "linearity") return cpp_walsh_spectrum(boxes[0], 1).absolute().maximum();
  if (field == "du") return cpp_differential_spectrum(boxes[0], 1).maximum();
  if (field == "du <= 8") return cpp_is_differential_uniformity_smaller_than(boxes[0], 8) ? 1 : 0;
  return are_equivalent(boxes[0], boxes[1]);
}
#endif

int main(int, char** argv) {
  std::vector<std::vector<Box>> lines;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<Box>& boxes = lines.emplace_back();
    for (std::size_t at = 0; at < line.size(); at += 513) boxes.push_back(box_of(line.substr(at, 512)));
  }
  std::vector<long> values;
  const std::clock_t begin = std::clock();
  for (const std::vector<Box>& boxes : lines) values.push_back(value_of(argv[1], boxes));
  std::printf("%.6f", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  for (const long value : values) std::printf(" %ld", value);
}
