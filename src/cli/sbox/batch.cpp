// Measures boxes on the engine that --engine names; those of a batch in parallel: a thread per box on the
// CPU, thousands at a time on a GPU.
#include <iterator>
#include <system_error>

#include "cli/sbox/operations.hpp"

namespace fugu::cli {
namespace {

using spectral::cuda::SmallBoxSummary;
using spectral::lab::Value;

constexpr std::size_t kMaxBoxesOfATurn = 64;

// The number of boxes in memory at a time for a GPU.
constexpr std::size_t kBoxesAtOnce = std::size_t{1} << 16;

// One box of 8 inputs and outputs: measured on a core.
constexpr double kCoreSecondsOfSummary = 5e-4;

// Such a box as text; in .npy it takes a quarter of that.
constexpr double kMaxBytesPerBox = 1024;

std::size_t boxes_of_a_turn(std::size_t count, const threads::ThreadPool& pool) {
  return std::clamp<std::size_t>(count / (std::size_t{8} * pool.threads()), 1, kMaxBoxesOfATurn);
}

// On all threads; empty for none.
std::string report_line(const std::optional<NamedBox>& box, const ReportOptions& options) {
  return box ? report_text(box->name, options.engine.box(box->box), options) : "";
}

// Each box on one thread; the first ones tell how long all take.
std::string lines_side_by_side(const Boxes& boxes, const ReportOptions& options, threads::ThreadPool& pool,
                               const Arguments& arguments) {
  constexpr std::chrono::duration<double> kTrial{0.05};
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> lines(boxes.size());
  const auto write = [&](std::size_t i, const std::optional<NamedBox>& box) {
    if (box) lines[i] = report_text(box->name, options.engine.silent_box(box->box), options);
  };
  const Clock::time_point begin = Clock::now();
  std::size_t tried = 0;
  for (; tried < lines.size() && Clock::now() - begin < kTrial; ++tried)
    write(tried, boxes.read(tried, 1)[0]);
  const std::size_t left = lines.size() - tried;
  const double seconds =
      std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(tried);
  const spectral::Progress done = shown_work(arguments, fmt::format("{} boxes", left), left,
                                             seconds * static_cast<double>(left) / pool.threads(), "boxes");
  pool.for_ranges(left, boxes_of_a_turn(left, pool), [&](std::size_t first, std::size_t last) {
    std::size_t i = tried + first;
    for (const auto& box : boxes.read(i, last - first)) write(i++, box);
    if (done) done(last - first);
  });
  return fmt::format("{}", fmt::join(lines, ""));
}

// The columns that a summary has.
struct SummaryColumn {
  std::string_view name;
  Value (*value)(const SmallBoxSummary& summary, int inputs);
};
constexpr SummaryColumn kSummaryColumns[] = {
    {"du", [](const SmallBoxSummary& found, int) -> Value { return std::uint64_t{found.uniformity}; }},
    {"linearity", [](const SmallBoxSummary& found, int) -> Value { return std::uint64_t{found.linearity}; }},
    {"nl",
     [](const SmallBoxSummary& found, int inputs) -> Value {
       return ((std::uint64_t{1} << inputs) - found.linearity) / 2;
     }},
    {"deg", [](const SmallBoxSummary& found, int) -> Value { return std::int64_t{found.degree}; }}};

const SummaryColumn* summary_column(const spectral::lab::BoxProperty& row) {
  const auto* const found = std::ranges::find(kSummaryColumns, row.column, &SummaryColumn::name);
  return found == std::end(kSummaryColumns) ? nullptr : found;
}

std::string summary_line(const NamedBox& named, const SmallBoxSummary& summary,
                         const ReportOptions& options) {
  const int inputs = named.box.inputs();
  return columns_text(named.name, named.box, options, [&](const spectral::lab::BoxProperty& row) {
    return summary_column(row)->value(summary, inputs);
  });
}

// The lines of some boxes. Small ones of one shape are summarised together.
class SummarizedBoxes {
 public:
  SummarizedBoxes(const Boxes& boxes, std::size_t first, std::size_t count, threads::ThreadPool& pool)
      : pool_(pool), boxes_(count), lines_(count) {
    for_each_turn(count, [&](std::size_t at, std::size_t last) {
      for (auto& box : boxes.read(first + at, last - at)) boxes_[at++] = std::move(box);
    });
  }

  std::string lines(const Summarize& summarize, const ReportOptions& options) {
    std::map<std::pair<int, int>, std::vector<std::size_t>> by_shape;
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      if (boxes_[i]) by_shape[{boxes_[i]->box.inputs(), boxes_[i]->box.outputs()}].push_back(i);
    for (const auto& [shape, members] : by_shape) {
      if (std::max(shape.first, shape.second) <= spectral::cuda::kMaxSmallBits) {
        summarize_members(members, summarize, options);
      } else {
        for (const std::size_t i : members) lines_[i] = report_line(boxes_[i], options);
      }
    }
    return fmt::format("{}", fmt::join(lines_, ""));
  }

 private:
  void for_each_turn(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
    pool_.for_ranges(count, boxes_of_a_turn(count, pool_), work);
  }

  void summarize_members(const std::vector<std::size_t>& members, const Summarize& summarize,
                         const ReportOptions& options) {
    const spectral::SBox& shape = boxes_[members[0]]->box;
    std::vector<std::uint8_t> values(members.size() * shape.size());
    for_each_turn(members.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        std::ranges::transform(boxes_[members[i]]->box.values(), &values[i * shape.size()],
                               [](std::uint32_t value) { return static_cast<std::uint8_t>(value); });
    });
    const std::vector<SmallBoxSummary> summaries = summarize(shape.inputs(), shape.outputs(), values);
    for_each_turn(members.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        lines_[members[i]] = summary_line(*boxes_[members[i]], summaries[i], options);
    });
  }

