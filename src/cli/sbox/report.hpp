// fugu sbox report: values of boxes, row by row of the table of properties.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::cli {

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

std::string report_csv_header(const ReportOptions& options);

// A line of CSV, a JSON object, or a sheet with a line for each group.
std::string report_text(const std::string& name, spectral::lab::Box box, const ReportOptions& options);

// The same in CSV or JSON from values known already.
struct BoxShape {
  int inputs;
  int outputs;
};
using ValueOf = std::function<spectral::lab::Value(const spectral::lab::BoxProperty&)>;
std::string columns_text(const std::string& name, BoxShape shape, const ReportOptions& options,
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
