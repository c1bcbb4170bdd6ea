// Writes _properties.pyi, the types of the attributes that _properties.py makes of the tables of properties.
#include <cstdio>
#include <string>

#include "fugu/spectral/lab/property.hpp"

namespace {

namespace lab = fugu::spectral::lab;

std::string type_name(lab::Type type) {
  switch (type) {
    case lab::Type::truth:
      return "bool";
    case lab::Type::integer:
      return "int";
    case lab::Type::real:
      return "float";
    case lab::Type::histogram:
      return "Mapping[int, int]";
    case lab::Type::numbers:
      return "tuple[int, ...]";
    case lab::Type::pair:
      return "tuple[int, int]";
  }
  return "object";
}

// The type of a property's values for many boxes: an array for numbers that no box lacks, else a tuple.
template <class Row>
std::string boxes_type_name(const Row& row) {
  const bool number =
      row.type == lab::Type::truth || row.type == lab::Type::integer || row.type == lab::Type::real;
  if (number && !row.may_lack) return "npt.NDArray[Any]";
  return "tuple[" + type_name(row.type) + (row.may_lack ? " | None, ...]" : ", ...]");
}

template <class Row>
std::string box_type_name(const Row& row) {
  return type_name(row.type) + (row.may_lack ? " | None" : "");
}

template <class Rows, class TypeName>
std::string class_text(const char* name, Rows rows, TypeName type_of) {
  std::string text = std::string("\nclass ") + name + ":\n";
  for (const auto& row : rows) {
    if (row.attribute.empty()) continue;
    text += "    @property\n    def " + std::string(row.attribute) + "(self) -> " + type_of(row) +
            ":\n        \"\"\"" + definition(row) + ".\"\"\"\n";
  }
  return text;
}

}  // namespace

int main() {
  const std::string text =
      "\"\"\"The properties of S-boxes and of Boolean functions.\"\"\"\n\nfrom collections.abc import Mapping\nfrom typing import Any\n\nimport "
      "numpy.typing as npt\n" +
      class_text("BoxProperties", lab::box_properties(), box_type_name<lab::BoxProperty>) +
      class_text("BoxArrayProperties", lab::box_properties(), boxes_type_name<lab::BoxProperty>) +
      class_text("FunctionProperties", lab::function_properties(), box_type_name<lab::FunctionProperty>);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
}
