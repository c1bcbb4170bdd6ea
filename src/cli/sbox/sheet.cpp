// A report as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/process/console.hpp"
#include "cli/sbox/engine/long_work.hpp"
#include "cli/sbox/fields.hpp"
#include "fugu/spectral/sbox/best_known.hpp"

namespace fugu::cli {
namespace {

std::string line(std::string_view group, std::string_view text) {
  return fmt::format("{:<14}{}\n", group, text);
}

// The mark before a value that says whether a better one is known for a box of this size.
template <class T>
std::string_view mark(T value, std::optional<T> best) {
  return best && value <= *best ? "*" : "";
}

// "2 27 59": each cycle's length, or the lengths with their numbers.
std::string cycles_text(const spectral::Histogram& lengths) {
  std::string text;
  for (const auto& [length, count] : lengths)
    text += count == 1 ? fmt::format(" {}", length) : fmt::format(" {}:{}", length, count);
  return text;
}

// log2 of the probability that a random box of this size has a collision.
double log2_collision(int inputs, int outputs) {
  double log_none = 0;
  for (double i = 0; i < std::exp2(inputs); ++i) log_none += std::log1p(-i * std::exp2(-outputs));
  return std::log2(-std::expm1(log_none));
}

std::string basic_line(const Report& report) {
  const spectral::Basic& basic = *report.basic;
  std::string text;
  if (basic.cycles) {
    text = fmt::format("permutation, {}{}", basic.cycles->odd ? "odd" : "even",
                       basic.cycles->involution ? ", involution" : "");
  } else if (basic.collisions == 0) {
    text = fmt::format("injective; collisions 0 (a random box has one with probability 2^{:.1f})",
                       log2_collision(report.inputs, report.outputs));
  } else {
    text = fmt::format("{}; image {}, collisions {}", basic.balanced ? "balanced" : "not balanced",
                       basic.image, basic.collisions);
  }
  if (basic.fixed) text += fmt::format("; fixed points {}, opposite {}", *basic.fixed, *basic.antifixed);
  if (basic.cycles)
    text += fmt::format("; cycles{}, order {}", cycles_text(basic.cycles->lengths), basic.cycles->order);
  return line("basic", text);
}

std::string differential_line(const Report& report) {
  const spectral::Differential& d = *report.differential;
  return line("differential",
              fmt::format("{}uniformity {}, {} entries of it{}; DDT {}; 1-bit to 1-bit {}; branch number {}",
                          mark(d.uniformity, spectral::best_known_uniformity(report.inputs, report.outputs,
                                                                             report.permutation)),
                          d.uniformity, d.attained, d.apn ? ", APN" : "", histogram_text(d.ddt),
                          d.one_bit_to_one, d.branch_number));
}

std::string hex(std::uint64_t value, int bits) {
  return fmt::format("0x{:0{}x}", value, (bits + 3) / 4);
}

std::string coordinates_line(const Report& report) {
  const auto [least, most] = std::ranges::minmax(*report.coordinates);
  std::string text =
      fmt::format("coordinates: nonlinearity {}..{}; all 2^{}-1 components: ", least, most, report.outputs);
  if (report.exhaustive) {
    text += fmt::format("linearity {}, nonlinearity {} (--exhaustive)", report.exhaustive->linearity,
                        report.exhaustive->nonlinearities.begin()->first);
  } else {
    text += "--exhaustive";
  }
  return line("linear", text);
}

std::string linear_line(const Report& report) {
  if (!report.linear) return coordinates_line(report);
  const spectral::Linear& l = *report.linear;
  return line("linear",
              fmt::format("{}linearity {}, nonlinearity {}{}; largest {} entries, first W({},{}) = {}; "
                          "1-bit to 1-bit {}; branch number {}",
                          mark(l.linearity, spectral::best_known_linearity(report.inputs, report.outputs)),
                          l.linearity, l.nonlinearity, l.almost_bent ? ", AB" : "", l.attained,
                          hex(l.first_a, report.inputs), hex(l.first_b, report.outputs), l.first_value,
                          l.one_bit_to_one, l.branch_number ? std::to_string(*l.branch_number) : "none"));
}

std::string range_text(std::uint64_t least, std::uint64_t most) {
  return least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
}

std::string components_line(const Report& report) {
  const spectral::Linear& l = *report.linear;
  const spectral::Autocorrelation& r = *report.autocorrelation;
  const auto [least, most] = std::minmax_element(r.sums.begin() + 1, r.sums.end());
  return line("components",
              fmt::format("nonlinearity {}; degree {}; absolute indicator {}; sum of squares {}; "
                          "plateaued {}, bent {}",
                          histogram_text(nonlinearities(l, report.inputs)),
                          histogram_text(*report.degrees->components),
                          histogram_text(histogram_of_components(r.indicators)), range_text(*least, *most),
                          l.plateaued, l.bent));
}

std::string algebra_line(const Report& report) {
  const Degrees& degrees = *report.degrees;
  std::string text = fmt::format("degree {}", degrees.box);
  if (degrees.inverse) text += fmt::format(", of the inverse {}", *degrees.inverse);
  const Algebra& algebra = *report.algebra;
  std::string highest;
  std::string counts;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!algebra.equations[i]) continue;
    highest += fmt::format("{}{}", highest.empty() ? "" : ", ", i + 1);
    counts += fmt::format("{}{}", counts.empty() ? "" : ", ", *algebra.equations[i]);
  }
  text += fmt::format("; equations of degree {}: {}", highest, counts);
  if (algebra.immunities) text += fmt::format("; component immunity {}", histogram_text(*algebra.immunities));
  return line("algebra", text);
}

