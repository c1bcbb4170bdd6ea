#include "cli/table/subcommands.hpp"

#include <fmt/ranges.h>

#include <deque>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/table/subcommand_rows.hpp"
#include "fugu/spectral/lab/model.hpp"
#include "fugu/spectral/lab/property.hpp"

namespace fugu::cli {
namespace {

constexpr UsageRow kCommonest[] = {
    {"fugu encrypt FILE", "Write FILE.fugu under a passphrase."},
    {"fugu decrypt FILE", "Open FILE.fugu, or a file of another program ('fugu formats')."},
    {"fugu verify FILE", "Check that a file decrypts, and write nothing."},
    {"fugu info FILE", "Print what a file's header says, without a key."},
    {"fugu sbox report BOX", "Measure an S-box; 'fugu spectral' is for functions."},
};
constexpr UsageRow kMpiCommonest[] = {
    {"fugu-mpi encrypt FILE", "Write FILE.fugu, a part by each rank; --pass or --key is needed."},
    {"fugu-mpi decrypt FILE", "Open FILE.fugu."},
    {"fugu-mpi spectral walsh", "Transform a file of values in the memories of all ranks."},
};

// A text of the laboratory with what the library's tables say in the places of names in braces.
std::string with_library_texts(std::string_view text) {
  using spectral::lab::BoxTable;
  const auto names = [](bool (*chosen)(const BoxTable&)) {
    return alternatives(spectral::lab::table_names(chosen));
  };
  return fmt::format(fmt::runtime(text), fmt::arg("tables", names(nullptr)),
                     fmt::arg("signed_tables", names([](const BoxTable& table) { return table.is_signed; })),
                     fmt::arg("model_forms", alternatives(spectral::lab::model_forms())),
                     fmt::arg("on_gpu", spectral::lab::names_on_gpu()));
}

// The table with the formats' groups and the libraries' texts inserted, and the storage for these.
class Table {
 public:
  Table() : subcommands_(program().subcommands.begin(), program().subcommands.end()) {
    for (Subcommand& subcommand : subcommands_) {
      std::vector<const OptionGroup*> groups(subcommand.groups.begin(), subcommand.groups.end());
      if (subcommand.run == run_sbox) {
        std::ranges::transform(groups, groups.begin(),
                               [&](const OptionGroup* group) { return filled(*group); });
        subcommand.groups = groups_.emplace_back(std::move(groups));
        subcommand.details = details_.emplace_back(with_library_texts(subcommand.details));
        continue;
      }
      const auto place = std::ranges::find(groups, &kFormats);
      if (place == groups.end()) continue;
      const FormatUse use = subcommand.name == "encrypt"   ? FormatUse::encrypt
                            : subcommand.name == "decrypt" ? FormatUse::decrypt
                            : subcommand.name == "rekey"   ? FormatUse::rekey
                                                           : FormatUse::verify;
      std::ranges::transform(format_groups(use), std::inserter(groups, groups.erase(place)),
                             [](const OptionGroup& group) { return &group; });
      subcommand.groups = groups_.emplace_back(std::move(groups));
      subcommand.details = details_.emplace_back(details_with_formats(subcommand.details));
    }
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::span<const Subcommand> subcommands() const { return subcommands_; }

 private:
  const OptionGroup* filled(const OptionGroup& group) {
    std::vector<OptionSpec> options(group.options.begin(), group.options.end());
    for (OptionSpec& option : options) option.help = details_.emplace_back(with_library_texts(option.help));
    OptionGroup& filled = filled_.emplace_back(group);
    filled.options = options_.emplace_back(std::move(options));
    return &filled;
  }

  std::vector<Subcommand> subcommands_;
  std::deque<OptionGroup> filled_;
  std::deque<std::vector<OptionSpec>> options_;
  std::deque<std::vector<const OptionGroup*>> groups_;
  std::deque<std::string> details_;
};

using format::Ability;
using format::Codec;
using format::OptionRow;
using format::OptionUse;

constexpr OptionSpec kTextOptions[] = {
    {"base64", 'a', "",
     "Base64 in lines of 64 characters, as openssl enc -a writes it. Read in either alphabet, with or "
     "without the '=' at the end, in quotes, with the escapes of URLs (%2B) or JSON (\\/), in armor, and "
     "with blanks for +."},
    {"single-line", 'A', "",
     "Base64 in one line, as from openssl enc -a -A; with --hex, digits in one line."},
    {"hex", 0, "",
     "Hexadecimal digits in lines of 60, as from xxd -p. Read also as 0xC97F, \\xc97f, X'c97f', c9:7f or "
     "c9-7f, and \\xc9\\x7f; and so are lists of numbers ([-55, 127], {0xC9, 0x7F}, $C9), b'\\xc9a', %C9a, "
     "and what xxd and hexdump -C print. -a reads these, too."},
};
constexpr OptionPair kTextApart[] = {
    {"base64", "hex"}, {"base64", "signed-hex"}, {"hex", "signed-hex"}, {"single-line", "signed-hex"}};
constexpr OptionSpec kSignedHexOption{"signed-hex", 0, "",
                                      "A hexadecimal number that may have a minus sign and lacks leading "
                                      "zeros, as Java's BigInteger writes it."};
constexpr OptionSpec kAcceptOption{
    "yes", 0, "", "Go on even if a wrong passphrase could by chance fit the parameters that were found."};
constexpr OptionSpec kSalvageOption{
    "salvage", 0, "",
    "Write what can be saved of a damaged file; status 4. What is lost inside becomes zeros where the format "
    "shows its place, and what passed no check may be wrong."};

// An option that leaves out a part of the content has no meaning where the whole is checked.
bool is_offered(const OptionRow& row, FormatUse use) {
  if (use == FormatUse::rekey || row.use == OptionUse::rekey) return use == FormatUse::rekey && row.rekeys;
  if (use == FormatUse::encrypt) return row.use != OptionUse::open;
  if (use == FormatUse::verify && row.name == "range") return false;
  return row.use != OptionUse::seal;
}

std::vector<const Codec*> codecs_for(FormatUse use) {
  const Ability needed = use == FormatUse::encrypt ? Ability::seal
                         : use == FormatUse::rekey ? Ability::rekey
                                                   : Ability::open;
  std::vector<const Codec*> fit;
  for (const Codec* codec : format::codecs())
    if (codec->can(needed)) fit.push_back(codec);
  return fit;
}

// The rows of one use, and the storage they point to.
class Groups {
 public:
  explicit Groups(FormatUse use) {
    if (use != FormatUse::rekey) add_common(use);
    for (const Codec* codec : codecs_for(use)) add(*codec, use);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  std::span<const OptionGroup> view() const { return groups_; }

 private:
  void add_common(FormatUse use) {
    for (const Codec* codec : codecs_for(use)) words_.push_back(codec->name);
    const std::string names = fmt::format("{}", fmt::join(words_, ", "));
    texts_.push_back(
        use == FormatUse::encrypt
            ? fmt::format("{}. Default: {}.", names, format::default_codec().name)
            : fmt::format("{}. Default: what the input is recognised as. For one format's options alone: "
                          "'fugu help decrypt --format NAME'; 'fugu formats' describes each format.",
                          names));
    std::vector<OptionSpec> rows{{"format", 0, "NAME", texts_.back(), words_}};
    rows.back().takes_words_alone = true;
    rows.insert(rows.end(), std::begin(kTextOptions), std::end(kTextOptions));
    if (use != FormatUse::encrypt) {
      rows.push_back(kSignedHexOption);
      rows.push_back(kAcceptOption);
    }
    if (use == FormatUse::decrypt) rows.push_back(kSalvageOption);
    add_group("Format", std::move(rows));
    groups_.back().apart = kTextApart;
  }

  void add(const Codec& codec, FormatUse use) {
    std::vector<OptionSpec> rows;
    for (const OptionRow& row : codec.options)
      if (is_offered(row, use)) rows.push_back(option_spec(row));
    if (!rows.empty()) add_group(fmt::format("Format {}", codec.name), std::move(rows), codec.name);
  }

  void add_group(std::string title, std::vector<OptionSpec> rows, std::string_view format = {}) {
    texts_.push_back(std::move(title));
    rows_.push_back(std::move(rows));
    groups_.push_back({texts_.back(), rows_.back(), format});
  }

  std::deque<std::string> texts_;
  std::deque<std::vector<OptionSpec>> rows_;
  std::vector<std::string_view> words_;
  std::vector<OptionGroup> groups_;
};

// The subcommands of fugu-mpi and their options.

constexpr std::string_view kMpiEngineWords[] = {"auto", "cpu", "cuda", "cuda:local"};
constexpr std::string_view kMpiSpectralEngineWords[] = {"cpu", "cuda:local"};

constexpr OptionSpec kMpiOutputOptions[] = {
    {"output", 'o', "OUT", "Write to OUT."},
    kForceOption,
};
constexpr OptionSpec kMpiSecretOptions[] = {
    {"pass", 0, "PLACE",
     "Where rank 0 reads the passphrase: file:F, env:V, fd:N or cmd:C. Files, descriptors and commands "
     "supply their first line. There is no prompt, since mpirun provides no terminal.",
     std::span(kPassphrasePlaces).subspan(1)},
    {"key", 0, "PLACE",
     "Where rank 0 reads the key: file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N.",
     kKeyPlaces},
};
constexpr OptionSpec kMpiThreads{
    "threads", 'T', "N",
    "Use N threads per rank; 0, the default: this rank's share of the processors of its machine."};
constexpr OptionSpec kMpiWorkOptions[] = {
    kMpiThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu, cuda or a name that 'fugu engines' lists, for each rank; cuda:local "
     "distributes the GPUs of a machine to its ranks.",
     kMpiEngineWords},
    kChunk,
};
constexpr OptionSpec kMpiSpectralOptions[] = {
    {"type", 0, "TYPE", "int32, int64, float32 or float64: the type of raw values, little-endian."},
};
constexpr OptionSpec kMpiSpectralWorkOptions[] = {
    kMpiThreads,
    {.name = "engine",
     .argument = "NAME",
     .help =
         "cpu (the default), or cuda:local: the GPUs of a machine for its ranks, with NCCL between machines.",
     .words = kMpiSpectralEngineWords,
     .takes_words_alone = true},
};

constexpr OptionGroup kMpiOutput{"Output", kMpiOutputOptions};
constexpr OptionGroup kMpiSecret{"Passphrase and key", kMpiSecretOptions, {}, kSecretApart};
constexpr OptionGroup kMpiWork{"Work", kMpiWorkOptions};
constexpr OptionGroup kMpiSpectral{"Values", kMpiSpectralOptions};
constexpr OptionGroup kMpiSpectralWork{"Work", kMpiSpectralWorkOptions};

constexpr const OptionGroup* kMpiEncryptGroups[] = {&kMpiOutput, &kMpiSecret, &kFormats,
                                                    &kMpiWork,   &kProgress,  &kCommon};
constexpr const OptionGroup* kMpiVerifyGroups[] = {&kMpiSecret, &kFormats, &kMpiWork, &kProgress, &kCommon};
constexpr const OptionGroup* kMpiSpectralGroups[] = {&kMpiOutput, &kMpiSpectral, &kMpiSpectralWork, &kCommon};
constexpr const OptionGroup* kMpiHelpGroups[] = {&kHelp, &kPlain};

std::vector<std::string_view> by_ranks() {
  return {std::begin(kOperationsByRanks), std::end(kOperationsByRanks)};
}

// Subcommands without a function here are run by all ranks together (src/cli/mpi).
constexpr Subcommand kMpiSubcommands[] = {
    {"encrypt", "encrypt a file with all ranks", "FILE",
     "FILE becomes FILE.fugu, or the file that -o names. Every rank reads and writes its part of the file. "
     "Formats: {divisible}; use fugu for the others, and for cbc, cfb and ofb, which are serial. The output "
     "appears whole or not at all. {default_format}",
     kMpiEncryptGroups, nullptr, 1},
    {"decrypt", "decrypt a file with all ranks", "FILE",
     "FILE.fugu becomes FILE. The output appears when every rank's part is on the disk and authentic. "
     "Formats: {divisible}; use fugu for the others, and for ofb.",
     kMpiEncryptGroups, nullptr, 1},
    {"verify", "check with all ranks that a file decrypts, without writing", "FILE",
     "Reports whether FILE decrypts.", kMpiVerifyGroups, nullptr, 1},
    {"spectral",
     "a Walsh transform over the memories of all ranks",
     "OPERATION FILE [FILE]",
     "OPERATION is walsh, inverse, convolve (two files), autocorrelate or nonlinearity, as in fugu spectral. "
     "FILE is .npy, or raw with --type; .npy of bool, or uint8 of 0 and 1, is a truth table, which convolve "
     "takes as numbers and the others as (-1)^f. A power of two of ranks takes part, each with an equal "
     "share of the 2^n values; the other ranks wait. The result goes to the file that -o names, of the same "
     "kind as FILE, in natural order; nonlinearity prints it. Integers are exact; where they would not be, "
     "that is an error.",
     kMpiSpectralGroups,
     nullptr,
     3,
     {},
     by_ranks},
    {"help",
     "print help, the manual page or the shell completion",
     "[SUBCOMMAND]",
     "",
     kMpiHelpGroups,
     run_help,
     1,
     {},
     subcommand_names},
};

}  // namespace

const Program& program() {
  static const Program programs[] = {
      {"fugu", "fugu", "Encrypts files with Blowfish, opens old Blowfish files, measures S-boxes.",
       fugu_rows(), kCommonest},
      {"fugu-mpi", "mpirun [options] fugu-mpi",
       "fugu on many processes and machines: one file, worked on by all MPI ranks.", kMpiSubcommands,
       kMpiCommonest},
  };
  return *std::ranges::find(programs, program_name(), &Program::name);
}

std::span<const Subcommand> subcommands() {
  static const Table table;
  return table.subcommands();
}

std::vector<std::string_view> names_of(const Subcommand& subcommand) {
  std::vector<std::string_view> names{subcommand.name};
  names.insert(names.end(), subcommand.aliases.begin(), subcommand.aliases.end());
  return names;
}

const Subcommand& find_subcommand(std::string_view name) {
  std::vector<std::string_view> names, owners;
  for (const Subcommand& subcommand : subcommands()) {
    if (std::ranges::count(names_of(subcommand), name) != 0) return subcommand;
    names.push_back(subcommand.name);
    if (std::ranges::any_of(subcommand.groups, [name](const OptionGroup* group) {
          return std::ranges::count(group->options, name, &OptionSpec::name) != 0;
        }))
      owners.push_back(subcommand.name);
  }
  const std::string hint = owners.empty()
                               ? did_you_mean(name, names)
                               : fmt::format(": --{} is an option of {}", name, fmt::join(owners, ", "));
  refuse("no subcommand '{}'{}; choose from {}", name, hint, fmt::join(names, ", "));
}

OptionSpec option_spec(const OptionRow& row) {
  return {row.name, 0, row.value, row.help, row.words};
}

std::span<const OptionGroup> format_groups(FormatUse use) {
  static const Groups groups[] = {Groups(FormatUse::encrypt), Groups(FormatUse::decrypt),
                                  Groups(FormatUse::verify), Groups(FormatUse::rekey)};
  return groups[static_cast<std::size_t>(use)].view();
}

std::string details_with_formats(std::string_view details) {
  std::vector<std::string_view> extensions;
  std::vector<const Codec*> divisible;
  std::ranges::copy_if(format::codecs(), std::back_inserter(divisible),
                       [](const Codec* codec) { return codec->units != nullptr; });
  for (const Codec* codec : format::codecs().subspan(1))
    extensions.insert(extensions.end(), codec->extensions.begin(), codec->extensions.end());
  return fmt::format(fmt::runtime(details), fmt::arg("default_format", format::default_codec().details),
                     fmt::arg("extensions", fmt::join(extensions, ", ")),
                     fmt::arg("divisible", format::names_of(divisible, ", ")));
}

}  // namespace fugu::cli
