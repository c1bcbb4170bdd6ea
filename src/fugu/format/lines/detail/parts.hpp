// The parts of a text of messages: their places (its lines, what matches in them, or fields of a table), and
// whether the secret is the right one, by all of them together. Private to format.
#pragma once

#include "fugu/format/lines/lines.hpp"

namespace fugu::format {

struct Cell {
  std::size_t begin = 0;  // in the text; the quotation marks of a field are inside
  std::size_t end = 0;
  std::uint64_t line = 0;    // where its line or record begins, from 1
  std::uint32_t column = 0;  // its index among those chosen
  bool quoted = false;
  bool missing = false;  // the record ends before this field: `begin` and `end` are its end
};

class Splitter {
 public:
  virtual ~Splitter() = default;

  // Appends the cells of the whole lines or records that `text` begins with, of all if nothing follows it,
  // and returns how much of the text these are. Empty cells are left out. Throws Error{damaged} with the line
  // where the structure is lost, and Error{usage} for columns that the header does not have.
  virtual std::size_t split(std::string_view text, bool last, std::vector<Cell>& cells) = 0;

  // The number of the line that comes next.
  virtual std::uint64_t line() const = 0;
};

std::unique_ptr<Splitter> line_splitter(FindMatch match);  // empty: whole lines
std::unique_ptr<Splitter> table_splitter(const TableOptions& options);

// Wiped: a field may be plaintext.
using Scratch = core::WipedVector<char>;

// The content of a field without its quotation marks, which may lie in `scratch`.
std::string_view without_quotes(std::string_view field, bool quoted, Scratch& scratch);

bool is_noise(std::span<const std::byte> plaintext);

// The report while messages are still counted: until then `bits` is the evidence of paddings and other checks
// alone.
struct Tally : LinesReport {
  std::uint64_t tried = 0;  // those that decode: others open under no key
  std::uint64_t noise = 0;  // of those that are not UTF-8
  double content_bits = 0;  // by the contents of independent messages
  std::size_t longest = 0;  // of the others the longest, which is chosen whatever the key makes of it
  double longest_bits = 0;
  std::string first_reason = {};  // of the first message that failed, with its line

  void add(const Tally& other);

  // A message that was opened.
  void judge(std::span<const std::byte> plaintext);

  // What the content says of the secret.
  void weigh(std::span<const std::byte> plaintext, bool is_independent);

  // Less the choices of which of those that were tried fail: with many of them some open under any key.
  double evidence() const;

  // Sufficient to release what was opened.
  bool suffices() const;

  // The last word; `is_all`: no other messages follow. Throws Error{wrong_key}, Error{undecided}, or
  // Error{damaged} without a secret.
  void require(const LinesOptions& options, bool has_secret, bool is_all) const;
};

}  // namespace fugu::format
