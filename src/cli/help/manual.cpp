// The manual page, generated from the table.
#include <fmt/ranges.h>

#include "cli/help/help.hpp"
#include "cli/process/console.hpp"
#include "cli/table/subcommands.hpp"
#include "fugu/spectral/lab/box_tables.hpp"
#include "fugu/spectral/lab/property.hpp"

namespace fugu::cli {
namespace {

namespace lab = spectral::lab;

struct Entry {
  std::string_view term;
  std::string_view text;
};

constexpr std::string_view kDescription[] = {
    "fugu encrypts files with Blowfish in its own format, sealed, which is authenticated. It also opens and "
    "writes the files of openssl enc with Blowfish, and headerless Blowfish with given parameters, and opens "
    "those that 'fugu formats' lists. It runs on the CPU and on NVIDIA GPUs. It also computes Walsh spectra.",
    "Without FILE, or if FILE is -, standard input is read. FILE becomes FILE.fugu and back; -o names "
    "another output. An output appears whole or not at all.",
    "Sizes take K, M and G or KiB, MiB and GiB: powers of 1024. Messages go to standard error, one line "
    "each; results go to standard output. -q prints errors only. An option that does not apply to a "
    "subcommand, a format or an operation is an error.",
};

constexpr std::string_view kMpiDescription[] = {
    "fugu-mpi is fugu for machines with MPI: mpirun starts it on several ranks, which process one file "
    "together, each its own part. The output is that of a single fugu process.",
    "Every rank must see FILE and the directory of the output under the same name. Rank 0 reads the "
    "passphrase or key, prints the messages, and gives the output its name once the data of all ranks is on "
    "the disk. If one rank fails or is killed, there is no output.",
    "The other ranks get the key encrypted under temporary keys, so that neither MPI's buffers nor "
    "eavesdroppers between the machines have it. Anyone who can alter the ranks' messages, or join as a "
    "rank, could get it.",
};

constexpr Entry kMpiExamples[] = {
    {"mpirun -n 16 fugu-mpi encrypt --pass file:secret archive.tar",
     "Writes archive.tar.fugu, a sixteenth by each rank."},
    {"mpirun -n 4 fugu-mpi verify --engine cuda:local --key file:key archive.tar.fugu",
     "Checks every byte on the GPUs of the machines."},
};

constexpr Entry kJsonShapes[] = {
    {"all",
     "One object, whose \"version\" is 1. New keys do not change the version; a change of meaning does. File "
     "names are unchanged but for JSON's escapes."},
    {"encrypt, decrypt, rekey, info, verify",
     "\"files\": a row per input, including failed ones, with \"file\", and \"error\" if it failed; if files "
     "are written also \"ok\", from encrypt \"output\"."},
    {"guess",
     "\"file\", \"tried\" (the number of recipes), \"close\" (how many of the first are about equally "
     "likely), \"recipes\": a row per recipe that fits, with \"command\", \"options\" (without the secret), "
     "\"bits\", \"plaintext_bytes\" (null if only the beginning was read), \"padding_bytes\", \"remark\" and "
     "\"same\" (options that give the same), and \"not_tried\"."},
    {"--lines, --csv, --match",
     "From decrypt and verify: \"messages\", \"opened\" and \"left\", the messages that stayed as they were, "
     "with \"line\", \"column\" (of a table) and \"reason\"; for tables and matches also \"others\", the "
     "number of fields or values that do not look encrypted."},
    {"formats",
     "\"formats\": a row per format with \"name\", \"summary\", \"extension\", \"made_by\", \"details\", "
     "\"wrong_secret\", \"recognised\", \"abilities\", \"passphrase\", \"max_key_bytes\" (0: takes no key) "
     "and \"options\"."},
    {"engines",
     "\"engines\": a row per engine with \"name\", \"available\", \"needs\", \"hardware\" and \"reason\"."},
    {"selftest",
     "\"rounds\", \"seed\", \"engines\": a row per check with \"engine\", \"checked\", \"ok\", \"vectors\", "
     "\"cross_checks\" and \"problem\"; unless one engine is named, \"sealed\" with \"ok\", \"files\", "
     "\"altered\" and \"problem\", and \"spectral\" with \"ok\", \"values\" and \"problem\"."},
    {"spectral",
     "nonlinearity: an object per function, an array of them for a batch, with \"variables\", "
     "\"nonlinearity\", \"max_abs\" of the spectrum, \"degree\" (-1 for the zero function) and "
     "\"histogram\", which is arrays of [coefficient, count]. properties: an object per function, one per "
     "line, whose keys are the columns of the text."},
    {"sbox",
     "report: an object per box, one per line with --batch; its keys are the columns of the CSV, and spectra "
     "are arrays of [value, count]. list: \"boxes\", with \"name\", \"size\" and \"origin\". table: "
     "\"rows\", arrays of numbers. spectrum: \"name\", \"table\", \"spectrum\" and \"scale\". components "
     "--exhaustive: \"name\", \"n\", \"m\", \"linearity\", \"nl\", \"nl_dist\" and \"masks\". "
     "\"conventions\" is the version of the definitions."},
    {"bench",
     "\"machine\", \"command\", \"results\": a row per measurement, with every sample under \"samples\"; "
     "\"times_openssl\" is null if OpenSSL has no corresponding row."},
};

constexpr Entry kEquivalence[] = {
    {"fugu sbox compare S T",
     "Prints the strongest relation that holds, with maps that show it and were checked for every x, or ends "
     "with status 7 and names the invariant that excludes even CCZ-equivalence. Stronger relations that do "
     "not hold are named with what excludes them. --relation asks for one relation. The last words, by ..., "
     "name what decided and its source. Before a search, power maps are compared by their exponents "
     "(Dempwolff 2018), and boxes of up to 16 inputs and outputs together by their numbers of Walsh-zero "
     "spaces."},
    {"linear, affine",
     "T(x) = B(S(A(x))), A and B linear or affine permutations, by the algorithm of Biryukov, De Canniere, "
     "Braeken and Preneel (EUROCRYPT 2003), for boxes of any shape up to 16 inputs and outputs; it is fast "
     "for permutations. For two equal boxes, --relation linear and --relation affine print the number of "
     "pairs (A, B)."},
    {"EA, CCZ",
     "T(x) = B(S(A(x))) + C(x), A and B affine permutations and C affine; an affine permutation L that maps "
     "the graph of S to that of T. Quadratic APN functions are compared by their ortho-derivatives "
     "(Canteaut, Couvreur and Perrin 2022), others as linear codes (Edel and Pott 2009), for up to 20 inputs "
     "and outputs together."},
    {"fugu sbox canonical S, class S",
     "canonical writes the first box, in the order of S(0), S(1) and so on, of those that are affinely or, "
     "with --relation linear, linearly equivalent to S: equivalent boxes have the same one. class says which "
     "class S is in, and how that was decided, in the lists of all permutations of 3 and 4 bits (4 and 302 "
     "affine classes, numbered by these first boxes), of the optimal ones of 4 bits (16), of functions of 3 "
     "and 4 variables (3 and 8 EA classes), APN functions of 6 variables (14 CCZ classes) and quadratic APN "
     "functions of 7 (488). With --batch: a number per line, that of the first list, or - for another box. "
     "Up to 8 inputs and outputs each."},
    {"fugu sbox spaces S",
     "The subspaces of dimension n of {(a, b): W(a,b) = 0 or (a, b) = 0}, by their thickness, the dimension "
     "of their projection to b (Canteaut and Perrin 2019): each gives a function that is CCZ-equivalent to "
     "S, and two that meet only in 0 give a permutation, which permutation prints. classes prints a function "
     "for each EA class among them; tu T prints maps and tables of a TU-decomposition (Perrin, Udovenko and "
     "Biryukov 2016), if a space has thickness T. Up to 20 inputs and outputs together."},
    {"undecided",
     "A search ends after about 60 s with status 8, unless an invariant separates the boxes first; "
     "--exhaustive searches to the end. Permutations of 8 bits usually take milliseconds."},
};

constexpr Entry kEnvironment[] = {
    {"XDG_CACHE_HOME, HOME", "Where fugu engines --calibrate keeps its measurements."},
    {"TMPDIR", "Where bench writes its files, unless --directory is given."},
    {"TERM", "On a dumb terminal progress is not redrawn; --progress prints lines there."},
    {"CUDA_VISIBLE_DEVICES", "The usable GPUs, as for every CUDA program."},
    {"OPENSSL_CONF, OPENSSL_MODULES",
     "As for every program with OpenSSL, whose legacy provider has Blowfish."},
};

constexpr Entry kFiles[] = {
    {"FILE.fugu", "The encrypted form of FILE."},
    {"~/.cache/fugu/engines",
     "What fugu engines --calibrate measured, for --engine auto. It can be removed at any time."},
};

constexpr Entry kExamples[] = {
    {"fugu encrypt letter.txt",
     "Writes letter.txt.fugu and asks for a passphrase; an empty answer generates one."},
    {"fugu decrypt letter.txt.fugu", "Writes letter.txt."},
    {"tar c photos | fugu encrypt --pass file:secret -o photos.tar.fugu", "Encrypts the data from a pipe."},
    {"fugu encrypt -r --output-dir /backup --key file:key photos",
     "Writes every file in and below photos under /backup, many at a time; decrypt -r reverses it."},
    {"find . -name '*.pdf' -print0 | fugu encrypt -0 --files-from - --rm",
     "Encrypts the files that find prints, and removes each once its output is on the disk."},
    {"fugu verify --pass file:secret photos.tar.fugu",
     "Checks that every byte is authentic and writes nothing."},
    {"fugu decrypt -o old.txt old.enc", "Opens a file of openssl enc -bf-cbc, with or without -pbkdf2."},
    {"fugu encrypt --format openssl --pass env:PASS report",
     "Writes a file that openssl enc -d -bf-cbc -pbkdf2 opens."},
    {"fugu decrypt --lines --hex --format raw --mode ecb --key file:key -o column.txt column.hex",
     "Opens a column that was exported from a database, a message per line."},
    {"fugu decrypt --csv --column card --format raw --mode cbc --iv prefix --key file:key -o open.csv "
     "table.csv",
     "Opens the column card of a table, and leaves everything else as it is."},
    {"fugu bench --scope kernel --engine cuda:0 --grid default --threads-per-block 64,128,256,512 --csv",
     "Runs a GPU's kernels with each of these numbers of blocks and of threads per block, a line per "
     "sample."},
    {"fugu spectral nonlinearity --from hex sbox.hex",
     "Prints how far a Boolean function is from all affine ones."},
};

std::string upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

// Escapes for man(7): real hyphens, and no line that begins with a request.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '-') {
      result += "\\-";
    } else if (c == '\\') {
      result += "\\e";
    } else if ((c == '.' || c == '\'') && result.empty()) {
      result += fmt::format("\\&{}", c);
    } else {
      result += c;
    }
  }
  return result;
}

