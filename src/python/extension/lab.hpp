// Sessions of the laboratory, whose values are asked for by the names of rows.
#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <tuple>

#include "python/extension/docs.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {

// One thread at a time uses the subject: the interpreter's lock is released meanwhile.
template <class Subject>
struct Session {
  template <class... Arguments>
  requires std::is_constructible_v<Subject, Arguments...>
  explicit Session(Arguments&&... arguments) : subject(std::forward<Arguments>(arguments)...) {}

  // work(subject), which takes about as long as `values` values do.
  template <class Work>
  auto run(std::uint64_t values, Work work) {
    return result_of(values, [&](const std::stop_token& stop) {
      const std::lock_guard lock(busy);
      subject.heed(stop);
      return work(subject);
    });
  }

  Subject subject;
  std::mutex busy{};
};

// The numbers, histograms, ... of Python. Needs the interpreter's lock.
struct ObjectOf {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const spectral::lab::BigNumber& value) const {
    return nb::int_(nb::str(value.digits.c_str()));
  }
  nb::object operator()(spectral::Annihilators value) const {
    return nb::make_tuple(value.degree, value.dimension);
  }
  template <class T>
  nb::object operator()(const T& value) const {
    return nb::cast(value);
  }
};

inline nb::object object_of(const spectral::lab::Value& value) {
  return std::visit(ObjectOf(), value);
}

// Throws Error{usage} for a name of no row.
template <class Subject>
const spectral::lab::Property<Subject>& property_named(std::span<const spectral::lab::Property<Subject>> rows,
                                                       const std::string& name) {
  const auto* const row = find_property(rows, name);
  if (row == nullptr) throw Error(Errc::usage, "no property '" + name + "'");
  return *row;
}

template <class Subject>
nb::object value_named(Session<Subject>& session, std::span<const spectral::lab::Property<Subject>> rows,
                       std::uint64_t values, const std::string& name) {
  const auto& row = property_named(rows, name);
  return object_of(session.run(row.is_long ? kShortValues + 1 : values,
                               [&](Subject& subject) { return row.value(subject); }));
}

// The class of sessions of one kind of subject, with what all have.
template <class Subject>
nb::class_<Session<Subject>> bind_session_of(nb::module_& module, const char* name) {
  return nb::class_<Session<Subject>>(module, name)
      .def_prop_ro("is_on_host", [](const Session<Subject>& session) { return session.subject.is_on_host(); })
      .def_prop_ro(
          "values", [](Session<Subject> & session) -> const auto& {
            return session.run(0, [](Subject& subject) { return std::cref(subject.values()); }).get();
          },
          nb::rv_policy::reference_internal);
}

// Columns, attributes, docstrings, whether each subject has a whole number, and whether a GPU computes it.
template <class Subject>
std::vector<std::tuple<std::string, std::string, std::string, bool, bool>> properties_of(
    std::span<const spectral::lab::Property<Subject>> rows) {
  std::vector<std::tuple<std::string, std::string, std::string, bool, bool>> properties;
  for (const auto& row : rows)
    properties.emplace_back(row.column, row.attribute, doc_of(row),
                            row.type == spectral::lab::Type::integer && !row.may_lack, row.on_gpu);
  return properties;
}

}  // namespace fugu::python
