// Invariants as text, the answers of compare, and what Walsh-zero spaces make of a box.
#include "cli/sbox/operations.hpp"
#include "fugu/spectral/equivalence/canonical.hpp"
#include "fugu/spectral/equivalence/walsh_zeros.hpp"

namespace fugu::cli {
namespace {

using spectral::AffineMap;
using spectral::Answer;
using spectral::Equivalence;
using spectral::SBox;
using spectral::Verdict;
using spectral::WalshZeroSpaces;

struct InvariantText {
  std::string operator()(std::uint64_t rank) const { return std::to_string(rank); }
  std::string operator()(spectral::Digest digest) const { return fmt::format("{:016x}", digest.value); }
  std::string operator()(const spectral::Histogram& histogram) const { return histogram_text(histogram); }
};

std::string text_of(const std::optional<spectral::InvariantValue>& value) {
  return value ? std::visit(InvariantText(), *value) : "none";
}

// Options, with progress, for the invariants of `boxes` boxes of this shape. Throws if they take long and
// --exhaustive was not given.
spectral::InvariantOptions invariant_options(const Arguments& arguments, const SBox& box, unsigned boxes,
                                             bool slow_ranks) {
  spectral::InvariantOptions options{.work = {.threads = 1}, .slow_ranks = slow_ranks};
  require_asked(arguments, "the invariants", boxes * invariant_seconds(box, options));
  options.work.threads = thread_count(arguments);
  const double seconds = boxes * invariant_seconds(box, options);
  options.work.begin = [&arguments, seconds](std::uint64_t steps) {
    return shown_work(arguments, "the invariants", steps, seconds, "steps");
  };
  return options;
}

constexpr Choice<Equivalence> kRelations[] = {{"linear", Equivalence::linear},
                                              {"affine", Equivalence::affine},
                                              {"ea", Equivalence::ea},
                                              {"ccz", Equivalence::ccz}};

std::optional<Equivalence> relation_of(const Arguments& arguments) {
  return choice_value(arguments, "relation", kRelations);
}

std::string guesses_at(Equivalence relation) {
  return fmt::format("guesses at maps of {}-equivalence", to_string(relation));
}

std::vector<Answer> decided(const Arguments& arguments, const SBox& s, const SBox& t, bool exhaustive) {
  const std::optional<Equivalence> relation = relation_of(arguments);
  const auto invariants = invariant_options(arguments, s, 2, exhaustive);
  const double seconds =
      exhaustive ? 0 : spectral::kSearchSeconds + 2 * spectral::invariant_seconds(s, invariants);
  std::map<Equivalence, spectral::Progress> works;
  const auto done = [&](Equivalence of, std::uint64_t steps) {
    spectral::Progress& work = works[of];
    if (!work) work = search_work(arguments, guesses_at(of), 0, seconds);
    work(steps);
  };
  return decide(s, t, relation.value_or(Equivalence::linear), relation.value_or(Equivalence::ccz),
                {.invariants = invariants, .seconds = seconds, .done = done});
}

// From that of bit 0 on, each with the column of bit 0 first.
std::vector<std::string> map_rows(const AffineMap& map) {
  std::vector<std::string> rows(static_cast<std::size_t>(map.outputs));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::uint32_t column : map.columns) rows[i] += (column >> i & 1) != 0 ? '1' : '0';
  return rows;
}

// "A(x) = M x + 0x1f, M =", and the rows of M from y_0 down, each with its column of x_0 first.
std::string map_text(std::string_view name, const AffineMap& map) {
  return fmt::format("{}(x) = M x + {:#x}, M =\n{}\n", name, map.constant, fmt::join(map_rows(map), "\n"));
}

std::string witness_text(const spectral::Witness& witness) {
  if (witness.relation == Equivalence::ccz)
    return "L maps (S(x), x), bits of S(x) first, to (T(y), y)\n" + map_text("L", witness.l);
  const std::string ab = map_text("A", witness.a) + map_text("B", witness.b);
  if (witness.relation != Equivalence::ea) return "T(x) = B(S(A(x)))\n" + ab;
  return "T(x) = B(S(A(x))) + C(x)\n" + ab + map_text("C", witness.c);
}

nlohmann::ordered_json maps_json(const spectral::Witness& witness) {
  nlohmann::ordered_json maps;
  for (const auto& [name, map] : {std::pair("A", &witness.a), std::pair("B", &witness.b),
                                  std::pair("C", &witness.c), std::pair("L", &witness.l)}) {
    if (map->columns.empty()) continue;
    maps[name] = {{"rows", map_rows(*map)}, {"constant", map->constant}};
  }
  return maps;
}

std::string reason_text(const Answer& answer) {
  const auto& difference = answer.difference;
  const std::string text = difference ? fmt::format("{}: {} and {}", difference->name,
                                                    text_of(difference->first), text_of(difference->second))
                                      : fmt::format("{} guesses ruled out every possible map", answer.steps);
  return fmt::format("{}; by {}", text, answer.by);
}

std::string denial_text(const Answer& answer) {
  const Equivalence denied = answer.difference ? answer.difference->equivalence : answer.relation;
  const std::string also =
      denied == answer.relation ? "" : fmt::format(" and so not {}-equivalent", to_string(answer.relation));
  return fmt::format("not {}-equivalent{}: {}", to_string(denied), also, reason_text(answer));
}

std::string doubt_text(const Answer& answer, const SBox& box) {
  const std::string why =
      has_search(box, answer.relation)
          ? fmt::format("{} guesses at the maps were not enough; --exhaustive tries all", answer.steps)
          : "the boxes are too large for a search";
  return fmt::format("{}-equivalence is undecided: the invariants agree, and {}", to_string(answer.relation),
                     why);
}

// Why each other relation does not hold, or is undecided; a denial that covers several is one line.
std::string others_text(const std::vector<Answer>& answers, const SBox& box) {
  std::string text;
  for (const Answer& answer : answers) {
    if (answer.difference && answer.relation < answer.difference->equivalence)
      continue;  // a later answer says it
    if (answer.verdict == Verdict::inequivalent) text += denial_text(answer) + "\n";
    if (answer.verdict == Verdict::undecided) text += doubt_text(answer, box) + "\n";
  }
  return text;
}

constexpr std::string_view kVerdicts[] = {"equivalent", "not equivalent", "undecided"};

nlohmann::ordered_json answer_json(const Answer& answer, const SBox& box) {
  nlohmann::ordered_json object{{"relation", to_string(answer.relation)},
                                {"answer", kVerdicts[static_cast<std::size_t>(answer.verdict)]},
                                {"by", answer.by}};
  if (answer.verdict == Verdict::inequivalent) object["reason"] = denial_text(answer);
  if (answer.verdict == Verdict::undecided) object["reason"] = doubt_text(answer, box);
  if (answer.witness) object["maps"] = maps_json(*answer.witness);
  return object;
}

int status_of(Verdict verdict) {
  if (verdict == Verdict::undecided) return kUndecided;
  return verdict == Verdict::equivalent ? kSuccess : exit_status(Errc::mismatch);
}

// Empty where none is asked for, or none can be counted.
struct SelfEquivalences {
  Equivalence relation;
  std::optional<std::string> count;  // empty: too many guesses
};

std::optional<SelfEquivalences> self_equivalences_of(const Arguments& arguments, const SBox& box) {
  const std::optional<Equivalence> relation = relation_of(arguments);
  if (!relation || *relation >= Equivalence::ea || !has_search(box, *relation)) return std::nullopt;
  return SelfEquivalences{
      *relation, self_equivalences(box, *relation, search_options(arguments, guesses_at(*relation)))};
}

std::string equal_text(const Arguments& arguments, const SBox& box) {
  std::string text = "equal: S(x) is the same for every x\n";
  if (const auto own = self_equivalences_of(arguments, box))
    text += fmt::format("{} self-equivalences: {}\n", to_string(own->relation),
                        own->count.value_or("counted only with --exhaustive"));
  return text;
}

void write_json(const Arguments& arguments, const NamedBox& first, const NamedBox& second,
                const std::vector<Answer>& answers) {
  const bool equal = first.box == second.box;
  nlohmann::ordered_json object{{"version", kJsonVersion},
                                {"boxes", {first.name, second.name}},
                                {"equal", equal},
                                {"answers", nlohmann::ordered_json::array()}};
  for (const Answer& answer : answers) object["answers"].push_back(answer_json(answer, first.box));
  if (const auto own = equal ? self_equivalences_of(arguments, first.box) : std::nullopt)
    object["self_equivalences"] = {{"relation", to_string(own->relation)},
                                   {"count", own->count ? nlohmann::ordered_json(*own->count) : nullptr}};
  write_text(arguments, first.file, json_text(object));
}

WalshZeroSpaces spaces_of(const SBox& box, const Arguments& arguments) {
  return spectral::walsh_zero_spaces(box, search_options(arguments, "steps to Walsh-zero spaces"));
}

std::optional<spectral::Image> permutation_shown(const SBox& box, const WalshZeroSpaces& found,
                                                 const Arguments& arguments) {
  const auto begin = [&](std::uint64_t pairs) {
    return search_work(arguments, "pairs of Walsh-zero spaces", pairs, 0);
  };
  return permutation_of(box, found.spaces, {.begin = begin});
}

std::optional<std::vector<spectral::Image>> classes_shown(const SBox& box, const WalshZeroSpaces& found,
                                                          const Arguments& arguments) {
  const spectral::Progress made =
      search_work(arguments, "functions of Walsh-zero spaces", found.spaces.size(), 0);
  return ea_classes(box, found.spaces,
                    {.deadline = spectral::deadline_after(search_seconds(arguments)),
                     .done = [&](std::uint64_t) { made(0); }},
                    made);
}

// More spaces than are kept, or more steps.
int undecided(const WalshZeroSpaces& found) {
  say_note(fmt::format("undecided: {} steps found {} Walsh-zero spaces, and there may be more{}", found.steps,
                       found.spaces.size(),
                       found.spaces.size() < spectral::kMaxZeroSpaces ? "; --exhaustive finds all" : ""));
  return kUndecided;
}

template <class At>
std::string matrix_text(std::uint32_t rows, std::uint32_t columns, At at) {
  std::string text;
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j)
      text += fmt::format("{}{}", at(i, j), j + 1 == columns ? '\n' : ' ');
  return text;
}

