// S-boxes from text and bytes, and those named on the command line: the input of fugu sbox.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

inline constexpr std::string_view kUnivariate = "univariate";

enum class BoxFormat : std::uint8_t {
  npy,
  text,
  hex,
  u8,
  u16le,
  u16be,
  u32le,
  u32be,
  rows,
  polynomial,
  univariate,
  des
};

// lsb: bit 0 is x_0 and y_0. msb: the reverse on both sides. sage: as lsb, but a hexadecimal truth table has
// f(0) in the least significant bit of its last digit.
enum class BitOrder : std::uint8_t { lsb, msb, sage };

struct BoxOptions {
  std::optional<BoxFormat> format{};  // not given: detected
  std::optional<int> inputs{};
  std::optional<int> outputs{};
  BitOrder bit_order = BitOrder::lsb;
  std::optional<std::uint32_t> field{};  // the polynomial of a univariate box's field
};

// The box in `bytes`. Throws Error{usage} if there is none, Error{damaged} for a broken .npy file.
spectral::SBox parse_box(std::string_view bytes, const BoxOptions& options);

// One box per row of an .npy array, or per nonempty line. Boxes are parsed on request, from any thread.
class BoxBatch {
 public:
  // Throws as parse_box().
  BoxBatch(std::string bytes, const BoxOptions& options);
  BoxBatch(const BoxBatch&) = delete;
  BoxBatch& operator=(const BoxBatch&) = delete;
  ~BoxBatch();

  std::size_t size() const;

  // Boxes first to first + count - 1. Throws as parse_box(), naming the line or row.
  std::vector<spectral::SBox> read(std::size_t first, std::size_t count) const;

 private:
  struct Lines;
  struct NpyRows;

  std::string bytes_;
  BoxOptions options_;
  std::unique_ptr<const Lines> lines_;
  std::unique_ptr<const NpyRows> npy_;  // null: lines
};

struct NamedBox {
  std::string name;  // as given, not printable
  spectral::SBox box;
  std::optional<stream::FileId> file{};  // so that its result does not overwrite it
};

// Throws Error{usage}.
BoxOptions box_options(const Arguments& arguments);

// The polynomial of --field, if it is given. Throws Error{usage} for what is not a number.
std::optional<std::uint32_t> field_option(const Arguments& arguments);

// Throws Error{usage} for options about files if `operands` name none, and for --key if no box has one.
void check_box_options(const Arguments& arguments, const std::vector<std::string>& operands);

// A name from fugu sbox list. Empty for any other name. Throws Error{usage} for a family with invalid
// parameters.
std::optional<spectral::SBox> listed_box(const std::string& name);

// " (did you mean AES?)" for a name that is nearly one of the list, or nothing.
std::string nearest_box(std::string_view name);

// blowfish:1 to blowfish:4: that S-box under the key of --key. Empty for any other name. Throws Error{usage}
// without a key.
std::optional<spectral::SBox> keyed_box(std::string_view name, const Arguments& arguments);

// Blowfish_initial_S1 to _S4: the S-boxes before a key is mixed in. Empty for any other name.
std::optional<spectral::SBox> initial_box(std::string_view name);

// Whether it is, or is meant to be, a name of keyed_box.
bool is_keyed_name(std::string_view name);

// The list: one line per name or family, with its size and origin.
std::string box_list();

// The operands from number `skipped` on, or standard input.
std::vector<std::string> box_operands(const Arguments& arguments, std::size_t skipped);

// A number of at most `bits` bits, decimal or after 0x hexadecimal, or nothing.
std::optional<std::uint32_t> word_of(std::string_view text, int bits);

// A name from the list, a keyed one, a file, or - for standard input; an existing file takes precedence
// over a name. With --from univariate, what is no file is the polynomial itself. Throws Error naming the
// file.
NamedBox read_one_box(const std::string& operand, const Arguments& arguments);

// The box of the only operand from number `skipped` on, or of standard input. Throws Error{usage} for
// several.
NamedBox read_only_box(const Arguments& arguments, std::size_t skipped);

// The same, except that with --batch each line or row of a file is a box, named with its number.
class Boxes {
 public:
  // Throws Error naming the file.
  Boxes(const std::string& operand, const Arguments& arguments);

  std::size_t size() const { return batch_ ? batch_->size() : 1; }
  std::optional<stream::FileId> file() const { return file_; }

  // Boxes first to first + count - 1. Thread-safe. Throws Error naming the file.
  std::vector<NamedBox> read(std::size_t first, std::size_t count) const;

 private:
  std::string operand_;
  std::optional<stream::FileId> file_{};
  std::optional<NamedBox> one_{};
  std::unique_ptr<const BoxBatch> batch_{};  // null: the one
};

}  // namespace fugu::cli
