// The least representative of a box's class, and the class's numbers in published lists.
#include "fugu/spectral/equivalence/canonical.hpp"

#include <atomic>

#include "cli/sbox/operations.hpp"

namespace fugu::cli {
namespace {

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

}  // namespace

int run_canonical(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  SearchWork work(arguments, "guesses at the least representative", 0, search_seconds(arguments));
  const auto least =
      canonical(named.box, relation_of(arguments).value_or(spectral::Equivalence::affine), work.options());
  if (!least) return unfinished("the search");
  check_maps(least->witness, named.box, least->box);
  write_box(arguments, named.file, least->box);
  return kSuccess;
}

int run_class(const Arguments& arguments) {
  const std::vector<std::string> operands = box_operands(arguments, 1);
  if (operands.size() != 1)
    throw Error(Errc::usage,
                fmt::format("class takes one box, or with --batch one file, not {}", operands.size()));
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
