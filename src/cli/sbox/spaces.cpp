// Walsh-zero spaces, and what they make of a box.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "cli/lab/property_text.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/equivalence/walsh_zeros.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;
using spectral::WalshZeroSpaces;

WalshZeroSpaces spaces_of(const SBox& box, const Arguments& arguments) {
  SearchWork work(arguments, "steps to Walsh-zero spaces", 0, search_seconds(arguments));
  return spectral::walsh_zero_spaces(box, work.options());
}

std::optional<spectral::CczImage> permutation_shown(const SBox& box, const WalshZeroSpaces& found,
                                                    const Arguments& arguments) {
  const auto begin = [&](std::uint64_t pairs) -> spectral::Progress {
    const auto work = std::make_shared<SearchWork>(arguments, "pairs of Walsh-zero spaces", pairs, 0);
    return [work](std::uint64_t done) { work->advance(done); };
  };
  return permutation_of(box, found.spaces, {.begin = begin});
}

std::optional<std::vector<spectral::CczImage>> classes_shown(const SBox& box, const WalshZeroSpaces& found,
                                                             const Arguments& arguments) {
  SearchWork work(arguments, "functions of Walsh-zero spaces", found.spaces.size(), 0);
  return ea_classes(box, found.spaces,
                    {.deadline = spectral::deadline_after(search_seconds(arguments)),
                     .done = [&](std::uint64_t) { work.advance(0); }},
                    [&](std::uint64_t made) { work.advance(made); });
}

// More spaces than are kept, or more steps.
int undecided(const WalshZeroSpaces& found) {
  say_note(fmt::format("undecided: {} steps found {} Walsh-zero spaces, and there may be more{}", found.steps,
                       found.spaces.size(),
                       found.spaces.size() < spectral::kMaxZeroSpaces ? "; --exhaustive goes on" : ""));
  return kUndecided;
}

// A row per line, each of its low or high bits.
std::string tables_text(const SBox& box, int t) {
  const std::uint32_t xs = std::uint32_t{1} << t;
  const auto ys = static_cast<std::uint32_t>(box.size()) / xs;
  std::string text = "T, a row per y:\n";
  for (std::uint32_t y = 0; y < ys; ++y) {
    for (std::uint32_t x = 0; x < xs; ++x)
      text += fmt::format("{}{}", x == 0 ? "" : " ", box[y * xs + x] % xs);
    text += "\n";
  }
  text += "U, a row per x:\n";
  for (std::uint32_t x = 0; x < xs; ++x) {
    for (std::uint32_t y = 0; y < ys; ++y)
      text += fmt::format("{}{}", y == 0 ? "" : " ", box[y * xs + x] / xs);
    text += "\n";
  }
  return text;
}

}  // namespace

int run_spaces(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  const WalshZeroSpaces found = spaces_of(named.box, arguments);
  if (!found.complete) return undecided(found);
  const bool permutation = permutation_shown(named.box, found, arguments).has_value();
  write_report(arguments, named.file,
               fmt::format("Walsh-zero spaces {}\nthickness {}\nCCZ-equivalent to a permutation {}\n",
                           found.spaces.size(), histogram_text(thickness_spectrum(found.spaces)),
                           permutation ? "yes" : "no"));
  return kSuccess;
}

int run_permutation(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  const WalshZeroSpaces found = spaces_of(named.box, arguments);
  if (const auto image = permutation_shown(named.box, found, arguments)) {
    write_box(arguments, named.file, image->box);
    return kSuccess;
  }
  if (!found.complete) return undecided(found);
  throw Error(Errc::mismatch,
              fmt::format("no permutation is CCZ-equivalent: no two of the {} Walsh-zero spaces meet "
                          "in 0 only; nothing was written",
                          found.spaces.size()));
}

int run_classes(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  const WalshZeroSpaces found = spaces_of(named.box, arguments);
  if (!found.complete) return undecided(found);
  const auto classes = classes_shown(named.box, found, arguments);
  if (!classes) {
    say_note("undecided: a search of EA-equivalence was not finished; --exhaustive goes on");
    return kUndecided;
  }
  std::string text;
  for (const spectral::CczImage& image : *classes)
    text += fmt::format("{}\n", fmt::join(image.box.values(), " "));
  write_text(arguments, named.file, text);
  return kSuccess;
}

int run_tu(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const auto t = operands.size() < 2 ? std::nullopt : word_of(operands[1], 5);
  if (!t || *t == 0) throw Error(Errc::usage, "tu needs t, the number of bits that the T permute");
  const NamedBox named = read_only_box(arguments, 2);
  const WalshZeroSpaces found = spaces_of(named.box, arguments);
  const auto tu = tu_decomposition(named.box, found.spaces, static_cast<int>(*t));
  if (!tu && !found.complete) return undecided(found);
  if (!tu) {
    throw Error(
        Errc::mismatch,
        fmt::format("no TU-decomposition with t = {}: none of the {} Walsh-zero spaces has this thickness",
                    *t, found.spaces.size()));
  }
  if (!holds(tu->witness, named.box, tu->box))
    throw Error(Errc::engine, "the maps found do not fit the box; nothing was written");
  const auto& [relation, a, b, c, l] = tu->witness;
  const bool adds = c != spectral::AffineMap{c.outputs, std::vector<std::uint32_t>(c.columns.size()), 0};
  std::string text = fmt::format("B(S(A(z))){} = (T_y(x), U_x(y)), z = (x, y), x and T the {} lowest bits\n",
                                 adds ? " + C(z)" : "", *t);
  text += map_text("A", a) + map_text("B", b) + (adds ? map_text("C", c) : "");
  write_report(arguments, named.file, text + tables_text(tu->box, static_cast<int>(*t)));
  return kSuccess;
}

}  // namespace fugu::cli
