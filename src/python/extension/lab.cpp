#include "python/extension/lab.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace fugu::python {
namespace {

namespace lab = spectral::lab;

struct Object {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const lab::BigNumber& value) const { return nb::int_(nb::str(value.digits.c_str())); }
  nb::object operator()(spectral::Annihilators value) const {
    return nb::make_tuple(value.degree, value.dimension);
  }
  template <class T>
  nb::object operator()(const T& value) const {
    return nb::cast(value);
  }
};

}  // namespace

nb::object object_of(const lab::Value& value) {
  return std::visit(Object(), value);
}

}  // namespace fugu::python
