// The boxes named on the command line.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/sbox/input/parse.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

struct NamedBox {
  std::string name;  // as given, not printable
  spectral::SBox box;
  std::optional<stream::FileId> file{};  // so that its result does not overwrite it
};

// Throws Error{usage}.
BoxOptions box_options(const Arguments& arguments);

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
// over a name. Throws Error naming the file.
NamedBox read_one_box(const std::string& operand, const Arguments& arguments);

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
