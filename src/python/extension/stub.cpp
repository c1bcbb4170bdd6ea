// Writes _properties.pyi, the types of what _properties.py makes of the library's tables.
#include <cstdio>

#include "python/extension/docs.hpp"

namespace {

namespace lab = fugu::spectral::lab;

std::string type_name(lab::Type type) {
  constexpr const char* kNames[] = {"bool",           "int", "float", "Mapping[int, int]", "tuple[int, ...]",
                                    "tuple[int, int]"};
  return kNames[static_cast<std::size_t>(type)];
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
            ":\n        \"\"\"" + fugu::python::doc_of(row) + "\"\"\"\n";
  }
  return text;
}

// The methods that _properties.py makes, by parameters_of().
std::string tables_text() {
  std::string text = "\nclass BoxTables:\n";
  for (const lab::BoxTable& table : lab::box_tables()) {
    const std::string_view form = fugu::python::parameters_of(table);
    const bool is_read_by_rows = form != "list" && form != "whole";
    const std::string rows = "rows: range | None = None";
    const std::string both = "*, " + rows + ", columns: range | None = None";
    text += "    def " + std::string(table.name) + "(self";
    if (form == "scales") text += R"(, scale: Literal["walsh", "bias", "correlation"] = "walsh")";
    if (is_read_by_rows) text += ", " + (form == "rows" ? rows : both);
    const std::string type = form == "scales" ? "Any" : is_read_by_rows ? "np.int32" : "np.int64";
    text += ") -> npt.NDArray[" + type + "]:\n        \"\"\"" + fugu::python::doc_of(table) + "\"\"\"\n";
  }
  return text;
}

}  // namespace

int main() {
  const std::string text =
      "\"\"\"The properties and tables of S-boxes, and the properties of Boolean functions.\"\"\"\n\nfrom "
      "collections.abc import Mapping\nfrom typing import Any, Literal\n\nimport numpy as np\nimport "
      "numpy.typing as npt\n" +
      tables_text() + class_text("BoxProperties", lab::box_properties(), box_type_name<lab::BoxProperty>) +
      class_text("BoxArrayProperties", lab::box_properties(), boxes_type_name<lab::BoxProperty>) +
      class_text("FunctionProperties", lab::function_properties(), box_type_name<lab::FunctionProperty>);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
}
