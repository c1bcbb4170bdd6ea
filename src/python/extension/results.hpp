// Long work with a result.
#pragma once

#include <optional>
#include <utility>

#include "python/extension/long_work.hpp"

namespace fugu::python {

// The result of compute(stop).
template <class Compute>
auto result_of(std::uint64_t values, Compute compute) {
  std::optional<decltype(compute(std::stop_token{}))> result;
  run(values, [&](const std::stop_token& stop) { result.emplace(compute(stop)); });
  return std::move(*result);
}

}  // namespace fugu::python
