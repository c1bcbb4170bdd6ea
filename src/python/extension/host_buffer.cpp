// The buffer protocol, and the meaning of its format strings here.
#include "python/extension/host_buffer.hpp"

#include <string>

namespace fugu::python {

HostBuffer::HostBuffer(nb::handle object, Access access) {
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return;
  if (PyObject_CheckBuffer(object.ptr()) == 0) throw nb::python_error();  // "a bytes-like object is required"
  PyErr_Clear();
  throw nb::type_error(access == Access::write ? "the buffer is not contiguous, or cannot be written to"
                                               : "the buffer is not contiguous; bytes() of it is");
}

HostBuffer::~HostBuffer() {
  PyBuffer_Release(&view_);
}

Element HostBuffer::element() const {
  const std::string_view format = view_.format == nullptr ? "B" : view_.format;
  if (format == "i") return Element::int32;
  if (format == "l" || format == "q") return Element::int64;
  if (format == "f") return Element::float32;
  if (format == "d") return Element::float64;
  if (format == "?") return Element::boolean;
  if (format == "B") return Element::packed;
  if (format == "H") return Element::uint16;
  if (format == "Zf") return Element::complex64;
  if (format == "Zd") return Element::complex128;
  throw Error(Errc::usage, "elements of the format '" + std::string(format) + "' are not known");
}

std::size_t HostBuffer::columns() const {
  return view_.ndim == 0 ? 1 : static_cast<std::size_t>(view_.shape[view_.ndim - 1]);
}

}  // namespace fugu::python
