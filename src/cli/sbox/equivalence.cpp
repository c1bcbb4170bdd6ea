// What tells boxes apart that are not equivalent.
#include "cli/sbox/equivalence.hpp"

#include <fmt/format.h>

#include <functional>

#include "cli/process/console.hpp"
#include "cli/sbox/fields.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/invariants.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

// Ranks of more inputs take minutes.
constexpr int kQuickRankInputs = 6;

struct Context {
  spectral::SBoxOptions work;
  bool exhaustive = false;
};

// An invariant as text; empty where the box has none.
struct Invariant {
  std::string_view equivalence;
  std::string_view name;
  std::string (*text)(const SBox&, const Context&);
};

bool has_ranks(const SBox& box, const Context& context) {
  const int most = context.exhaustive ? spectral::kMaxRankInputs : kQuickRankInputs;
  return box.inputs() == box.outputs() && box.inputs() <= most;
}

bool has_components(const SBox& box) {
  return box.outputs() <= spectral::kMaxOutputsOfAll;
}

std::string digest_text(std::uint64_t digest) {
  return fmt::format("{:016x}", digest);
}

std::string ortho_text(const SBox& box, const Context& context, bool walsh) {
  if (box.inputs() != box.outputs()) return "";
  if (spectral::differential(box, context.work).uniformity != 2) return "";
  const std::optional<SBox> ortho = ortho_derivative(box);
  if (!ortho) return "";
  return histogram_text(walsh ? extended_walsh_spectrum(*ortho, context.work)
                              : differential(*ortho, context.work).ddt);
}

// Coarse ones first: what tells two boxes apart for CCZ does for EA and affine equivalence too.
constexpr Invariant kInvariants[] = {
    {"CCZ", "differential spectrum",
     [](const SBox& box, const Context& c) { return histogram_text(differential(box, c.work).ddt); }},
    {"CCZ", "extended Walsh spectrum",
     [](const SBox& box, const Context& c) {
       return has_components(box) ? histogram_text(extended_walsh_spectrum(box, c.work)) : std::string();
     }},
    {"CCZ", "Gamma rank",
     [](const SBox& box, const Context& c) {
       return has_ranks(box, c) ? std::to_string(gamma_rank(box)) : std::string();
     }},
    {"CCZ", "Delta rank",
     [](const SBox& box, const Context& c) {
       return has_ranks(box, c) ? std::to_string(delta_rank(box)) : std::string();
     }},
    {"EA", "degrees of components",
     [](const SBox& box, const Context& c) {
       return has_components(box) ? histogram_text(nonaffine_degrees(box, c.work)) : std::string();
     }},
    {"EA", "sums of squares of components",
     [](const SBox& box, const Context& c) {
       return has_components(box) ? digest_text(sums_digest(box, c.work)) : std::string();
     }},
    {"EA", "differential spectrum of the ortho-derivative",
     [](const SBox& box, const Context& c) { return ortho_text(box, c, false); }},
    {"EA", "extended Walsh spectrum of the ortho-derivative",
     [](const SBox& box, const Context& c) { return ortho_text(box, c, true); }},
    {"affine", "rows of the DDT",
     [](const SBox& box, const Context& c) { return digest_text(ddt_rows_digest(box, c.work)); }},
    {"affine", "columns of the LAT", [](const SBox& box, const Context& c) {
       return has_components(box) ? digest_text(lat_columns_digest(box, c.work)) : std::string();
     }}};

Context context_of(const Arguments& arguments) {
  return {{thread_count(arguments)}, arguments.has("exhaustive")};
}

}  // namespace

void run_invariants(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() > 2) throw Error(Errc::usage, "invariants takes one box");
  const NamedBox named = read_one_box(operands.size() == 2 ? operands[1] : "-", arguments);
  const Context context = context_of(arguments);
  std::string text;
  for (const Invariant& invariant : kInvariants) {
    const std::string value = invariant.text(named.box, context);
    if (!value.empty()) text += fmt::format("{:<7} {}: {}\n", invariant.equivalence, invariant.name, value);
  }
  write_report(arguments, named.file, text);
}

void run_compare(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() != 3) throw Error(Errc::usage, "compare takes two boxes");
  const NamedBox first = read_one_box(operands[1], arguments);
  const NamedBox second = read_one_box(operands[2], arguments);
  const auto size = [](const SBox& box) { return fmt::format("{} x {}", box.inputs(), box.outputs()); };
  if (size(first.box) != size(second.box))
    throw Error(Errc::mismatch, fmt::format("different sizes: {} and {}", size(first.box), size(second.box)));
  const Context context = context_of(arguments);
  std::string names;
  for (const Invariant& invariant : kInvariants) {
    const std::string value = invariant.text(first.box, context);
    const std::string other = invariant.text(second.box, context);
    if (value != other) {
      throw Error(Errc::mismatch,
                  fmt::format("not {}-equivalent: {}: {} and {}", invariant.equivalence, invariant.name,
                              value.empty() ? "none" : value, other.empty() ? "none" : other));
    }
    if (!value.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", invariant.name);
  }
  write_report(arguments, first.file, fmt::format("not told apart by {}\n", names));
}

}  // namespace fugu::cli
