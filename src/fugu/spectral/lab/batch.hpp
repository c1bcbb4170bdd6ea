// Many boxes of one shape: a property of each, box by box on all cores.
#pragma once

#include "fugu/spectral/lab/property.hpp"

namespace fugu::spectral::lab {

// Boxes one after the other, S(0), S(1), ... of each, as integers of 1, 2 or 4 bytes in this machine's order;
// the caller keeps them. Throws Error{usage} for another number of bytes, and for bytes that are not a whole
// number of boxes.
class FUGU_EXPORT BoxArray {
 public:
  BoxArray(int inputs, int outputs, std::size_t value_bytes, std::span<const std::byte> values);

  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  std::size_t size() const { return count_; }
  SBox operator[](std::size_t i) const;  // throws as the constructor of SBox

 private:
  int inputs_;
  int outputs_;
  std::size_t value_bytes_;
  std::size_t count_;
  std::span<const std::byte> values_;
};

// The value of each box, on the CPU.
FUGU_EXPORT std::vector<Value> values_of(const BoxArray& boxes, const BoxProperty& property,
                                         const SBoxOptions& options = {});

// Whether the differential uniformity is at most `bound`, 1 or 0 for each box: a box is left at the first row
// of its DDT with a larger entry.
FUGU_EXPORT std::vector<std::uint8_t> uniformity_at_most(const BoxArray& boxes, std::uint32_t bound,
                                                         const SBoxOptions& options = {});

}  // namespace fugu::spectral::lab
