// Reads a text in parts, has many threads work on the messages of each, and writes what was opened once it is
// known that the secret is right.
#include <algorithm>
#include <cmath>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/lines/detail/parts.hpp"
#include "fugu/mode/settings.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kPartBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxHeldBytes = std::size_t{64} << 20;
constexpr std::size_t kCellsPerPiece = 512;
// The same if each message needs a key derivation.
constexpr std::size_t kSlowCellsPerPiece = 8;
constexpr std::size_t kSlowCellsPerBatch = 256;
// That what opens was a message: beside values that are none, and where none shows.
constexpr double kSureBits = 16, kLikelyBits = 10;
constexpr std::string_view kBlanks = " \t";
// So many messages of a piece say enough of the secret.
constexpr std::uint64_t kWeighedPerPiece = 64;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

void append(core::WipedBytes& to, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::string in_line(std::uint64_t line, const std::string& text) {
  return "line " + std::to_string(line) + ": " + text;
}

// As iconv names it; empty for other text.
std::string utf16_name(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "UTF-16";
  const auto has_zero = [&](std::size_t at) {
    return text.size() > at + 2 && text[at] == 0 && text[at + 2] == 0;
  };
  if (has_zero(0) == has_zero(1)) return "";
  return has_zero(0) ? "UTF-16BE" : "UTF-16LE";
}

stream::DecodedText decode(std::string_view text, TextEncoding encoding, core::WipedBytes& message) {
  message.resize(text.size() + core::kBlockBytes);
  const stream::DecodedText decoded = decode_text(text, encoding, message);
  message.resize(decoded.bytes);
  return decoded;
}

// What is wrong with the text; empty if nothing is.
std::string fault_of(const stream::DecodedText& decoded) {
  if (decoded) return decoded.bytes != 0 ? "" : "no message";
  return decoded.at_end ? decoded.fault : "character " + std::to_string(decoded.at + 1) + " " + decoded.fault;
}

// A message that was cut is spelled like the whole.
bool is_of_other_characters(const stream::DecodedText& decoded) {
  return !decoded && !decoded.at_end;
}

// Why the message does not open; empty if it does. Errors that concern more than one message are thrown.
std::string run_message(const MessageCipher& cipher, core::WipedBytes& message, MessageFindings& findings) {
  try {
    findings = cipher.run(message);
    return {};
  } catch (const mode::WrongPadding&) {
    return "the padding is not valid";
  } catch (const mode::WrongLength&) {
    return "the length is not a multiple of 8 bytes";
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return error.text();
  }
}

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

// In digits that are no decimal number.
bool is_in_hex(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return stream::hex_digit(c) >= 0; }) &&
         !std::ranges::all_of(value, is_decimal);
}

// How much likelier digits are a number in clear, as one value in 64 may be, than a message that happens to
// be spelled so.
double bits_of_number(std::string_view value, TextEncoding encoding) {
  constexpr double kPriorBits = -6;
  if (!std::ranges::all_of(value, is_decimal)) return -INFINITY;
  const double characters = encoding == TextEncoding::base64 ? 64 : 16;
  return kPriorBits + static_cast<double>(value.size()) * std::log2(characters / 10);
}

constexpr const char* kNoText = "its plaintext is not text, so perhaps it is not encrypted";
constexpr const char* kNothingInside = "nothing is in it, so perhaps it is not encrypted; ⟦yes⟧ opens it";

bool holds_any(std::string_view text, std::string_view characters) {
  return text.find_first_of(characters) != text.npos;
}

// Spread over all, but in no step that lines of several kinds may take turns in.
std::size_t place_of_sample(std::size_t i, std::size_t messages) {
  const std::size_t step = std::max<std::size_t>(1, messages / kTrialMessages);
  return i * messages / std::min(messages, kTrialMessages) + (i * 0x9e3779b9U >> 16 & 0xffff) % step;
}

}  // namespace

// A run of cells, and what became of the text from the run before to the end of this one.
struct Lines::Piece {
  core::WipedBytes out;
  core::WipedBytes message;  // of one cell
  Scratch scratch;
  Tally tally;
};

// Lets output through once it may be.
class Lines::Gate {
 public:
  // Output waits for sufficient evidence, which the first `most` messages have to show.
  struct Condition {
    bool has_secret;
    std::uint64_t most;
  };