// The low bits of the values are T_y(x), the high ones U_x(y).
std::string tables_text(const SBox& box, int t) {
  const std::uint32_t xs = std::uint32_t{1} << t;
  const auto ys = static_cast<std::uint32_t>(box.size()) / xs;
  return "T, a row per y:\n" +
         matrix_text(ys, xs, [&](std::uint32_t y, std::uint32_t x) { return box[y * xs + x] % xs; }) +
         "U, a row per x:\n" +
         matrix_text(xs, ys, [&](std::uint32_t x, std::uint32_t y) { return box[y * xs + x] / xs; });
}

using spectral::ListedClass;
using Classes = std::optional<std::vector<ListedClass>>;

std::string class_text(const ListedClass& found) {
  return fmt::format("{} class {} of {}, numbered {} to {}: {} ({}); by {}\n", to_string(found.relation),
                     found.number, found.classes, found.first, found.first + found.classes - 1, found.list,
                     found.origin, found.by);
}

std::string classes_text(const NamedBox& named, const Classes& classes, const Arguments& arguments) {
  const bool batch = arguments.has("batch");
  if (arguments.has("json")) {
    nlohmann::ordered_json object{{"version", kJsonVersion},
                                  {"name", named.name},
                                  {"classes", classes ? nlohmann::ordered_json::array() : nullptr}};
    for (const ListedClass& found : classes.value_or(std::vector<ListedClass>()))
      object["classes"].push_back({{"list", found.list},
                                   {"of", found.classes},
                                   {"first", found.first},
                                   {"number", found.number},
                                   {"relation", to_string(found.relation)},
                                   {"by", found.by},
                                   {"origin", found.origin}});
    return batch ? json_line(object) : json_text(object);
  }
  if (!classes) return batch ? "?\n" : "";
  if (batch) return classes->empty() ? "-\n" : fmt::format("{}\n", classes->front().number);
  std::string text;
  for (const ListedClass& found : *classes) text += class_text(found);
  return text.empty() ? "in none of the lists of classes\n" : text;
}

