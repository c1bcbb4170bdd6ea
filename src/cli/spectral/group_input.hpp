// Numbers for transforms over groups: integers, or complex numbers.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/lab/input.hpp"
#include "cli/lab/work.hpp"
#include "fugu/spectral/groups/characters.hpp"

namespace fugu::cli {

using Integers = std::vector<std::int64_t>;
using Complexes = std::vector<std::complex<double>>;

struct GroupInput {
  std::variant<Integers, Complexes> values;
  bool is_npy = false;
  std::optional<stream::FileId> file = {};

  std::size_t size() const;
  Complexes complexes() const;

  // Throws Error{usage} if the input is not integers.
  const Integers& integers() const;
};

// Reads all of a file, or of standard input ("-"): .npy of integers, floats or complex numbers, or text with
// white space or commas between the numbers, a complex one as 1.5-2i. The input is whole rows of the group's
// order. Throws Error naming the file.
GroupInput read_group_input(const std::string& name, const SpectralRequest& request,
                            const spectral::CharacterGroup& group);

}  // namespace fugu::cli
