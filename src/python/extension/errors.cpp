// Maps the library's errors to the exceptions of fugu._errors, by kind.
#include <array>
#include <memory>

#include "fugu/error.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {
namespace {

// In the order of Errc.
constexpr std::array<const char*, 10> kNames{
    "UsageError",  "FileError",     "WrongKeyError", "DamagedError", "UnknownFormatError",
    "EngineError", "NoDeviceError", "MismatchError", "Interrupted",  "OutOfMemoryError"};

using Classes = std::array<nb::object, kNames.size()>;

void translate(const std::exception_ptr& thrown, void* payload) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const auto& classes = *static_cast<const Classes*>(payload);
    PyErr_SetString(classes[static_cast<std::size_t>(error.code())].ptr(), error.text().c_str());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  // Lives as long as the translator, which is never removed.
  auto classes = std::make_unique<Classes>();
  const nb::module_ errors = nb::module_::import_("fugu._errors");
  for (std::size_t i = 0; i < kNames.size(); ++i) (*classes)[i] = errors.attr(kNames[i]);
  nb::register_exception_translator(translate, classes.release());
}

}  // namespace fugu::python