// Nothing found is written unchecked.
void check_maps(const spectral::Witness& witness, const SBox& s, const SBox& t) {
  if (!holds(witness, s, t))
    throw Error(Errc::engine, "the maps found do not fit the boxes; nothing was written");
}

int unfinished(std::string_view what) {
  say_note(fmt::format("undecided: {} was not finished; --exhaustive finishes it", what));
  return kUndecided;
}

}  // namespace

void run_invariants(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  std::string text;
  const auto options = invariant_options(arguments, named.box, 1, arguments.has("exhaustive"));
  for (const spectral::Invariant& invariant : spectral::invariants(named.box, options)) {
    text += fmt::format("{:<7} {}: {}\n", to_string(invariant.equivalence), invariant.name,
                        std::visit(InvariantText(), invariant.value));
  }
  write_report(arguments, named.file, text);
}

int run_compare(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() != 3) refuse("compare takes two boxes");
  const NamedBox first = read_one_box(operands[1], arguments);
  const NamedBox second = read_one_box(operands[2], arguments);
  const bool json = arguments.has("json");
  if (first.box == second.box) {
    if (json)
      write_json(arguments, first, second, {});
    else
      write_report(arguments, first.file, equal_text(arguments, first.box));
    return kSuccess;
  }
  std::vector<Answer> answers = decided(arguments, first.box, second.box, false);
  if (answers.back().verdict == Verdict::undecided && arguments.has("exhaustive"))
    answers = decided(arguments, first.box, second.box, true);
  const Answer& last = answers.back();
  if (last.witness) check_maps(*last.witness, first.box, second.box);
  if (json) {
    write_json(arguments, first, second, answers);
    return status_of(last.verdict);
  }
  if (last.verdict == Verdict::inequivalent) throw Error(Errc::mismatch, denial_text(last));
  if (last.verdict == Verdict::undecided) {
    write_report(arguments, first.file, others_text(answers, first.box));
    return kUndecided;
  }
  write_report(arguments, first.file,
               fmt::format("{}-equivalent: ", to_string(last.relation)) + witness_text(*last.witness) +
                   fmt::format("by {}\n", last.by) + others_text(answers, first.box));
  return kSuccess;
}

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
  throw Error(
      Errc::mismatch,
      fmt::format("no permutation is CCZ-equivalent to this box: no two of the {} Walsh-zero spaces meet "
                  "only in 0; nothing was written",
                  found.spaces.size()));
}