std::string section(std::string_view title, std::span<const Entry> entries) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const Entry& entry : entries)
    text += fmt::format(".TP\n.B {}\n{}\n", troff(entry.term), troff(entry.text));
  return text;
}

// The rows of one of the laboratory's tables that have a name.
template <class Rows, class Name>
std::string definitions_section(std::string_view title, Rows rows, Name name) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const auto& row : rows)
    if (!(row.*name).empty())
      text += fmt::format(".TP\n.B {}\n{}.\n", troff(row.*name), troff(definition(row)));
  return text;
}

std::string manual_subcommand(const Subcommand& subcommand) {
  return fmt::format(".SS {} {} [options] {}\n{}: {}\n", program_name(),
                     troff(fmt::format("{}", fmt::join(names_of(subcommand), ", "))), subcommand.operands,
                     troff(subcommand.summary), troff(subcommand.details));
}

// An option is listed once, with a text per group of subcommands in which its meaning is the same; those of
// formats once per format.
struct Meaning {
  OptionSpec option;
  std::vector<std::string_view> subcommands;
};
struct ManualOption {
  std::string_view group;
  std::string_view format;
  std::string_view name;
  std::vector<Meaning> meanings;
};

void add(std::vector<ManualOption>& options, const Subcommand& subcommand, const OptionGroup& group,
         const OptionSpec& option) {
  auto known = std::ranges::find_if(options, [&](const ManualOption& entry) {
    return entry.name == option.name && entry.format == group.format;
  });
  if (known == options.end()) known = options.insert(known, {group.title, group.format, option.name, {}});
  const auto same = std::ranges::find_if(
      known->meanings, [&](const Meaning& meaning) { return meaning.option.help == option.help; });
  if (same != known->meanings.end()) {
    same->subcommands.push_back(subcommand.name);
  } else {
    known->meanings.push_back({option, {subcommand.name}});
  }
}

