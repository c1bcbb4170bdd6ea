// Texts whose lines, fields of whose columns, or values at whose matches are messages of their own under one
// secret: what people export from a database and loop over, configurations, logs.
//
// A line keeps its end, LF or CR LF; a last line without one stays without. A message that cannot be opened
// is left as it is. Beside encrypted fields and values others may stand, which do not look like messages. The
// output has as many lines and records as the input, byte by byte the same outside the messages. Messages are
// worked on by many threads and written in order, in bounded memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/format/codec.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/stream/pump.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::format {

// A table as RFC 4180 has it.
struct TableOptions {
  std::vector<std::string> columns;  // names of the header, or numbers from 1
  char delimiter = ',';
  bool header = false;  // a name says so too
};

// A value in a line, and where to look for the next one.
struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t next = 0;  // behind `begin`
};
using FindMatch = std::function<std::optional<Match>(std::string_view line, std::size_t from)>;

struct LinesOptions {
  std::optional<TableOptions> table = {};
  FindMatch match = {};  // without a table and this, the messages are lines
  // Of every message; binary: the codec reads the text itself. Empty: found out by open().
  std::optional<TextEncoding> encoding = {};
  bool accept_weak_evidence = false;
  std::size_t most_named = 100;  // of the messages that are left
  unsigned threads = 1;
  stream::PumpCounters* counters = nullptr;

  const char* noun() const { return table ? "field" : match ? "value" : "line"; }
  bool may_hold_others() const { return table || match; }
};

// A message that stayed as it was.
struct LeftMessage {
  std::uint64_t line = 0;    // where its line or record begins, from 1
  std::uint32_t column = 0;  // its index among TableOptions::columns
  std::string reason;        // "the padding is not valid"
};

struct LinesReport {
  std::uint64_t messages = 0;
  std::uint64_t opened = 0;    // under the secret, also those that cannot be a line
  std::uint64_t not_utf8 = 0;  // of these, where no padding says that they are right
  double bits = 0;             // of evidence that the secret is right
  bool all_content = true;     // nothing was left, and no padding removed that may be data
  std::uint64_t left = 0;
  std::uint64_t others = 0;        // fields and values that do not look like messages, and stay
  std::vector<LeftMessage> named;  // the first of those that are left
};

struct Cell;
class Splitter;

class Lines {
 public:
  // Reads the first part of the text. `source` outlives it. Throws Error{unknown_format} for UTF-16,
  // Error{usage} for columns that the header does not have, and Error{damaged} where a table's structure is
  // lost.
  Lines(stream::Source& source, LinesOptions options);
  ~Lines();

  // Finds out the encoding, if it is not given, by the messages of the first part, about 4 MiB: hex if every
  // message is whole blocks in digits, base64 if every message is base64, else that in which more are whole
  // blocks. Returns up to kTrialMessages of these, spread over them and decoded; the first one if none is
  // whole. Throws Error{unknown_format} where none is.
  std::vector<core::WipedBytes> some_messages();
  TextEncoding encoding() const { return *options_.encoding; }

  // Nothing is written before the evidence of paddings and contents is sufficient, which memory for 64 MiB of
  // output bounds: 16 bits, or, of lines, none that fails and noise in less than half of them. A number in
  // clear, and a message of which nothing tells that it is one, stay. A message that opens to noise under one
  // byte of padding stays as it is, unless most of some_messages() do. If each message needs a key
  // derivation, the first 256 must be sufficient evidence. Throws Error{wrong_key} without it, and
  // Error{damaged} if the format has no secret and nothing opens.
  LinesReport open(const MessageCipher& cipher, bool has_secret, stream::Sink& sink);

  // Every line and field that is not empty becomes a message in the encoding, which is given. Throws
  // Error{usage} for a line that open() would not give back.
  LinesReport seal(const MessageCipher& cipher, stream::Sink& sink);

 private:
  struct Piece;
  class Gate;
  using Work = std::function<void(const Cell& cell, Piece& piece)>;

  bool read_part();
  void examine_beginning();
  LinesReport run(const Work& work, bool is_slow, Gate& gate);
  void run_batch(const Work& work, std::size_t first, std::size_t last, std::size_t per_piece, Gate& gate);
  void run_piece(const Work& work, std::size_t first, std::size_t last, Piece& piece) const;
  struct Spelled;
  Spelled spelled(TextEncoding encoding) const;
  void find_encoding();
  [[noreturn]] void refuse(const Cell& first) const;
  std::string_view text() const;
  std::string_view content(const Cell& cell, core::WipedVector<char>& scratch) const;
  void open_cell(const MessageCipher& cipher, const Cell& cell, Piece& piece) const;
  void seal_cell(const MessageCipher& cipher, const Cell& cell, Piece& piece) const;
  void put(std::string_view value, const Cell& cell, Piece& piece) const;
  void leave(const Cell& cell, const std::string& reason, Piece& piece) const;
  void keep(const Cell& cell, Piece& piece) const;
  bool is_anew(std::span<const std::byte> bytes) const;
  bool is_doubtful(std::span<const std::byte> plaintext, bool is_regular,
                   const MessageFindings& findings) const;

  stream::Source& source_;
  LinesOptions options_;
  threads::ThreadPool pool_;
  std::unique_ptr<Splitter> splitter_;
  core::WipedBytes text_;  // read, and not written yet
  std::size_t split_ = 0;  // the size of its whole lines
  bool has_mark_ = false;  // a byte order mark stands in front
  bool has_begun_ = false;
  bool ended_ = false;
  bool has_others_ = false;     // in the first part, some are of other characters than messages
  bool expects_noise_ = false;  // of those below, most open to noise
  std::vector<core::WipedBytes> some_;
  std::vector<Cell> cells_;  // of the whole lines

  // A bit for each block, by its hash: the last of each message, and others of those that are weighed.
  mutable std::array<std::atomic<std::uint64_t>, 1024> ends_{};
};

// Opens, or seals, each message by the codec's own functions where it has no faster ones. `some`: as
// Codec::open_messages has them. Throw as the codec does.
std::unique_ptr<MessageCipher> opening_cipher(const Codec& codec, const OpenRequest& request,
                                              std::span<const core::WipedBytes> some);
std::unique_ptr<MessageCipher> sealing_cipher(const Codec& codec, const SealRequest& request);

// Those of the beginning of a text that are not blank, trimmed: without the last one if it may go on.
std::vector<std::string_view> lines_of(std::string_view head, bool ends);

// Whether lines are of one length, as those of one message, and not short.
bool is_wrapped(const std::vector<std::string_view>& lines, bool ends);

// Why the beginning of a text that is to be one message looks like many. Each of many lines decodes to a
// message by itself; wrapped lines have one length, while many messages differ in length, or are short and
// each end in a padding. Empty if it looks like one. `ends`: nothing follows `head`. `cipher` is called with
// the first messages where the form of the text alone does not decide.
using MakeCipher = std::function<std::unique_ptr<MessageCipher>(std::span<const core::WipedBytes> some)>;
std::string why_many_messages(std::string_view head, bool ends, TextEncoding encoding,
                              const MakeCipher& cipher);

// The advice that follows such a reason.
inline constexpr std::string_view kAdviceForMany =
    ": ⟦lines⟧ decrypts one message per line; if all are one message, join the lines";

// `source`, whose beginning looks like one message: read() throws Error{unknown_format} where a later line's
// length shows that it is many.
std::unique_ptr<stream::Source> watched_text(std::unique_ptr<stream::Source> source, TextEncoding encoding);

}  // namespace fugu::format
