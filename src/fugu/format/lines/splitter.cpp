// The lines of a text, what matches in them, and the fields of a table (RFC 4180) that were chosen by their
// columns.
//
// LF and CR LF end a line; a CR alone does not. Records end in LF or CR LF. A field in quotation marks may
// hold the delimiter, line ends, and quotation marks twice each; in another field a quotation mark is a
// character as any.
#include <algorithm>
#include <optional>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/lines/detail/parts.hpp"

namespace fugu::format {
namespace {

class LineSplitter final : public Splitter {
 public:
  explicit LineSplitter(FindMatch match) : match_(std::move(match)) {}

  std::size_t split(std::string_view text, bool last, std::vector<Cell>& cells) override {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t feed = text.find('\n', at);
      if (feed == text.npos && !last) break;
      std::size_t end = feed == text.npos ? text.size() : feed;
      if (feed != text.npos && end > at && text[end - 1] == '\r') --end;
      add_cells(text.substr(at, end - at), at, cells);
      at = feed == text.npos ? text.size() : feed + 1;
      ++line_;
    }
    return at;
  }

  std::uint64_t line() const override { return line_; }

 private:
  void add_cells(std::string_view line, std::size_t begin, std::vector<Cell>& cells) const {
    const auto add = [&](std::size_t first, std::size_t last) {
      if (last > first) cells.push_back({.begin = begin + first, .end = begin + last, .line = line_});
    };
    if (!match_) return add(0, line.size());
    for (auto found = match_(line, 0); found; found = match_(line, found->next))
      add(found->begin, found->end);
  }

  FindMatch match_;
  std::uint64_t line_ = 1;
};

struct Field {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool quoted = false;
};

// The number that the text is, from 1; empty for a name.
std::optional<std::size_t> column_number(const std::string& text) {
  const auto number = parse_number(text);
  if (number == 0) throw Error(Errc::usage, "⟦column⟧ counts from 1");
  return number;
}

[[noreturn]] void lose(std::uint64_t line, const char* what) {
  throw Error(Errc::damaged, "line " + std::to_string(line) + ": " + what);
}

class TableSplitter final : public Splitter {
 public:
  explicit TableSplitter(const TableOptions& options)
      : delimiter_(options.delimiter), awaits_header_(options.header) {
    for (const std::string& column : options.columns) {
      const std::optional<std::size_t> number = column_number(column);
      if (number) {
        choose(*number - 1);
      } else {
        awaits_header_ = true;
        choose(kUnknown);
      }
      names_.push_back(number ? "" : column);
    }
  }

  std::size_t split(std::string_view text, bool last, std::vector<Cell>& cells) override {
    std::size_t at = 0;
    while (at < text.size()) {
      std::uint64_t lines = 0;
      const std::optional<std::size_t> end = read_record(text, at, last, lines);
      if (!end) break;
      const bool is_empty = fields_.size() == 1 && fields_.front().begin == fields_.front().end;
      if (!is_empty) most_fields_ = std::max(most_fields_, fields_.size());
      if (awaits_header_ && !is_empty) {
        awaits_header_ = false;
        find_columns(text);
      } else if (!is_empty) {
        add_cells(text, cells);
      }
      at = *end;
      line_ += lines;
    }
    if (at != 0 && !std::exchange(has_begun_, true)) require_columns();
    return at;
  }

  std::uint64_t line() const override { return line_; }

 private:
  static constexpr std::size_t kUnknown = SIZE_MAX;

  // After the first part.
  void require_columns() const {
    for (const std::size_t place : places_) {
      if (most_fields_ == 0 || place == kUnknown || place < most_fields_) continue;
      throw Error(Errc::usage, "⟦column " + std::to_string(place + 1) +
                                   "⟧ is beyond the table: no record has more than " +
                                   counted(most_fields_, "field"));
    }
  }

  void choose(std::size_t place) {
    if (place != kUnknown && std::ranges::find(places_, place) != places_.end())
      throw Error(Errc::usage, "⟦column⟧ names one column twice");
    places_.push_back(place);
  }

  // Reads a record into fields_ and returns its end; empty if more text has to follow. `lines`: those that it
  // goes over.
  std::optional<std::size_t> read_record(std::string_view text, std::size_t at, bool last,
                                         std::uint64_t& lines) {
    fields_.clear();
    for (;;) {
      const bool quoted = text.substr(at).starts_with('"');
      const std::optional<std::size_t> end =
          quoted ? quoted_end(text, at, last, lines) : plain_end(text, at, last);
      if (!end) return std::nullopt;
      fields_.push_back({at, *end, quoted});
      if (*end < text.size() && text[*end] == delimiter_) {
        at = *end + 1;
        continue;
      }
      const std::size_t feed = *end + (text.substr(*end).starts_with('\r') ? 1 : 0);
      if (*end < text.size()) ++lines;
      return std::min(feed + 1, text.size());
    }
  }