std::vector<ManualOption> manual_options() {
  std::vector<ManualOption> options;
  for (const Subcommand& subcommand : subcommands())
    for (const OptionGroup* group : subcommand.groups)
      for (const OptionSpec& option : group->options) add(options, subcommand, *group, option);
  return options;
}

std::string manual_option(const ManualOption& entry) {
  const OptionSpec& first = entry.meanings.front().option;
  std::string text = ".TP\n";
  if (first.letter != 0) text += fmt::format("\\fB\\-{}\\fR, ", first.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", troff(first.name));
  if (!first.argument.empty()) text += fmt::format(" \\fI{}\\fR", first.argument);
  text += "\n";
  for (const Meaning& meaning : entry.meanings)
    text += fmt::format("{}{} ({})\n", &meaning == &entry.meanings.front() ? "" : ".br\n",
                        troff(meaning.option.help), fmt::join(meaning.subcommands, ", "));
  return text;
}

// Group after group, each at its first occurrence.
std::string manual_options_text() {
  const std::vector<ManualOption> options = manual_options();
  std::vector<std::string_view> groups;
  for (const ManualOption& option : options)
    if (std::ranges::count(groups, option.group) == 0) groups.push_back(option.group);
  std::string text = ".SH OPTIONS\nThe subcommands that take an option follow it in parentheses.\n";
  for (const std::string_view group : groups) {
    text += fmt::format(".SS {}\n", group);
    for (const ManualOption& option : options)
      if (option.group == group) text += manual_option(option);
  }
  return text;
}

}  // namespace

