// The parts of the extension module fugu._fugu.
#pragma once

#include <nanobind/nanobind.h>

namespace fugu::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_transforms(nb::module_& module);
void bind_gpu_transforms(nb::module_& module);
void bind_groups(nb::module_& module);
void bind_characters(nb::module_& module);
void bind_boolean(nb::module_& module);
void bind_sbox(nb::module_& module);
void bind_boxes(nb::module_& module);
void bind_blowfish_boxes(nb::module_& module);
void bind_equivalence(nb::module_& module);
void bind_cipher(nb::module_& module);

}  // namespace fugu::python
