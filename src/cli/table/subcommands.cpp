#include "cli/table/subcommands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/process/console.hpp"
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

}  // namespace

const Program& program() {
  static const Program programs[] = {
      {"fugu", "fugu", "Encrypts files with Blowfish, opens old Blowfish files, measures S-boxes.",
       fugu_rows(), kCommonest},
      {"fugu-mpi", "mpirun [options] fugu-mpi",
       "fugu on many processes and machines: one file, worked on by all MPI ranks.", fugu_mpi_rows(),
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
  throw Error(Errc::usage,
              fmt::format("no subcommand '{}'{}; choose from {}", name, hint, fmt::join(names, ", ")));
}

}  // namespace fugu::cli
