// The header of .npy files (NumPy Enhancement Proposal 1), versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "cli/lab/values.hpp"

namespace fugu::cli {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

inline constexpr std::string_view kNpyTypes[] = {"<i4", "<i8", "<f4", "<f8"};  // as ValueType
inline constexpr std::string_view kNpyHalf = "<f2";

struct NpyHeader {
  std::string descr;  // "<i4"
  Shape shape;
};

// The number of bytes up to the end of the header, of which `head`, the first bytes of a file, may hold a
// part. Throws Error{damaged} for anything but an .npy file, Error{usage} for an unknown version.
inline constexpr std::size_t kNpyPreambleBytes = 12;
std::size_t npy_header_bytes(std::string_view head);

// A header and what follows it in `bytes`. Throws as above, Error{damaged} for a part of a header and for one
// that NumPy would not write, Error{usage} for unsupported ones: Fortran order, more than two dimensions, no
// values.
struct NpyParts {
  NpyHeader header;
  std::string_view payload;
};
NpyParts npy_parts(std::string_view bytes);

// `descr` is the name of one type, or a list of (name, type) pairs in brackets.
std::string npy_header(std::string_view descr, const Shape& shape);

}  // namespace fugu::cli
