// The error where no parameters fit a file that does not store them.
#pragma once

#include <string>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/export.hpp"

namespace fugu::format {

class FUGU_EXPORT NoneFits : public Error {
 public:
  NoneFits(Errc code, std::string text, std::string tried)
      : Error(code, std::move(text)), tried_(std::move(tried)) {}

  const std::string& tried() const noexcept { return tried_; }  // all parameters, for people

 private:
  std::string tried_;
};

}  // namespace fugu::format