  Gate(stream::Sink& sink, const LinesOptions& options, std::optional<Condition> condition = {})
      : sink_(sink), options_(options), condition_(condition), is_open_(!condition) {}

  void take(Piece& piece) {
    total_.add(piece.tally);
    total_.named.resize(std::min(total_.named.size(), options_.most_named));
    put(piece.out);
  }

  void put(std::span<const std::byte> out) {
    if (is_open_) return write(out);
    held_.insert(held_.end(), out.begin(), out.end());
  }

  // After each batch of messages.
  void look() {
    if (is_open_) return;
    const bool is_full = held_.size() > kMaxHeldBytes || total_.messages >= condition_->most;
    if (is_full) total_.require(options_, condition_->has_secret, /*is_all=*/false);
    const bool opens_without_secret = !condition_->has_secret && total_.opened != 0;
    if (is_full || opens_without_secret || total_.suffices()) release();
  }

  LinesReport finish() {
    if (condition_) total_.require(options_, condition_->has_secret, /*is_all=*/true);
    if (total_.messages == 0 && total_.others != 0)
      throw Error(Errc::unknown_format,
                  "none of " + counted(total_.others, options_.noun()) +
                      (options_.table ? " of column " + joined(options_.table->columns, ", ") : "") +
                      " looks encrypted, by spelling and length: it may not be encrypted, or another " +
                      (options_.table ? "column" : "expression") + " is meant");
    if (total_.messages == 0 && options_.match)
      throw Error(Errc::unknown_format, "nothing matches the expression");
    release();
    sink_.finish();
    LinesReport report = total_;
    if (report.bits >= 1) report.not_utf8 = 0;
    report.bits = total_.evidence();
    report.all_content = report.all_content && report.left == 0;
    return report;
  }

 private:
  void release() {
    is_open_ = true;
    write(held_);
    held_ = {};
  }

  void write(std::span<const std::byte> out) {
    sink_.write(out);
    if (options_.counters != nullptr) options_.counters->bytes_written += out.size();
  }

  stream::Sink& sink_;
  const LinesOptions& options_;
  std::optional<Condition> condition_;
  bool is_open_;
  core::WipedBytes held_;
  Tally total_;
};

Lines::Lines(stream::Source& source, LinesOptions options)
    : source_(source),
      options_(std::move(options)),
      pool_(options_.threads),
      splitter_(options_.table ? table_splitter(*options_.table) : line_splitter(options_.match)) {
  read_part();
}

Lines::~Lines() = default;

// Reads until there is a whole line. False at the end of the text.
bool Lines::read_part() {
  text_.erase(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::exchange(split_, 0)));
  cells_.clear();
  while (!ended_ && split_ == 0) {
    if (text_.size() > kMaxLineBytes)
      throw Error(Errc::damaged, in_line(splitter_->line(), "longer than 64 MiB"));
    const std::size_t before = text_.size();
    const std::size_t wanted =
        std::min<std::uint64_t>(source_.size_bytes().value_or(kPartBytes), kPartBytes) + 1;
    text_.resize(before + wanted);
    const std::size_t got = source_.read(std::span(text_).subspan(before));
    if (options_.counters != nullptr) options_.counters->bytes_read += got;
    text_.resize(before + got);
    ended_ = got < wanted;
    if (!std::exchange(has_begun_, true)) examine_beginning();
    split_ = splitter_->split(text_of(text_), ended_, cells_);
  }
  return split_ != 0;
}

void Lines::examine_beginning() {
  if (const std::string name = utf16_name(text_of(text_)); !name.empty())
    throw Error(Errc::unknown_format,
                "this is UTF-16: convert it to UTF-8 first, with iconv -f " + name + " -t UTF-8");
  const bool has_quotes = options_.table && text().find('"') != text().npos;
  if (!has_quotes && text().find('\n') == text().npos && trimmed(text()).find('\r') != text().npos)
    throw Error(Errc::unknown_format,
                "its lines end in CR alone: make each CR a line feed first, with tr '\\r' '\\n'");
  has_mark_ = text_of(text_).starts_with(kByteOrderMark);
  if (has_mark_) text_.erase(text_.begin(), text_.begin() + kByteOrderMark.size());
}

