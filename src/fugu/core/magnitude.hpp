// |x| of integers, without overflow.
#pragma once

#include <type_traits>

namespace fugu::core {

template <class T>
constexpr std::make_unsigned_t<T> magnitude(T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  return value < 0 ? static_cast<std::make_unsigned_t<T>>(0 - bits) : bits;
}

}  // namespace fugu::core
