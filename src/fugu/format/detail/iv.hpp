// The IV in an option's value. Private to format.
#pragma once

#include <string_view>

#include "fugu/mode/settings.hpp"

namespace fugu::format {

// What --iv takes, for its error: of a format that takes the IV alone, and of raw Blowfish.
inline constexpr std::string_view kIvValues = "16 hexadecimal digits, text:, base64: or zero";
inline constexpr std::string_view kRawIvValues =
    "16 hexadecimal digits, text:, base64:, zero, prefix or encrypted-zero";

// "0011223344556677", "text:12345678", "base64:MTIzNDU2Nzg=" or "zero". Throws Error{usage} for anything
// else.
mode::Iv parse_iv(std::string_view given, std::string_view values = kRawIvValues);

}  // namespace fugu::format
