// The input of fugu spectral operations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/files/files.hpp"
#include "cli/lab/values.hpp"
#include "cli/options.hpp"
#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

struct SpectralInput {
  std::variant<Values, Tables> data;
  Shape shape;
  std::optional<ValueFormat> result_format = {};  // for results in the format of the input
  std::optional<ValueType> type = {};             // --type
  std::optional<stream::FileId> file = {};        // no output may replace it
  bool halves = false;  // .npy of float16, which becomes float32 for the work: results are float16
};

// All bytes of a file, or of standard input ("-"), which is opened once. Throws Error{io}.
struct FileBytes {
  std::string bytes;
  std::optional<stream::FileId> file;
};
FileBytes read_all(const std::string& name, const Arguments& arguments);

// Returns work(), and adds the name of a file to its errors.
template <class Work>
auto in_file(const std::string& name, Work work) {
  try {
    return work();
  } catch (Error& error) {
    if (name != kStandardStream) error.add_context(printable(name));
    throw;
  }
}

// The integers of an .npy file. Throws Error{usage} or Error{damaged}.
Array<std::int64_t> npy_integers(const NpyHeader& header, std::string_view payload);

// Whether --bit-order reverses hexadecimal digits.
bool is_sage_order(const Arguments& arguments);

// The words of --from and --to, --type and --as.
inline constexpr Choice<ValueFormat> kValueFormats[] = {{"npy", ValueFormat::npy},
                                                        {"raw", ValueFormat::raw},
                                                        {"text", ValueFormat::text},
                                                        {"bits", ValueFormat::bits},
                                                        {"hex", ValueFormat::hex},
                                                        {"packed", ValueFormat::packed},
                                                        {"polynomial", ValueFormat::polynomial}};
inline constexpr Choice<ValueType> kValueTypes[] = {{"int32", ValueType::int32},
                                                    {"int64", ValueType::int64},
                                                    {"float32", ValueType::float32},
                                                    {"float64", ValueType::float64}};
inline constexpr Choice<Meaning> kMeanings[] = {{"table", Meaning::table}, {"values", Meaning::values}};

// Called with the likely number of values before the rest is read.
using ExpectValues = std::function<void(std::uint64_t values)>;

// Reads all of a file, or of standard input ("-"), which is opened once: whole rows of a power of two. Throws
// Error naming the file.
SpectralInput read_input(const std::string& name, const Arguments& arguments, Needs needs,
                         threads::ThreadPool& pool, const ExpectValues& expect = {});

}  // namespace fugu::cli
