// fugu._fugu: the library's interface for the Python package, which checks arguments and defines the public
// names.
#include "fugu/version.hpp"
#include "python/extension/bind.hpp"

NB_MODULE(_fugu, module) {
  using namespace fugu::python;
  module.attr("VERSION") = nb::str(fugu::version().data(), fugu::version().size());
  bind_errors(module);
  bind_transforms(module);
  bind_gpu_transforms(module);
  bind_groups(module);
  bind_characters(module);
  bind_boolean(module);
  bind_sbox(module);
  bind_boxes(module);
  bind_blowfish_boxes(module);
  bind_equivalence(module);
  bind_cipher(module);
}