std::string boomerang_line(const Report& report) {
  const spectral::Boomerang& b = *report.boomerang;
  const auto best =
      report.permutation ? spectral::best_known_boomerang_uniformity(report.inputs) : std::nullopt;
  std::string text =
      fmt::format("{}uniformity {}; BCT {}", mark(b.uniformity, best), b.uniformity, histogram_text(b.bct));
  if (b.feistel_uniformity)
    text += fmt::format("; Feistel {}, FBCT {}", *b.feistel_uniformity, histogram_text(b.fbct));
  return line("boomerang", text);
}

std::string avalanche_line(const Report& report) {
  const spectral::Avalanche& a = *report.avalanche;
  std::string text = fmt::format("SAC {}..{} of {}, sum {}", a.least_change, a.most_change,
                                 std::uint64_t{1} << report.inputs >> 1, a.changes_sum);
  if (!a.pair_nonlinearities.empty()) {
    text += fmt::format("; BIC nonlinearity {}, BIC-SAC {}", std::ranges::min(a.pair_nonlinearities),
                        a.pair_changes_sum);
  }
  if (report.linear) {
    text += fmt::format("; correlation immunity {}, resiliency {}", report.linear->correlation_immunity,
                        report.linear->resiliency);
  }
  return line("avalanche", text);
}

std::string structure_line(const Report& report) {
  const auto& [positive, negative] = *report.structures;
  std::string text = fmt::format("linear structures {}", positive + negative);
  if (positive + negative != 0) text += fmt::format(", {} of them with r = -N", negative);
  text = line("structure", text);
  for (const spectral::LinearStructure& found : report.listed_structures) {
    text += line("", fmt::format("r({},{}) = {}{}", hex(found.a, report.inputs), hex(found.b, report.outputs),
                                 found.negative ? "-" : "", std::uint64_t{1} << report.inputs));
  }
  const std::uint64_t unlisted = positive + negative - report.listed_structures.size();
  if (!report.listed_structures.empty() && unlisted != 0)
    text += line("", fmt::format("and {} more", unlisted));
  return text;
}

std::string sidechannel_line(const Report& report) {
  return line("sidechannel", fmt::format("transparency order {:.3f}", *report.transparency));
}

std::string ccz_line(const Report& report) {
  const Ccz& c = *report.ccz;
  std::string text;
  if (c.gamma_rank) text = fmt::format("Gamma rank {}, Delta rank {}", *c.gamma_rank, *c.delta_rank);
  if (c.ortho_ddt) {
    text += fmt::format("; ortho-derivative: DDT {}, Walsh {}", histogram_text(*c.ortho_ddt),
                        histogram_text(*c.ortho_walsh));
  }
  return line("ccz", text.empty() ? "no values of this size" : text);
}

// A group's line; empty if the report lacks it.
std::string group_line(Group group, const Report& report) {
  switch (group) {
    case Group::basic:
      return report.basic ? basic_line(report) : "";
    case Group::differential:
      return report.differential ? differential_line(report) : "";
    case Group::linear:
      return report.coordinates ? linear_line(report) : "";
    case Group::components:
      return report.autocorrelation ? components_line(report) : "";
    case Group::boomerang:
      return report.boomerang ? boomerang_line(report) : "";
    case Group::algebra:
      return report.algebra ? algebra_line(report) : "";
    case Group::avalanche:
      return report.avalanche ? avalanche_line(report) : "";
    case Group::structure:
      return report.structures ? structure_line(report) : "";
    case Group::sidechannel:
      return report.transparency ? sidechannel_line(report) : "";
    case Group::ccz:
      return report.ccz ? ccz_line(report) : "";
  }
  return "";
}

}  // namespace

std::string report_sheet(const Report& report, const ReportOptions& options) {
  std::string text =
      fmt::format("{}, {} inputs, {} outputs\n", printable(report.name), report.inputs, report.outputs);
  for (const Group group : options.groups) {
    const auto left_out = report.left_out.find(group);
    text += left_out == report.left_out.end()
                ? group_line(group, report)
                : line(group_name(group),
                       fmt::format("{} on one core; --exhaustive", estimate_text(left_out->second)));
  }
  return text;
}

}  // namespace fugu::cli
