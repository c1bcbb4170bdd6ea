// Numbers as text, read and written in pieces on all threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/lab/values.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::cli {

// Numbers separated by white space or commas. Without a type: int64, or float64 if one is not an integer.
// Throws Error{usage} with the first word that is not a number of the type.
Values read_numbers(std::string_view text, std::optional<ValueType> type, threads::ThreadPool& pool);

// Whether the text is only the digits 0 and 1, white space and '_': a truth table, unless the user says
// numbers.
bool is_digits(std::string_view text, threads::ThreadPool& pool);

// Throws Error{usage} for a word such as 0001, which may be one number or four values.
void refuse_leading_zeros(std::string_view digits);

// Writes what make(i, text) appends for i from 0 to count - 1, in that order. The pool makes a few pieces at
// a time.
void write_pieces(std::size_t count, const std::function<void(std::size_t piece, std::string& text)>& make,
                  stream::Sink& sink, threads::ThreadPool& pool);

// One number per line; integers without an exponent.
void write_numbers(const Values& values, stream::Sink& sink, threads::ThreadPool& pool);

}  // namespace fugu::cli
