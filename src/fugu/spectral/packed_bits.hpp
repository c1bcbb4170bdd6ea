// Truth tables of a bit per value to and from those of a byte or a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/export.hpp"

namespace fugu::spectral {

// What the bits of a truth table become as numbers: (-1)^f, or f.
enum class TableMeans : bool { polarity, bits };

// Value i of `out` is that of bit i % 8 of byte i / 8. T: std::int32_t, std::int64_t, float, double, and
// std::uint8_t for bits.
template <class T>
FUGU_EXPORT void expand(std::span<const std::byte> packed, TableMeans means, std::span<T> out);

// The reverse of up to 64 bytes: byte i becomes bit i of `word`, whose other bits are 0. Returns false, with
// `word` unspecified, if a byte is neither 0 nor 1.
FUGU_EXPORT bool pack(std::span<const std::uint8_t> bytes, std::uint64_t& word) noexcept;

}  // namespace fugu::spectral
