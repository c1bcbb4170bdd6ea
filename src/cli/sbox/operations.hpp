// The operations of fugu sbox, one or a few to a source file, and what they share: boxes in the formats of
// files, named or in batches, the engine that measures them, reports, and how results are written.
#pragma once

#include <set>

#include "cli/lab/work.hpp"
#include "cli/process/json.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/lab/box.hpp"

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

// --weak-keys FIRST:COUNT: the eight-byte keys, as big-endian numbers, under which an S-box has two equal
// entries (Vaudenay, FSE 1996). One line each: key, S-box, x, y, S(x) = S(y).
void run_weak_keys(const Arguments& arguments);

// --random-keys: S-boxes of the keys of cipher::random_key() from --seed on, compared with its random boxes.
void run_key_statistics(const Arguments& arguments);

void run_report(const Arguments& arguments);
void run_components(const Arguments& arguments);
void run_box_anf(const Arguments& arguments);

// Whether anf prints polynomials over --field.
bool prints_univariate(const Arguments& arguments);
void run_invariants(const Arguments& arguments);

void run_spectrum(const Arguments& arguments);
void run_table(const Arguments& arguments);
void run_model(const Arguments& arguments);

// Returns the exit status: kSuccess for equivalent boxes, kUndecided if that is not known. Throws
// Error{mismatch} if the boxes are shown to be inequivalent.
int run_compare(const Arguments& arguments);

// The same statuses, but kSuccess for a box in no list.
int run_canonical(const Arguments& arguments);
int run_class(const Arguments& arguments);

// The same statuses, for what the Walsh-zero spaces of a box show.
int run_spaces(const Arguments& arguments);
int run_permutation(const Arguments& arguments);
int run_classes(const Arguments& arguments);
int run_tu(const Arguments& arguments);

// Where boxes are measured: the engine that --engine names. auto is the CPU until choose() finds a GPU worth
// its start.
class BoxEngine {
 public:
  // Starts the GPU that --engine names, while a box is read.
  explicit BoxEngine(const Arguments& arguments);

  // For auto, before work of this many seconds on one CPU core. Starts the GPU that it chooses.
  void choose(double core_seconds);

  const Gpu* gpu() const;  // null: the CPU, also when the GPU that auto chose does not start
  GpuOfRun& gpu_of_run() const { return *gpu_; }
  unsigned threads() const { return threads_; }

  // The box to be measured. It says which engine computes what, if that may be a GPU, and shows long work.
  spectral::lab::Box box(const spectral::SBox& values) const;

  // The same on one thread, in silence.
  spectral::lab::Box silent_box(const spectral::SBox& values) const;

 private:
  spectral::lab::BoxOptions box_options(unsigned threads) const;
  spectral::Progress begin(spectral::lab::Box& box, spectral::lab::Computation computation,
                           std::uint64_t steps) const;
  void say_exhaustive(const spectral::lab::Box& box) const;

  const Arguments* arguments_;
  unsigned threads_;
  mutable std::optional<int> device_;  // none: the CPU
  bool named_;
  std::shared_ptr<GpuOfRun> gpu_;
};

enum class BoxOutput : std::uint8_t { text, npy, npy16, raw, sage, hex, json, csv };

// The format of --to; text by default.
BoxOutput output_format(const Arguments& arguments);

void write_text(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

// For people: --quiet suppresses it on standard output.
void write_report(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text);

void write_box(const Arguments& arguments, std::optional<stream::FileId> input, const spectral::SBox& box);

// Little-endian, in `width` bytes.
void append_bytes(std::string& bytes, std::uint64_t value, int width);

// value / 2^bits in lowest terms.
std::string fraction(std::int64_t value, int bits);

struct RowFormat {
  BoxOutput format;
  Range rows;
  Range columns;
  std::optional<int> fraction_bits;  // denominators are 2 to this power
  bool sparse = false;               // text lists nonzero entries: "a b value"
};

class RowWriter {
 public:
  RowWriter(const RowFormat& format, stream::Sink& sink);

  // Writes the chosen columns of row a; call it in the order of the rows.
  void write(std::uint64_t a, std::span<const std::int32_t> row);
  void finish();

 private:
  void append_number(std::int32_t value);
  void append_numbers(std::span<const std::int32_t> row, std::string_view between);
  void append_sparse(std::uint64_t a, std::span<const std::int32_t> row);
  void append_narrow(std::span<const std::int32_t> row);
  void flush();

  RowFormat format_;
  char between_;  // the numbers of a line
  stream::Sink& sink_;
  std::string text_;
};

struct ReportOptions {
  std::set<spectral::lab::Group> groups;                   // those with a requested column
  std::vector<const spectral::lab::BoxProperty*> columns;  // the requested ones
  std::string single;                                      // the first column requested by name
  bool csv = false;
  bool json = false;
  bool batch = false;
  bool lists_structures = false;
  bool exhaustive = false;
  BoxEngine engine;
};

// Throws Error{usage}. The arguments must outlive the result.
ReportOptions report_options(const Arguments& arguments);

// A line of CSV, a JSON object, or a sheet with a line for each group.
std::string report_text(const std::string& name, spectral::lab::Box box, const ReportOptions& options);

// The same in CSV or JSON from values known already.
using ValueOf = std::function<spectral::lab::Value(const spectral::lab::BoxProperty&)>;
std::string columns_text(const std::string& name, const spectral::SBox& box, const ReportOptions& options,
                         const ValueOf& value_of);

struct BatchLines {
  std::string text;
  bool on_gpu = false;
};

// The lines of all boxes, on the engine that --engine names. auto uses a GPU for so many boxes that it is
// faster, if summary_lines() has all requested columns. Of several invalid boxes, the first is reported.
BatchLines batch_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments);

// Called before a file is read: starts the GPU meanwhile if the file's size predicts that batch_lines() will
// use it.
void expect_gpu(const std::string& operand, const ReportOptions& options);

// cuda::summarize_boxes(), or a replacement.
using Summarize = std::function<std::vector<spectral::cuda::SmallBoxSummary>(
    int inputs, int outputs, std::span<const std::uint8_t> values)>;

// Whether a summary has all requested columns.
bool summaries_suffice(const ReportOptions& options);

// The same lines from summaries of small boxes, if these suffice; other boxes one after the other.
std::string summary_lines(const Boxes& boxes, const ReportOptions& options, const Summarize& summarize);

}  // namespace fugu::cli
