// The places of messages in a text: its lines, what matches in them, or fields of a table. Private to format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

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

}  // namespace fugu::format
