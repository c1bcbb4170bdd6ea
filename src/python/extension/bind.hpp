// The parts of the extension module fugu._fugu, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <string>
#include <string_view>

#include "fugu/device/context.hpp"

namespace fugu::python {

namespace nb = nanobind;

void bind_transforms(nb::module_& module);
void bind_gpu_transforms(nb::module_& module);
void bind_groups(nb::module_& module);
void bind_boolean(nb::module_& module);
void bind_sbox(nb::module_& module);
void bind_boxes(nb::module_& module);
void bind_equivalence(nb::module_& module);
void bind_cipher(nb::module_& module);

// The context of a GPU, the same for every call: to make one takes longer than most calls. Throws as
// device::Context does. Any thread, with or without the GIL.
const device::Context& context_of(int device);

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
