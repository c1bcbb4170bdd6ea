// The findings of fugu sbox report about a box.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine/table_engine.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/avalanche.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"
#include "fugu/spectral/sbox/linear.hpp"

namespace fugu::cli {

enum class Group : std::uint8_t {
  basic,
  differential,
  linear,
  components,
  boomerang,
  algebra,
  avalanche,
  structure,
  sidechannel,
  ccz  // on demand only
};

std::string_view group_name(Group group);

struct ReportOptions {
  std::set<Group> groups;                     // groups with a requested field
  std::set<Group> whole;                      // groups requested whole
  std::set<std::string, std::less<>> fields;  // fields requested by name
  bool exhaustive = false;
  spectral::SBoxOptions work;
  TableEngine tables;

  bool wants(Group group, std::string_view field) const {
    return whole.contains(group) || fields.contains(field);
  }
};

// Throws Error{usage}.
ReportOptions report_options(const Arguments& arguments);

// The same work on one thread.
ReportOptions on_one_thread(ReportOptions options);

// Nonlinearities of y_0, y_1, ...
using CoordinateNonlinearities = std::vector<std::uint64_t>;

struct Degrees {
  int box = -1;
  std::optional<int> inverse;                       // only a permutation has one
  std::optional<spectral::Histogram> components{};  // at most 20 outputs
};

struct Algebra {
  std::optional<std::uint64_t> equations[3]{};      // by degree: 1, 2, 3
  std::optional<spectral::Histogram> immunities{};  // the components'
};

// For n = m; the ortho-derivative's only for quadratic APN functions.
struct Ccz {
  std::optional<std::uint64_t> gamma_rank{};
  std::optional<std::uint64_t> delta_rank{};
  std::optional<spectral::Histogram> ortho_ddt{};
  std::optional<spectral::Histogram> ortho_walsh{};
};

inline constexpr std::size_t kMostListedStructures = 4096;

// A group that was not requested, or that does not apply to the box, is empty.
struct Report {
  std::string name;
  int inputs = 0;
  int outputs = 0;
  bool permutation = false;
  std::optional<spectral::Basic> basic{};
  std::optional<spectral::Differential> differential{};
  std::optional<spectral::Linear> linear{};
  std::optional<CoordinateNonlinearities> coordinates{};
  std::optional<spectral::Autocorrelation> autocorrelation{};
  std::optional<spectral::Boomerang> boomerang{};
  std::optional<Degrees> degrees{};
  std::optional<Algebra> algebra{};
  std::optional<spectral::Avalanche> avalanche{};
  std::optional<spectral::LinearStructures> structures{};
  std::vector<spectral::LinearStructure> listed_structures{};  // with -v, the first kMostListedStructures
  std::optional<double> transparency{};
  std::optional<Ccz> ccz{};
  std::optional<spectral::ExhaustiveProfile> exhaustive{};  // for more outputs than `linear` takes
  std::map<Group, double> left_out{};                       // seconds on one core: needs --exhaustive
};

// For --engine auto: whether this report starts a GPU.
void choose_engine(const spectral::SBox& box, ReportOptions& options);

// `arguments` say how progress is shown.
Report make_report(const NamedBox& named, const ReportOptions& options, const Arguments& arguments);

// One line for each group.
std::string report_sheet(const Report& report, const ReportOptions& options);

// A header line, and a line for each box.
std::string report_csv_header(const ReportOptions& options);
std::string report_csv(const Report& report, const ReportOptions& options);

// One object.
std::string report_json(const Report& report, const ReportOptions& options, bool one_line);

}  // namespace fugu::cli
