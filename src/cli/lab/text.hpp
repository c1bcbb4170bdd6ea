// Numbers as text, read and written in pieces on all threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/lab/values.hpp"
#include "fugu/spectral/digits.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::cli {

// Throws Error{usage} for bytes that no text has, with the options that read them.
[[noreturn]] void refuse_binary();

// Numbers separated by white space or commas. Without a type: int64, or float64 if one is not an integer.
// Throws Error{usage} with the first word that is not a number of the type.
Values read_numbers(std::string_view text, std::optional<ValueType> type, threads::ThreadPool& pool);

Content read_digits(std::string_view text, spectral::Digits digits, const Reading& reading);

// Of --variables variables, one per line. Throws Error{usage}.
Content read_polynomials(std::string_view text, const Reading& reading);

// A truth table or numbers, by the rule of values.hpp. Throws Error{usage} for what may be either.
Content read_text(std::string_view text, const Reading& reading);

// Writes what make(i, text) appends for i from 0 to count - 1, in that order. The pool makes a few pieces at
// a time.
void write_pieces(std::size_t count, const std::function<void(std::size_t piece, std::string& text)>& make,
                  stream::Sink& sink, threads::ThreadPool& pool);

// One number per line; integers without an exponent.
void write_numbers(const Values& values, stream::Sink& sink, threads::ThreadPool& pool);

}  // namespace fugu::cli
