// The input of fugu sbox: boxes in the formats of files, those named on the command line, and batches.
#pragma once

#include <mutex>

#include "cli/lab/values.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::cli {

inline constexpr std::string_view kUnivariate = "univariate";

// lsb: bit 0 is x_0 and y_0. msb: the reverse on both sides. sage: as lsb, but a hexadecimal truth table has
// f(0) in the least significant bit of its last digit.
enum class BitOrder : std::uint8_t { lsb, msb, sage };

struct BoxOptions;
using ParseBox = spectral::SBox (*)(std::string_view bytes, const BoxOptions& options);

struct BoxOptions {
  ParseBox parse = nullptr;  // by --from; null: detected
  std::optional<int> inputs{};
  std::optional<int> outputs{};
  BitOrder bit_order = BitOrder::lsb;
  std::optional<std::uint32_t> field{};  // the polynomial of a univariate box's field
};

struct NamedBox {
  std::string name;  // as given: may hold control characters
  spectral::SBox box;
  std::optional<stream::FileId> file{};  // so that its result does not overwrite it
};

// A line of a file.
struct Line {
  std::string_view text;
  std::size_t number;
};

// The format of --from; null: to be detected. Throws Error{usage}.
ParseBox format_option(const Arguments& arguments);

bool is_npy(std::string_view bytes, const BoxOptions& options);
bool is_univariate(const BoxOptions& options);

// In the order of bits of the options. Throw Error{usage} for what makes no box.
spectral::SBox parse_box(std::string_view bytes, const BoxOptions& options);
spectral::SBox box_of_row(std::span<const std::int64_t> row, const BoxOptions& options);

// A number as one of many languages writes it.
std::optional<std::uint32_t> number_of(std::string_view word);

// Nonempty lines; '#' begins a comment.
std::vector<Line> lines_of(std::string_view text);

[[noreturn]] void refuse_sage_order();

// Throws Error{usage}.
BoxOptions box_options(const Arguments& arguments);

// The polynomial of --field, if it is given. Throws Error{usage} for what is not a number.
std::optional<std::uint32_t> field_option(const Arguments& arguments);

// Throws Error{usage} for options about files if `operands` name none, and for --key if no box has one.
void check_box_options(const Arguments& arguments, const std::vector<std::string>& operands);

// blowfish:1 to blowfish:4: that S-box under the key of --key. Empty for any other name. Throws Error{usage}
// without a key.
std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments);

// Blowfish_initial_S1 to _S4: the S-boxes before a key is mixed in. Empty for any other name.
std::optional<spectral::SBox> initial_box(std::string_view name);

// Whether it is, or is meant to be, a name of keyed_box.
bool is_keyed_name(std::string_view name);

// The list: one line per name or family, with its size and origin.
std::string box_list(bool is_json);

// Whether it is a file or a name. Throws Error{usage} for a family with invalid parameters.
bool is_box(const std::string& operand);

// The operands from number `skipped` on, or standard input.
std::vector<std::string> box_operands(const Arguments& arguments, std::size_t skipped);

// A number of at most `bits` bits, as number_of() reads it, or nothing.
std::optional<std::uint32_t> word_of(std::string_view text, int bits);

// A name from the list, a keyed one, a file, or - for standard input; an existing file takes precedence
// over a name. With --from univariate, what is not a file is the polynomial itself. Throws Error naming the
// file.
NamedBox read_one_box(const std::string& operand, const Arguments& arguments);

// The box of the only operand from number `skipped` on, or of standard input. Throws Error{usage} for
// several.
NamedBox read_only_box(const Arguments& arguments, std::size_t skipped);

// The same, except that with --batch each nonempty line of a file, or row of an .npy array, is a box, named
// with its number and parsed on request.
class Boxes {
 public:
  // Throws Error naming the file.
  Boxes(const std::string& operand, const Arguments& arguments);
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;

  std::size_t size() const;
  std::optional<stream::FileId> file() const { return file_; }

  // Boxes first to first + count - 1; empty for what is not a box in a batch. Thread-safe.
  std::vector<std::optional<NamedBox>> read(std::size_t first, std::size_t count) const;

  // Throws Error{usage} naming the file and the first line or row that read() found to be no box.
  void report_refused() const;

 private:
  void begin_batch(FileBytes file);
  Array<std::int64_t> integers_of(std::size_t first, std::size_t count) const;

  std::string operand_;
  BoxOptions options_{};
  std::optional<stream::FileId> file_{};
  std::optional<NamedBox> one_{};  // if not a batch
  std::string bytes_{};
  std::vector<Line> lines_{};
  std::optional<NpyParts> npy_{};  // a batch in .npy
  mutable std::mutex refusing_{};
  mutable std::map<std::size_t, std::string> refused_{};  // box: why
};

}  // namespace fugu::cli