std::string_view Lines::text() const {
  return text_of(text_);
}

// What a field or a line holds, without the quotation marks.
std::string_view Lines::content(const Cell& cell, core::WipedVector<char>& scratch) const {
  return without_quotes(text().substr(cell.begin, cell.end - cell.begin), cell.quoted, scratch);
}

// The cells that are not blank, in an encoding.
struct Lines::Spelled {
  std::size_t all = 0;
  const Cell* first = nullptr;
  std::vector<const Cell*> valid = {};
  std::vector<const Cell*> whole = {};  // of these, those of whole blocks
  std::size_t in_hex = 0;               // of the valid ones
  bool has_others = false;              // of other characters
};

Lines::Spelled Lines::spelled(TextEncoding encoding) const {
  Spelled found;
  Scratch scratch;
  core::WipedBytes message;
  for (const Cell& cell : cells_) {
    const std::string_view value = without_blanks(content(cell, scratch));
    if (value.empty()) continue;
    if (found.all++ == 0) found.first = &cell;
    const stream::DecodedText decoded = decode(value, encoding, message);
    found.has_others = found.has_others || is_of_other_characters(decoded);
    if (!decoded || decoded.bytes == 0) continue;
    found.valid.push_back(&cell);
    if (is_in_hex(value)) ++found.in_hex;
    if (message.size() % core::kBlockBytes == 0) found.whole.push_back(&cell);
  }
  return found;
}

void Lines::find_encoding() {
  const Spelled hex = spelled(TextEncoding::hex), base64 = spelled(TextEncoding::base64);
  if (hex.whole.empty() && base64.whole.empty() && 2 * base64.valid.size() < base64.all) refuse(*hex.first);
  // Of base64 hardly anything is all digits of hexadecimal numbers, while these may be base64.
  const bool is_hex = hex.whole.size() == hex.all ||
                      (!hex.whole.empty() &&
                       (2 * (base64.valid.size() - base64.in_hex) <= hex.in_hex ||
                        (base64.valid.size() != base64.all && hex.whole.size() >= base64.whole.size())));
  options_.encoding = is_hex ? TextEncoding::hex : TextEncoding::base64;
}

void Lines::refuse(const Cell& first) const {
  throw Error(Errc::unknown_format,
              in_line(first.line, "neither base64 nor whole blocks in hexadecimal digits, nor is any other " +
                                      std::string(options_.noun())));
}

std::vector<core::WipedBytes> Lines::some_messages() {
  if (!options_.encoding) find_encoding();
  const Spelled found = spelled(*options_.encoding);
  if (found.all == 0) return {};
  if (found.valid.empty() && options_.may_hold_others()) refuse(*found.first);
  has_others_ = options_.may_hold_others() && found.has_others;
  const auto& messages = has_others_ && !found.whole.empty() ? found.whole : found.valid;
  const std::size_t count = std::min(messages.size(), kTrialMessages);
  std::vector<core::WipedBytes> some(std::max<std::size_t>(count, 1));
  Scratch scratch;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const Cell& cell = count == 0 ? *found.first : *messages[place_of_sample(i, messages.size())];
    static_cast<void>(decode(without_blanks(content(cell, scratch)), *options_.encoding, some[i]));
  }
  return some_ = some;
}

LinesReport Lines::open(const MessageCipher& cipher, bool has_secret, stream::Sink& sink) {
  std::size_t opened = 0, noise = 0;
  for (core::WipedBytes& message : some_) {
    MessageFindings findings;
    if (!run_message(cipher, message, findings).empty()) continue;
    ++opened;
    if (is_noise(message)) ++noise;
  }
  expects_noise_ = 2 * noise > opened;
  const std::uint64_t most = cipher.derives_keys() ? kSlowCellsPerBatch : UINT64_MAX;
  Gate gate(sink, options_, Gate::Condition{has_secret, most});
  return run([&](const Cell& cell, Piece& piece) { open_cell(cipher, cell, piece); }, cipher.derives_keys(),
             gate);
}

LinesReport Lines::seal(const MessageCipher& cipher, stream::Sink& sink) {
  Gate gate(sink, options_);
  return run([&](const Cell& cell, Piece& piece) { seal_cell(cipher, cell, piece); }, cipher.derives_keys(),
             gate);
}

