// The operations of fugu sbox, one or a few to a source file, and what they share: the engine that measures
// boxes, reports, and how results are written.
#pragma once

#include <set>

#include "cli/lab/work.hpp"
#include "cli/process/json.hpp"
#include "cli/sbox/boxes.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/lab/box.hpp"
#include "fugu/spectral/sbox/invariants.hpp"

namespace fugu::cli {

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

// --relation; empty: not given.
std::optional<spectral::Equivalence> relation_of(const Arguments& arguments);

// Throws Error{engine} for maps that do not take S to T: nothing found is written unchecked.
void check_maps(const spectral::Witness& witness, const spectral::SBox& s, const spectral::SBox& t);

// Says it, and returns kUndecided.
int unfinished(std::string_view what);

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

// The line of a group on a sheet for people; empty if the box has nothing to say there.
std::string sheet_line(spectral::lab::Group group, spectral::lab::Box& box, bool lists_structures);
std::string sheet_line(spectral::lab::Group group, std::string_view text);

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