  threads::ThreadPool& pool_;
  std::vector<std::optional<NamedBox>> boxes_;
  std::vector<std::string> lines_;
};

std::string lines_on_gpu(const Boxes& boxes, const ReportOptions& options, const Gpu& gpu) {
  say_engine("small boxes", gpu.context.info().index, 0);
  return summary_lines(boxes, options, [&](int inputs, int outputs, std::span<const std::uint8_t> values) {
    return spectral::cuda::summarize_boxes(inputs, outputs, values, gpu.stream);
  });
}

}  // namespace

bool summaries_suffice(const ReportOptions& options) {
  return std::ranges::all_of(options.columns,
                             [](const auto* row) { return summary_column(*row) != nullptr; });
}

std::string summary_lines(const Boxes& boxes, const ReportOptions& options, const Summarize& summarize) {
  threads::ThreadPool pool(options.engine.threads());
  std::string text;
  for (std::size_t first = 0; first < boxes.size(); first += kBoxesAtOnce) {
    SummarizedBoxes some(boxes, first, std::min(kBoxesAtOnce, boxes.size() - first), pool);
    text += some.lines(summarize, options);
  }
  return text;
}

BatchLines batch_lines(const Boxes& boxes, const ReportOptions& options, const Arguments& arguments) {
  if (summaries_suffice(options)) {
    const double seconds = kCoreSecondsOfSummary * static_cast<double>(boxes.size());
    if (auto lines = options.engine.gpu_of_run().run(choice::WorkKind::boxes, seconds, [&](const Gpu& gpu) {
          return lines_on_gpu(boxes, options, gpu);
        }))
      return {std::move(*lines), true};
  }
  threads::ThreadPool pool(options.engine.threads());
  const bool side_by_side =
      options.engine.gpu() == nullptr && !options.exhaustive && boxes.size() >= pool.threads();
  if (side_by_side) return {lines_side_by_side(boxes, options, pool, arguments)};
  std::string text;
  for (std::size_t i = 0; i < boxes.size(); ++i) text += report_line(boxes.read(i, 1)[0], options);
  return {std::move(text)};
}

void expect_gpu(const std::string& operand, const ReportOptions& options) {
  if (!options.batch || !summaries_suffice(options)) return;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(operand, unknown);
  const double boxes = static_cast<double>(bytes) / kMaxBytesPerBox;
  if (!unknown) options.engine.gpu_of_run().expect(choice::WorkKind::boxes, kCoreSecondsOfSummary * boxes);
}

namespace lab = spectral::lab;

BoxEngine::BoxEngine(const Arguments& arguments)
    : arguments_(&arguments),
      threads_(thread_count(arguments)),
      device_(spectral_engine(arguments).device),
      named_(device_.has_value()),
      gpu_(std::make_shared<GpuOfRun>(spectral_engine(arguments), threads_)) {
  if (device_) gpu_->expect(*device_);
}

void BoxEngine::choose(double core_seconds) {
  device_ = gpu_->device_for(choice::WorkKind::boxes, core_seconds);
  if (device_) gpu_->expect(*device_);
}

const Gpu* BoxEngine::gpu() const {
  if (!device_) return nullptr;
  const Gpu* const started = gpu_->get(*device_);
  if (started == nullptr) device_.reset();
  return started;
}

lab::BoxOptions BoxEngine::box_options(unsigned threads) const {
  lab::BoxOptions options{.work = {threads},
                          .polynomial = field_option(*arguments_).value_or(0),
                          .exhaustive = arguments_->has("exhaustive")};
  if (device_) {
    options.gpu = [this] {
      const Gpu* const started = gpu();
      return started != nullptr ? std::optional(started->stream) : std::nullopt;
    };
  }
  return options;
}

lab::Box BoxEngine::silent_box(const spectral::SBox& values) const {
  return lab::Box(values, box_options(1));
}

lab::Box BoxEngine::box(const spectral::SBox& values) const {
  lab::BoxOptions options = box_options(threads_);
  // Some computations run on the CPU whatever engine is requested.
  options.says = [this](std::string_view what, bool on_gpu) {
    say_engine(what, on_gpu ? device_ : std::nullopt, threads_);
  };
  options.begin = [this](lab::Box& box, lab::Computation computation, std::uint64_t steps) {
    return begin(box, computation, steps);
  };
  return lab::Box(values, std::move(options));
}

spectral::Progress BoxEngine::begin(lab::Box& box, lab::Computation computation, std::uint64_t steps) const {
  if (computation == lab::Computation::exhaustive) say_exhaustive(box);
  const std::optional<lab::LongComputation> work = box.long_computation(computation);
  return work ? shown_work(*arguments_, work->what, steps, work->seconds, work->unit) : spectral::Progress();
}

void BoxEngine::say_exhaustive(const lab::Box& box) const {
  if (!named_) return say_engine("all components", std::nullopt, threads_);
  if (spectral::cuda::has_profile_kernels(box.inputs(), box.outputs())) return;
  throw Error(Errc::no_device, fmt::format("all components of {} inputs and {} outputs are measured on the "
                                           "CPU; use --engine cpu",
                                           box.inputs(), box.outputs()));
}

}  // namespace fugu::cli