int run_classes(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  const WalshZeroSpaces found = spaces_of(named.box, arguments);
  if (!found.complete) return undecided(found);
  const auto classes = classes_shown(named.box, found, arguments);
  if (!classes) return unfinished("a search for EA-equivalence");
  std::string text;
  for (const spectral::Image& image : *classes)
    text += fmt::format("{}\n", fmt::join(image.box.values(), " "));
  write_text(arguments, named.file, text);
  return kSuccess;
}

int run_tu(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const auto t = operands.size() < 2 ? std::nullopt : word_of(operands[1], 5);
  if (!t || *t == 0) refuse("tu needs t, the number of bits that each T permutes");
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
  check_maps(tu->witness, named.box, tu->box);
  const auto& [relation, a, b, c, l] = tu->witness;
  const bool adds = c != spectral::AffineMap{c.outputs, std::vector<std::uint32_t>(c.columns.size()), 0};
  std::string text = fmt::format("B(S(A(z))){} = (T_y(x), U_x(y)), z = (x, y), x and T in the {} low bits\n",
                                 adds ? " + C(z)" : "", *t);
  text += map_text("A", a) + map_text("B", b) + (adds ? map_text("C", c) : "");
  write_report(arguments, named.file, text + tables_text(tu->box, static_cast<int>(*t)));
  return kSuccess;
}

int run_canonical(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  const auto least = canonical(named.box, relation_of(arguments).value_or(Equivalence::affine),
                               search_options(arguments, "guesses at the least representative"));
  if (!least) return unfinished("the search");
  check_maps(least->witness, named.box, least->box);
  write_box(arguments, named.file, least->box);
  return kSuccess;
}

int run_class(const Arguments& arguments) {
  const std::vector<std::string> operands = box_operands(arguments, 1);
  if (operands.size() != 1) refuse("class takes one box, or with --batch one file, not {}", operands.size());
  const Boxes boxes(operands[0], arguments);
  std::vector<std::string> texts(boxes.size());
  std::atomic<bool> undecided = false;
  threads::ThreadPool pool(thread_count(arguments));
  pool.for_each(boxes.size(), [&](std::size_t i) {
    const std::optional<NamedBox> named = boxes.read(i, 1)[0];
    if (!named) return;
    const Classes classes =
        classes_of(named->box, {.deadline = spectral::deadline_after(search_seconds(arguments))});
    undecided = undecided || !classes;
    texts[i] = classes_text(*named, classes, arguments);
  });
  write_report(arguments, boxes.file(), fmt::format("{}", fmt::join(texts, "")));
  boxes.report_refused();
  return undecided ? unfinished("a search") : kSuccess;
}

}  // namespace fugu::cli
