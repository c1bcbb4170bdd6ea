// The error that work throws, for tests.
#pragma once

#include <functional>
#include <optional>

#include "fugu/error.hpp"

namespace fugu::test {

// Empty if nothing is thrown.
inline std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

inline std::optional<Errc> code_of(const std::function<void()>& work) {
  const auto error = error_of(work);
  return error ? std::optional(error->code()) : std::nullopt;
}

}  // namespace fugu::test
