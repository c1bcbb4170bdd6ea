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

// The lines of all boxes, on the engine that --engine names. auto takes `gpu` for so many boxes that it is
// done sooner there, if the fields asked for are those of summary_lines(). Of several boxes that are none,
// the first is named.
BatchLines batch_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments,
                       const ReportLine& line, GpuOfRun& gpu);

// Before a file is read: starts `gpu` beside that where its size says that batch_lines() will take it.
void expect_gpu(const std::string& operand, const ReportOptions& options, const Arguments& arguments,
                GpuOfRun& gpu);

// cuda::summarize_boxes(), or what stands for it.
using Summarize = std::function<std::vector<spectral::cuda::SmallBoxSummary>(
    int inputs, int outputs, std::span<const std::uint8_t> values)>;

// Whether a summary has all fields asked for.
bool summaries_suffice(const ReportOptions& options);

// The same lines from summaries of small boxes, where these suffice; other boxes one after the other.
std::string summary_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments,
                          const ReportLine& line, const Summarize& summarize);

}  // namespace fugu::cli
