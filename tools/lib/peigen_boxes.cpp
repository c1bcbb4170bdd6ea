// Boxes measured by PEIGEN (https://github.com/peigen-sboxes/PEIGEN): tools/peers builds it from a checkout.
//
// usage: peigen_boxes FIELD < LINES     as sboxu_boxes.cpp
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "func.hpp"

using Box = Peigen::function_t<8>;

long value_of(const std::string& field, const Box& box) {
  static int table[256][256];
  int most = 0, other = 0, spectrum[257], ones[257];
  if (field == "linearity") {
    box.linear_approximation_matrix(table, most, spectrum, other, ones);
    return most;
  }
  if (field == "du") {
    box.difference_distribution_matrix(table, most, spectrum, other, ones);
    return most;
  }
  int degrees[9];
  box.degree(degrees, most, other);
  return most;
}

int main(int, char** argv) {
  std::vector<Box> boxes;
  for (std::string line; std::getline(std::cin, line);) boxes.emplace_back(line);
  std::vector<long> values;
  const std::clock_t begin = std::clock();
  for (const Box& box : boxes) values.push_back(value_of(argv[1], box));
  std::printf("%.6f", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  for (const long value : values) std::printf(" %ld", value);
}
