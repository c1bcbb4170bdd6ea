// Values of properties as text, and the lists of properties, for fugu sbox and fugu spectral properties.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "fugu/spectral/lab/property.hpp"

namespace fugu::cli {

// "4:255 6:510"
std::string histogram_text(const spectral::Histogram& histogram);

// Fractions have `digits` after the point; a missing value is "-".
std::string value_text(const spectral::lab::Value& value, int digits = 6);
nlohmann::ordered_json value_json(const spectral::lab::Value& value);

// A line per table of boxes, and per column of reports: name, definition, and the name in Python where it
// differs.
std::string property_list();

}  // namespace fugu::cli