std::string option_help(std::string_view name) {
  std::string text;
  for (const ManualOption& entry : manual_options()) {
    for (const Meaning& meaning : entry.meanings) {
      const std::string help =
          fmt::format("{} ({}{}{})", meaning.option.help, fmt::join(meaning.subcommands, ", "),
                      entry.format.empty() ? "" : " --format ", entry.format);
      OptionSpec option = meaning.option;
      option.help = help;
      if (entry.name == name) text += options_text({&option, 1});
    }
  }
  return text;
}

std::string manual_page() {
  using Paragraphs = std::span<const std::string_view>;
  const bool is_fugu = program_name() == "fugu";
  std::string text =
      fmt::format(".TH {} 1 \"\" \"{}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", upper(program_name()),
                  version_text(), troff(program_name()), troff(program().about), troff(program().synopsis));
  text += ".I SUBCOMMAND\n[options] [\\fIFILE\\fR...]\n.SH DESCRIPTION\n";
  for (const std::string_view paragraph : is_fugu ? Paragraphs(kDescription) : Paragraphs(kMpiDescription))
    text += fmt::format(".PP\n{}\n", troff(paragraph));
  text += section("EXAMPLES", is_fugu ? std::span<const Entry>(kExamples) : kMpiExamples);
  text += ".SH SUBCOMMANDS\n";
  for (const Subcommand& subcommand : subcommands()) text += manual_subcommand(subcommand);
  text += manual_options_text();
  if (is_fugu) {
    text += section("JSON", kJsonShapes);
    text += definitions_section("TABLES OF S-BOXES", lab::box_tables(), &lab::BoxTable::name);
    text += definitions_section("PROPERTIES OF S-BOXES", lab::box_properties(), &lab::BoxProperty::column);
    text += section("EQUIVALENCE OF S-BOXES", kEquivalence);
    text += definitions_section("PROPERTIES OF BOOLEAN FUNCTIONS", lab::function_properties(),
                                &lab::FunctionProperty::column);
  }
  text += ".SH EXIT STATUS\n";
  for (const StatusRow& status : statuses())
    text += fmt::format(".TP\n.B {}\n{}\n", status.status, troff(status.meaning));
  if (!is_fugu) return text + ".SH SEE ALSO\n.BR fugu (1),\n.BR mpirun (1)\n";
  text += fmt::format(".PP\n{}\n", kSeveral);
  text += section("ENVIRONMENT", kEnvironment) + section("FILES", kFiles);
  return text + ".SH SEE ALSO\n.BR fugu\\-recipes (7),\n.BR openssl\\-enc (1),\n.BR age (1)\n";
}

}  // namespace fugu::cli