  // Behind the closing quotation mark.
  std::optional<std::size_t> quoted_end(std::string_view text, std::size_t at, bool last,
                                        std::uint64_t& lines) {
    for (++at; at < text.size(); ++at) {
      if (text[at] == '\n') ++lines;
      if (text[at] != '"') continue;
      const std::string_view rest = text.substr(at + 1);
      if (rest.starts_with('"')) {
        ++at;
        continue;
      }
      if (!last && (rest.empty() || rest == "\r")) return std::nullopt;
      const bool ends =
          rest.empty() || rest.front() == delimiter_ || rest.front() == '\n' || rest.starts_with("\r\n");
      if (!ends) lose(line_, "text follows a closing quotation mark: the table is damaged there");
      return at + 1;
    }
    if (last) lose(line_, "a quotation mark opens a field but none closes it: the table is damaged there");
    return std::nullopt;
  }

  std::optional<std::size_t> plain_end(std::string_view text, std::size_t at, bool last) const {
    const char* const end = text.data() + text.size();
    const char* const stop =
        std::find_if(text.data() + at, end, [this](char c) { return c == '\n' || c == delimiter_; });
    if (stop == end) return last ? std::optional(text.size()) : std::nullopt;
    auto size = static_cast<std::size_t>(stop - text.data());
    if (*stop == '\n' && *stop != delimiter_ && size > at && text[size - 1] == '\r') --size;
    return size;
  }

  void find_columns(std::string_view text) {
    std::vector<std::string> header;
    for (const Field& field : fields_) {
      Scratch scratch;
      header.emplace_back(
          without_quotes(text.substr(field.begin, field.end - field.begin), field.quoted, scratch));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (places_[i] != kUnknown) continue;
      const auto count = std::ranges::count(header, names_[i]);
      if (count != 1)
        refuse(names_[i], count == 0 ? "is not a column" : "is the name of several columns", header);
      const auto place = static_cast<std::size_t>(std::ranges::find(header, names_[i]) - header.begin());
      if (std::ranges::find(places_, place) != places_.end())
        throw Error(Errc::usage, "⟦column⟧ names one column twice");
      places_[i] = place;
    }
  }

  [[noreturn]] static void refuse(const std::string& name, const char* is,
                                  const std::vector<std::string>& header) {
    throw Error(Errc::usage, "'" + name + "' " + is + "; the header has " + joined(header, ", "));
  }

  void add_cells(std::string_view text, std::vector<Cell>& cells) {
    const std::size_t first = cells.size();
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const std::size_t end = fields_.back().end;
      if (places_[i] >= fields_.size()) {
        cells.push_back({.begin = end, .end = end, .line = line_, .column = i, .missing = true});
        continue;
      }
      const Field& field = fields_[places_[i]];
      const std::string_view content = text.substr(field.begin, field.end - field.begin);
      if (content.empty() || content == "\"\"" || content == "NULL" || content == "\\N") continue;
      cells.push_back({field.begin, field.end, line_, i, field.quoted});
    }
    std::sort(cells.begin() + static_cast<std::ptrdiff_t>(first), cells.end(),
              [](const Cell& a, const Cell& b) { return a.begin < b.begin; });
  }

  char delimiter_;
  bool awaits_header_;
  std::vector<std::string> names_;   // as the user gave them; empty for a number
  std::vector<std::size_t> places_;  // of the columns in a record, in the same order
  std::vector<Field> fields_;        // of the record
  std::size_t most_fields_ = 0;      // of a record so far
  bool has_begun_ = false;
  std::uint64_t line_ = 1;
};

}  // namespace

std::unique_ptr<Splitter> line_splitter(FindMatch match) {
  return std::make_unique<LineSplitter>(std::move(match));
}

std::unique_ptr<Splitter> table_splitter(const TableOptions& options) {
  return std::make_unique<TableSplitter>(options);
}

std::string_view without_quotes(std::string_view field, bool quoted, Scratch& scratch) {
  if (!quoted) return field;
  field = field.substr(1, field.size() - 2);
  if (field.find('"') == field.npos) return field;
  scratch.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    scratch.push_back(field[i]);
    if (field[i] == '"') ++i;  // the second of a pair
  }
  return {scratch.data(), scratch.size()};
}

}  // namespace fugu::format
