// The error where no parameters fit a file that does not store them.
#pragma once

#include <string>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::format {

struct FUGU_EXPORT NoneFits : Error {
  NoneFits(Errc code, std::string text, std::string all)
      : Error(code, std::move(text)), tried(std::move(all)) {}

  std::string tried;  // all parameters, for people
};

}  // namespace fugu::format
