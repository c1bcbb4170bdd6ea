// Reports on many boxes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/sbox/report.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::cli {

using ReportLine = std::function<std::string(const Report&)>;

struct BatchLines {
  std::string text;
  bool on_automatic_gpu = false;
};

// The lines of all boxes, on the engine that --engine names. auto uses `gpu` for so many boxes that it is
// faster, if summary_lines() has all requested fields. Of several invalid boxes, the first is reported.
BatchLines batch_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments,
                       const ReportLine& line, GpuOfRun& gpu);

// Called before a file is read: starts `gpu` meanwhile if the file's size predicts that batch_lines() will
// use it.
void expect_gpu(const std::string& operand, const ReportOptions& options, const Arguments& arguments,
                GpuOfRun& gpu);

// cuda::summarize_boxes(), or a replacement.
using Summarize = std::function<std::vector<spectral::cuda::SmallBoxSummary>(
    int inputs, int outputs, std::span<const std::uint8_t> values)>;

// Whether a summary has all requested fields.
bool summaries_suffice(const ReportOptions& options);

// The same lines from summaries of small boxes, if these suffice; other boxes one after the other.
std::string summary_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments,
                          const ReportLine& line, const Summarize& summarize);

}  // namespace fugu::cli