LinesReport Lines::run(const Work& work, bool is_slow, Gate& gate) {
  const std::size_t per_piece = is_slow ? kSlowCellsPerPiece : kCellsPerPiece;
  if (has_mark_) gate.put(std::as_bytes(std::span(kByteOrderMark)));
  do {
    std::size_t first = 0;
    do {
      const std::size_t left = cells_.size() - first;
      const std::size_t last = first + (is_slow ? std::min(left, kSlowCellsPerBatch) : left);
      run_batch(work, first, last, per_piece, gate);
      first = last;
    } while (first < cells_.size());
  } while (read_part());
  return gate.finish();
}

void Lines::run_batch(const Work& work, std::size_t first, std::size_t last, std::size_t per_piece,
                      Gate& gate) {
  std::vector<Piece> pieces(std::max<std::size_t>(1, (last - first + per_piece - 1) / per_piece));
  pool_.for_each(pieces.size(), [&](std::size_t i) {
    const std::size_t begin = first + i * per_piece;
    run_piece(work, begin, std::min(begin + per_piece, last), pieces[i]);
  });
  for (Piece& piece : pieces) gate.take(piece);
  gate.look();
}

void Lines::run_piece(const Work& work, std::size_t first, std::size_t last, Piece& piece) const {
  std::size_t at = first == 0 ? 0 : cells_[first - 1].end;
  const std::size_t end = last == cells_.size() ? split_ : cells_[last - 1].end;
  piece.out.reserve(2 * (end - at));
  for (std::size_t i = first; i < last; ++i) {
    append(piece.out, text().substr(at, cells_[i].begin - at));
    work(cells_[i], piece);
    at = cells_[i].end;
  }
  append(piece.out, text().substr(at, end - at));
}

void Lines::open_cell(const MessageCipher& cipher, const Cell& cell, Piece& piece) const {
  const std::string_view value = without_blanks(content(cell, piece.scratch));
  if (value.empty() && !cell.missing)
    return append(piece.out, text().substr(cell.begin, cell.end - cell.begin));
  const stream::DecodedText decoded = decode(value, *options_.encoding, piece.message);
  const std::size_t bytes = piece.message.size();
  const bool has_whole_blocks = cipher.has_whole_blocks();
  const bool is_cut = !decoded || (has_whole_blocks && bytes % core::kBlockBytes != 0);
  const bool is_other = is_of_other_characters(decoded) || (has_whole_blocks && bytes < core::kBlockBytes) ||
                        (has_others_ && is_cut);
  if (options_.may_hold_others() && is_other && !cell.missing) return keep(cell, piece);
  ++piece.tally.messages;
  if (cell.missing) return leave(cell, "the record has no such field", piece);
  if (!options_.table && holds_any(value, "\r"))
    return leave(cell, "it contains a carriage return: lines end in LF or CR LF", piece);
  MessageFindings findings;
  std::string reason = fault_of(decoded);
  const bool is_weighed = piece.tally.tried < kWeighedPerPiece;
  const bool is_tried = reason.empty();
  bool is_new = false, is_all_new = false;
  const auto blocks = std::span(piece.message).first(bytes / core::kBlockBytes * core::kBlockBytes);
  const bool is_regular = has_others_ && new_blocks(blocks, blocks).size() != blocks.size();
  if (is_tried) {
    for (std::size_t at = 0; is_weighed && at + core::kBlockBytes < bytes; at += core::kBlockBytes)
      is_all_new =
          is_anew(std::span(piece.message).subspan(at, core::kBlockBytes)) && (at == 0 || is_all_new);
    is_new = is_anew(std::span(piece.message).last(std::min(bytes, core::kBlockBytes)));
    is_all_new = is_new && (bytes <= core::kBlockBytes || is_all_new);
    reason = run_message(cipher, piece.message, findings);
  }
  if (options_.may_hold_others() && is_tried) {
    const double number = bits_of_number(value, *options_.encoding);
    const bool opens = reason.empty() && std::isfinite(number);
    if (number > (opens ? findings.bits + evidence_bits(piece.message) : 0)) {
      --piece.tally.messages;
      return keep(cell, piece);
    }
  }
  if (is_tried) ++piece.tally.tried;
  if (!reason.empty()) return leave(cell, reason, piece);
  if (is_doubtful(piece.message, is_regular, findings))
    return leave(cell, piece.message.empty() ? kNothingInside : kNoText, piece);
  if (is_new) piece.tally.bits += findings.bits;
  const bool tells = findings.bits == 0 || has_others_;
  if (tells && is_weighed && is_all_new) piece.tally.weigh(piece.message, findings.is_independent);
  piece.tally.all_content = piece.tally.all_content && findings.all_content;
  piece.tally.judge(piece.message);
  const std::string_view plaintext = text_of(piece.message);
  if (!options_.table && holds_any(plaintext, std::string_view("\r\n\0", 3)))
    return leave(cell,
                 std::string("the plaintext has a line end or a zero byte, which a line cannot have") +
                     (options_.match ? "" : "; ⟦csv⟧ reads tables"),
                 piece);
  put(plaintext, cell, piece);
}

