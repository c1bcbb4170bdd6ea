// The buffer protocol, and the meaning of its format strings here.
#include "python/extension/arrays.hpp"

#include <algorithm>

namespace fugu::python {

namespace {

// Says why there is no buffer as wanted.
[[noreturn]] void refuse(nb::handle object, Access access) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) throw nb::python_error();  // "a bytes-like object is required"
  PyErr_Clear();
  Py_buffer any{};
  if (PyObject_GetBuffer(object.ptr(), &any, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    throw nb::type_error("it has elements that no buffer can hold, such as dates; give bytes or numbers");
  }
  PyBuffer_Release(&any);
  throw nb::type_error(access == Access::write ? "the buffer is not contiguous, or cannot be written to"
                                               : "the buffer is not contiguous: pass bytes() of it");
}

std::string_view format_of(const Py_buffer& view) {
  return view.format == nullptr ? "B" : view.format;
}

// One number, bool or string of bytes, in any byte order.
bool is_plain(std::string_view format) {
  const auto skip = [&format](std::string_view any) {
    format.remove_prefix(std::min(format.find_first_not_of(any), format.size()));
  };
  skip("@=<>!^");
  skip("0123456789");
  skip("Z");
  return format.size() == 1 && std::string_view("?bBhHiIlLqQnNefdgFDcs").find(format[0]) != format.npos;
}

}  // namespace

HostBuffer::HostBuffer(nb::handle object, Access access) {
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) refuse(object, access);
}

HostBuffer::~HostBuffer() {
  PyBuffer_Release(&view_);
}

ItemType HostBuffer::element() const {
  const std::string_view format = format_of(view_);
  if (format == "i") return ItemType::int32;
  if (format == "l" || format == "q") return ItemType::int64;
  if (format == "f") return ItemType::float32;
  if (format == "d") return ItemType::float64;
  if (format == "?") return ItemType::boolean;
  if (format == "B") return ItemType::packed;
  if (format == "H") return ItemType::uint16;
  if (format == "Zf") return ItemType::complex64;
  if (format == "Zd") return ItemType::complex128;
  throw Error(Errc::usage, "elements of the format '" + std::string(format) + "' are not supported");
}

std::span<const std::byte> HostBuffer::plain_bytes() const {
  if (is_plain(format_of(view_))) return bytes();
  const std::string text = "elements of the format '" + std::string(format_of(view_)) +
                           "' are not plain data; give bytes, bool or numbers";
  throw nb::type_error(text.c_str());
}

std::size_t HostBuffer::columns() const {
  return view_.ndim == 0 ? 1 : static_cast<std::size_t>(view_.shape[view_.ndim - 1]);
}

}  // namespace fugu::python
