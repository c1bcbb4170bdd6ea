// Invariants as text.
#include <fmt/format.h>

#include <optional>

#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "cli/spectral/property_text.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/invariants.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

struct InvariantText {
  std::string operator()(std::uint64_t rank) const { return std::to_string(rank); }
  std::string operator()(spectral::Digest digest) const { return fmt::format("{:016x}", digest.value); }
  std::string operator()(const spectral::Histogram& histogram) const { return histogram_text(histogram); }
};

std::string text_of(const std::optional<spectral::InvariantValue>& value) {
  return value ? std::visit(InvariantText(), *value) : "none";
}

// The options, and the display of ranks that take long.
class InvariantWork {
 public:
  InvariantWork(const Arguments& arguments, const SBox& box, unsigned boxes)
      : options_{{thread_count(arguments)}, arguments.has("exhaustive")} {
    if (!has_ranks(box, options_) || boxes * spectral::rank_seconds(box.inputs()) < kShownSeconds) return;
    work_.emplace(arguments, fmt::format("ranks for {} inputs", box.inputs()),
                  std::uint64_t{2 * boxes} << 2 * box.inputs(), boxes * spectral::rank_seconds(box.inputs()),
                  "rows");
    options_.done = [this](std::uint64_t rows) { work_->advance(rows); };
  }
  InvariantWork(const InvariantWork&) = delete;
  InvariantWork& operator=(const InvariantWork&) = delete;

  const spectral::InvariantOptions& options() const { return options_; }

 private:
  static constexpr double kShownSeconds = 2;

  spectral::InvariantOptions options_;
  std::optional<LongWork> work_;
};

std::string undecided_text(const std::vector<spectral::Agreement>& equal) {
  std::string text =
      "undecided: these invariants agree, which does not prove that the boxes are equivalent\n";
  for (const spectral::Agreement& agreement : equal)
    text += fmt::format("{:<7} {}\n", to_string(agreement.equivalence), agreement.name);
  return text;
}

}  // namespace

void run_invariants(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() > 2) throw Error(Errc::usage, "invariants takes one box");
  const NamedBox named = read_one_box(operands.size() == 2 ? operands[1] : "-", arguments);
  std::string text;
  for (const spectral::Invariant& invariant :
       spectral::invariants(named.box, InvariantWork(arguments, named.box, 1).options())) {
    text += fmt::format("{:<7} {}: {}\n", to_string(invariant.equivalence), invariant.name,
                        std::visit(InvariantText(), invariant.value));
  }
  write_report(arguments, named.file, text);
}

int run_compare(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() != 3) throw Error(Errc::usage, "compare takes two boxes");
  const NamedBox first = read_one_box(operands[1], arguments);
  const NamedBox second = read_one_box(operands[2], arguments);
  if (first.box == second.box) {
    write_report(arguments, first.file, "equal: S(x) is the same for every x\n");
    return kSuccess;
  }
  const auto [equal, difference] =
      spectral::compare(first.box, second.box, InvariantWork(arguments, first.box, 2).options());
  if (difference) {
    throw Error(Errc::mismatch,
                fmt::format("not {}-equivalent: {}: {} and {}", to_string(difference->equivalence),
                            difference->name, text_of(difference->first), text_of(difference->second)));
  }
  write_report(arguments, first.file, undecided_text(equal));
  return kUndecided;
}

}  // namespace fugu::cli