// Whether it opens to no text, and so little says that it was a message that its padding may be one by
// chance.
bool Lines::is_doubtful(std::span<const std::byte> plaintext, bool is_regular,
                        const MessageFindings& findings) const {
  const bool may_be_none = findings.bits > 0 || options_.may_hold_others();
  const bool is_weak = may_be_none && findings.bits < kLikelyBits && !options_.accept_weak_evidence;
  if (plaintext.empty() && findings.bits == 0) return is_weak;
  if (!(has_others_ || (!expects_noise_ && is_weak)) || is_utf8(plaintext)) return false;
  const double bits = is_regular ? findings.bits : findings.bits + evidence_bits(plaintext);
  return bits < (has_others_ ? kSureBits : kLikelyBits);
}

// Under any key equal blocks give the same, so that they count once. A few that differ are taken for equal.
bool Lines::is_anew(std::span<const std::byte> bytes) const {
  const std::uint64_t place = load_big(bytes) * 0x9e3779b97f4a7c15U >> 48;
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  return (ends_[place / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void Lines::seal_cell(const MessageCipher& cipher, const Cell& cell, Piece& piece) const {
  if (cell.missing) throw Error(Errc::usage, in_line(cell.line, "the record has no such field"));
  const std::string_view value = content(cell, piece.scratch);
  if (!options_.table && holds_any(value, std::string_view("\r\0", 2)))
    throw Error(
        Errc::usage,
        in_line(cell.line, "holds a carriage return or a zero byte, which decryption would not restore"));
  const auto bytes = std::as_bytes(std::span(value));
  piece.message.assign(bytes.begin(), bytes.end());
  try {
    cipher.run(piece.message);
  } catch (const Error& error) {
    throw Error(error.code(), in_line(cell.line, error.text()));
  }
  ++piece.tally.messages;
  std::string encoded(2 * piece.message.size() + 4, '\0');
  char* const end = *options_.encoding == TextEncoding::hex
                        ? stream::encode_hex(piece.message, encoded.data())
                        : stream::encode_base64(piece.message, encoded.data());
  encoded.resize(static_cast<std::size_t>(end - encoded.data()));
  put(encoded, cell, piece);
}

void Lines::put(std::string_view value, const Cell& cell, Piece& piece) const {
  const bool quotes = options_.table && (cell.quoted || holds_any(value, "\"\r\n") ||
                                         value.find(options_.table->delimiter) != value.npos);
  if (!quotes) return append(piece.out, value);
  append(piece.out, "\"");
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t mark = std::min(value.find('"', at), value.size());
    append(piece.out, value.substr(at, mark - at));
    if (mark < value.size()) append(piece.out, "\"\"");
    at = mark + 1;
  }
  append(piece.out, "\"");
}

void Lines::keep(const Cell& cell, Piece& piece) const {
  append(piece.out, text().substr(cell.begin, cell.end - cell.begin));
  ++piece.tally.others;
}

void Lines::leave(const Cell& cell, const std::string& reason, Piece& piece) const {
  append(piece.out, text().substr(cell.begin, cell.end - cell.begin));
  if (piece.tally.first_reason.empty()) piece.tally.first_reason = in_line(cell.line, reason);
  ++piece.tally.left;
  if (piece.tally.named.size() < options_.most_named)
    piece.tally.named.push_back({cell.line, cell.column, reason});
}

}  // namespace fugu::format
