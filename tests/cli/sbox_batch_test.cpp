// Makes lines of a batch from summaries of small boxes. On a GPU, kernels make the summaries; here the CPU's
// functions do, which tests/spectral compares with the definitions.
#include <fstream>

#include "cli/process/console.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/table/subcommands.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "stream/scratch.hpp"
#include "support/testing.hpp"

namespace fugu::cli {
namespace {

using spectral::cuda::SmallBoxSummary;

struct Summarizer {
  std::vector<std::size_t> batches{};  // the number of boxes of each call

  std::vector<SmallBoxSummary> operator()(int inputs, int outputs, std::span<const std::uint8_t> values) {
    const std::size_t size = std::size_t{1} << inputs;
    std::vector<SmallBoxSummary> summaries;
    for (std::size_t at = 0; at < values.size(); at += size) {
      const auto box = values.subspan(at, size);
      const spectral::SBox s(inputs, outputs, {box.begin(), box.end()});
      summaries.push_back({.linearity = static_cast<std::uint16_t>(spectral::linear(s).linearity),
                           .uniformity = static_cast<std::uint16_t>(spectral::differential(s).uniformity),
                           .degree = static_cast<std::int8_t>(spectral::degree(s))});
    }
    batches.push_back(summaries.size());
    return summaries;
  }
};

// Returns a line per box, with random shapes up to 9 inputs and 16 outputs, which the values show.
std::string random_boxes(int count) {
  std::mt19937 bits(1);
  const auto random = [&] { return static_cast<unsigned>(bits()); };
  std::string text;
  for (int i = 0; i < count; ++i) {
    const unsigned inputs = 1 + random() % 5 + (i % 16 == 0 ? 4 : 0);
    const unsigned outputs = inputs + random() % 4 + (i % 8 == 0 ? 4 : 0), top = 1u << (outputs - 1);
    const bool constant = random() % 8 == 0;
    const unsigned value = top | random() % top;
    for (unsigned x = 0; x < 1u << inputs; ++x)
      text += std::to_string(constant ? value : (x % 2 == 0 ? top : 0) | random() % (2 * top)) + " ";
    text += '\n';
  }
  return text;
}

TEST(SboxBatch, SummariesMakeTheLinesOfEachBoxMeasuredAlone) {
  prepare_process();
  const stream::Scratch scratch;
  const std::string path = scratch.path("boxes");
  std::ofstream(path) << random_boxes(100);
  for (const char* fields : {"du,linearity,nl,deg", "nl", "deg,du"}) {
    const Arguments arguments =
        parse(find_subcommand("sbox"), {"report", "--batch", "--engine", "cpu", "--only", fields, path});
    const ReportOptions options = report_options(arguments);
    ASSERT_TRUE(summaries_suffice(options));
    const Boxes boxes(path, arguments);
    ASSERT_EQ(boxes.size(), 100);
    Summarizer summarize;
    EXPECT_EQ(summary_lines(boxes, options, std::ref(summarize)),
              batch_lines(boxes, options, arguments).text);
    EXPECT_GT(summarize.batches.size(), 20);  // the batch has as many shapes
    EXPECT_GT(*std::max_element(summarize.batches.begin(), summarize.batches.end()), 2);
  }
}

TEST(SboxBatch, OtherFieldsAreNotInSummaries) {
  for (const char* fields : {"basic", "linear", "du,linear", "du,apn", "deg_inv"}) {
    const Arguments arguments = parse(find_subcommand("sbox"), {"report", "--batch", "--only", fields, "-"});
    EXPECT_FALSE(summaries_suffice(report_options(arguments))) << fields;
  }
  const Arguments everything = parse(find_subcommand("sbox"), {"report", "--batch", "-"});
  EXPECT_FALSE(summaries_suffice(report_options(everything)));
}

}  // namespace
}  // namespace fugu::cli
