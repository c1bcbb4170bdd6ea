// Invariants as text.
#include "cli/sbox/equivalence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/process/console.hpp"
#include "cli/sbox/fields.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/equivalence.hpp"

namespace fugu::cli {
namespace {

struct InvariantText {
  std::string operator()(std::uint64_t rank) const { return std::to_string(rank); }
  std::string operator()(spectral::Digest digest) const { return fmt::format("{:016x}", digest.value); }
  std::string operator()(const spectral::Histogram& histogram) const { return histogram_text(histogram); }
};

std::string text_of(const std::optional<spectral::InvariantValue>& value) {
  return value ? std::visit(InvariantText(), *value) : "none";
}

spectral::InvariantOptions invariant_options(const Arguments& arguments) {
  return {{thread_count(arguments)}, arguments.has("exhaustive")};
}

}  // namespace

void run_invariants(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() > 2) throw Error(Errc::usage, "invariants takes one box");
  const NamedBox named = read_one_box(operands.size() == 2 ? operands[1] : "-", arguments);
  std::string text;
  for (const spectral::Invariant& invariant : spectral::invariants(named.box, invariant_options(arguments))) {
    text += fmt::format("{:<7} {}: {}\n", to_string(invariant.equivalence), invariant.name,
                        std::visit(InvariantText(), invariant.value));
  }
  write_report(arguments, named.file, text);
}

void run_compare(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() != 3) throw Error(Errc::usage, "compare takes two boxes");
  const NamedBox first = read_one_box(operands[1], arguments);
  const NamedBox second = read_one_box(operands[2], arguments);
  const auto [equal, difference] = spectral::compare(first.box, second.box, invariant_options(arguments));
  if (difference) {
    throw Error(Errc::mismatch,
                fmt::format("not {}-equivalent: {}: {} and {}", to_string(difference->equivalence),
                            difference->name, text_of(difference->first), text_of(difference->second)));
  }
  write_report(arguments, first.file, fmt::format("not told apart by {}\n", fmt::join(equal, ", ")));
}

}  // namespace fugu::cli
