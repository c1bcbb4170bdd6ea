// Names of files, which are bytes, and texts that may hold some.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace fugu::python {

namespace nb = nanobind;

// The name that a str, bytes or os.PathLike is to the system, as os.fsencode() has it. Throws TypeError, and
// ValueError for one with a NUL.
inline std::string name_of(nb::handle path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) throw nb::python_error();
  const nb::bytes name = nb::steal<nb::bytes>(encoded);
  return {name.c_str(), name.size()};
}

// Decodes as os.fsdecode() does, which never fails.
inline nb::str text_of(std::string_view text) {
  PyObject* const decoded =
      PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

}  // namespace fugu::python
