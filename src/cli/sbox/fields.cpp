// The fields of a report, in the order of their columns.
#include "cli/sbox/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "fugu/spectral/sbox/anomalies.hpp"

namespace fugu::cli {
namespace {

// `get(*from)`, or no value if `from` is empty.
template <class From, class Get>
Cell cell_of(const std::optional<From>& from, Get get) {
  return from ? Cell(get(*from)) : Cell();
}

template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

Cell number(int value) {
  return std::int64_t{value};
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

class Fields {
 public:
  // `options`: the request; null: everything.
  Fields(const Report& report, const ReportOptions* options) : report_(report), options_(options) {}

  void add_group(Group group) {
    group_ = group;
    switch (group) {
      case Group::basic:
        return add_basic();
      case Group::differential:
        return add_differential();
      case Group::linear:
        return add_linear();
      case Group::components:
        return add_components();
      case Group::boomerang:
        return add_boomerang();
      case Group::algebra:
        return add_algebra();
      case Group::avalanche:
        return add_avalanche();
      case Group::structure:
        return add_structure();
      case Group::sidechannel:
        return add_sidechannel();
      case Group::ccz:
        return add_ccz();
    }
  }

  std::vector<Field> take() { return std::move(fields_); }

 private:
  void add_basic() {
    const auto& basic = report_.basic;
    const std::optional<spectral::Cycles> cycles = basic ? basic->cycles : std::nullopt;
    add("image", cell_of(basic, [](const auto& b) { return b.image; }));
    add("collisions", cell_of(basic, [](const auto& b) { return b.collisions; }));
    add("balanced", cell_of(basic, [](const auto& b) { return b.balanced; }));
    add("permutation", cell_of(basic, [](const auto& b) { return b.permutation; }));
    add("fixed", basic ? cell_of(basic->fixed) : Cell());
    add("antifixed", basic ? cell_of(basic->antifixed) : Cell());
    add("cycles", cell_of(cycles, [](const auto& c) { return c.lengths; }));
    add("order", cell_of(cycles, [](const auto& c) { return BigNumber{c.order}; }));
    add("odd", cell_of(cycles, [](const auto& c) { return c.odd; }));
    add("involution", cell_of(cycles, [](const auto& c) { return c.involution; }));
  }

  void add_differential() {
    const auto& d = report_.differential;
    add("du", cell_of(d, [](const auto& v) { return std::uint64_t{v.uniformity}; }));
    add("du_count", cell_of(d, [](const auto& v) { return v.attained; }));
    add("du0", cell_of(d, [](const auto& v) { return std::uint64_t{v.largest_zero}; }));
    add("ddt", cell_of(d, [](const auto& v) { return v.ddt; }));
    add("apn", cell_of(d, [](const auto& v) { return v.apn; }));
    add("dbn", cell_of(d, [](const auto& v) { return number(v.branch_number); }));
    add("d1", cell_of(d, [](const auto& v) { return v.one_bit_to_one; }));
    add("anomaly_d", has_anomalies() ? cell_of(d,
                                               [&](const auto& v) {
                                                 return spectral::differential_anomaly(
                                                     report_.inputs, v.uniformity, v.attained);
                                               })
                                     : Cell());
  }

  void add_linear() {
    const auto& l = report_.linear;
    const auto& e = report_.exhaustive;
    add("linearity", e ? Cell(e->linearity) : cell_of(l, [](const auto& v) { return v.linearity; }));
    add("nl", e ? Cell(e->nonlinearities.begin()->first)
                : cell_of(l, [](const auto& v) { return v.nonlinearity; }));
    add("lin_count", cell_of(l, [](const auto& v) { return v.attained; }));
    add("lin_first", cell_of(l, [](const auto& v) {
          return std::vector<std::uint64_t>{v.first_a, v.first_b};
        }));
    add("walsh", cell_of(l, [](const auto& v) { return v.walsh; }));
    add("walsh_zeros", cell_of(l, [](const auto& v) { return v.zeros; }));
    add("nl_coord", cell_of(report_.coordinates));
    add("ab", cell_of(l, [](const auto& v) { return v.almost_bent; }));
    add("lbn", cell_of(l, [](const auto& v) { return cell_of(v.branch_number, number); }));
    add("l1", cell_of(l, [](const auto& v) { return v.one_bit_to_one; }));
    add("anomaly_l", has_anomalies()
                         ? cell_of(l,
                                   [&](const auto& v) {
                                     return spectral::linear_anomaly(report_.inputs, v.linearity, v.attained);
                                   })
                         : Cell());
  }

  void add_components() {
    const auto& l = report_.linear;
    const auto& r = report_.autocorrelation;
    const auto& degrees = report_.degrees ? report_.degrees->components : std::nullopt;
    const auto& e = report_.exhaustive;
    add("nl_dist", e ? Cell(e->nonlinearities)
                     : cell_of(l, [&](const auto& v) { return nonlinearities(v, report_.inputs); }));
    add("mindeg", cell_of(degrees, [](const auto& d) { return d.begin()->first; }));
    add("deg_dist", cell_of(degrees));
    add("ac", cell_of(r, [](const auto& v) { return std::uint64_t{v.indicator}; }));
    add("ac_dist", cell_of(r, [](const auto& v) { return histogram_of_components(v.indicators); }));
    // To the nearest function with a linear structure (Meier, Staffelbach 1989): 2^(n-2) - ac / 4.
    add("lin_dist",
        cell_of(r, [&](const auto& v) { return ((std::uint64_t{1} << report_.inputs) - v.indicator) / 4; }));
    add("ssi_min",
        cell_of(r, [](const auto& v) { return *std::min_element(v.sums.begin() + 1, v.sums.end()); }));
    add("ssi_max",
        cell_of(r, [](const auto& v) { return *std::max_element(v.sums.begin() + 1, v.sums.end()); }));
    add("plateaued", cell_of(l, [](const auto& v) { return v.plateaued; }));
    add("bent_comp", cell_of(l, [](const auto& v) { return v.bent; }));
    add("pc", cell_of(r, [](const auto& v) { return number(v.propagation); }));
    add("vectorial_bent", cell_of(l, [&](const auto& v) { return v.bent + 1 == v.components.size(); }));
  }

  void add_algebra() {
    const auto& degrees = report_.degrees;
    add("deg", cell_of(degrees, [](const auto& d) { return number(d.box); }));
    add("deg_inv", degrees ? cell_of(degrees->inverse, number) : Cell());
    const auto& algebra = report_.algebra;
    constexpr std::string_view kEquations[] = {"eq1", "eq2", "eq3"};
    for (std::size_t i = 0; i < 3; ++i) add(kEquations[i], algebra ? cell_of(algebra->equations[i]) : Cell());
    add("ai_dist", algebra ? cell_of(algebra->immunities) : Cell());
  }

  void add_boomerang() {
    const auto& b = report_.boomerang;
    add("bu", cell_of(b, [](const auto& v) { return std::uint64_t{v.uniformity}; }));
    add("bct", cell_of(b, [](const auto& v) { return v.bct; }));
    add("fbu", b && b->feistel_uniformity ? Cell(std::uint64_t{*b->feistel_uniformity}) : Cell());
    add("fbct", cell_of(b, [](const auto& v) { return v.fbct; }));
    add("anomaly_b", has_anomalies() ? cell_of(b,
                                               [&](const auto& v) {
                                                 return spectral::boomerang_anomaly(
                                                     report_.inputs, static_cast<std::uint32_t>(v.uniformity),
                                                     v.bct.rbegin()->second);
                                               })
                                     : Cell());
  }

  void add_avalanche() {
    const auto& a = report_.avalanche;
    const auto& l = report_.linear;
    const bool pairs = a && !a->pair_nonlinearities.empty();
    add("sac_min", cell_of(a, [](const auto& v) { return v.least_change; }));
    add("sac_max", cell_of(a, [](const auto& v) { return v.most_change; }));
    add("sac_sum", cell_of(a, [](const auto& v) { return v.changes_sum; }));
    add("sac", cell_of(a, [&](const auto& v) {
          const std::uint64_t half = std::uint64_t{1} << report_.inputs >> 1;
          return v.least_change == half && v.most_change == half;
        }));
    add("bic_nl_min", pairs ? Cell(std::ranges::min(a->pair_nonlinearities)) : Cell());
    add("bic_nl_sum", pairs ? Cell(sum_of(a->pair_nonlinearities)) : Cell());
    add("bic_sac_sum", pairs ? Cell(a->pair_changes_sum) : Cell());
    add("ci", cell_of(l, [](const auto& v) { return number(v.correlation_immunity); }));
    add("resil", cell_of(l, [](const auto& v) { return number(v.resiliency); }));
  }

  void add_structure() {
    const auto& s = report_.structures;
    add("ls_pos", cell_of(s, [](const auto& v) { return v.positive; }));
    add("ls_neg", cell_of(s, [](const auto& v) { return v.negative; }));
  }

  void add_sidechannel() { add("to", cell_of(report_.transparency)); }

  void add_ccz() {
    const auto& c = report_.ccz;
    add("gamma_rank", c ? cell_of(c->gamma_rank) : Cell());
    add("delta_rank", c ? cell_of(c->delta_rank) : Cell());
    add("ortho_ddt", c ? cell_of(c->ortho_ddt) : Cell());
    add("ortho_walsh", c ? cell_of(c->ortho_walsh) : Cell());
  }

  bool has_anomalies() const {
    return report_.permutation && report_.inputs >= 2 && report_.inputs <= spectral::kMaxAnomalyBits;
  }

  void add(std::string_view name, Cell cell) {
    if (options_ == nullptr || options_->wants(group_, name)) fields_.push_back({name, std::move(cell)});
  }

  const Report& report_;
  const ReportOptions* options_;
  Group group_ = Group::basic;
  std::vector<Field> fields_;
};

struct CsvText {
  std::string operator()(std::monostate) const { return {'-'}; }
  std::string operator()(bool value) const { return {value ? '1' : '0'}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{:.6f}", value); }
  std::string operator()(const BigNumber& value) const { return value.digits; }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const spectral::Histogram& value) const { return histogram_text(value); }
  std::string operator()(const std::vector<std::uint64_t>& value) const {
    return fmt::format("{}", fmt::join(value, " "));
  }
};

using Json = nlohmann::ordered_json;

struct JsonValue {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const BigNumber& value) const {
    std::uint64_t small = 0;
    const char* const end = value.digits.data() + value.digits.size();
    const bool fits = std::from_chars(value.digits.data(), end, small).ec == std::errc();
    return fits ? Json(small) : Json(value.digits);
  }
  Json operator()(const spectral::Histogram& value) const {
    Json pairs = Json::array();
    for (const auto& [v, count] : value) pairs.push_back({v, count});
    return pairs;
  }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

// A name that holds a comma or a quote is quoted (RFC 4180).
std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted(1, '"');
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

}  // namespace

std::string histogram_text(const spectral::Histogram& histogram) {
  std::string text;
  for (const auto& [value, count] : histogram)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", value, count);
  return text;
}

spectral::Histogram nonlinearities(const spectral::Linear& linear, int inputs) {
  spectral::Histogram histogram;
  for (std::size_t b = 1; b < linear.components.size(); ++b)
    ++histogram[((std::int64_t{1} << inputs) - linear.components[b].largest) / 2];
  return histogram;
}

std::vector<std::string_view> field_names(Group group) {
  const Report none;
  Fields fields(none, nullptr);
  fields.add_group(group);
  std::vector<std::string_view> names;
  for (const Field& field : fields.take()) names.push_back(field.name);
  return names;
}

std::vector<Field> report_fields(const Report& report, const ReportOptions& options) {
  Fields fields(report, &options);
  for (const Group group : options.groups) fields.add_group(group);
  return fields.take();
}

std::string report_csv_header(const ReportOptions& options) {
  std::string line = "name,n,m";
  for (const Field& field : report_fields({}, options)) line += fmt::format(",{}", field.name);
  return line + "\n";
}

std::string report_csv(const Report& report, const ReportOptions& options) {
  std::string line = fmt::format("{},{},{}", csv_name(printable(report.name)), report.inputs, report.outputs);
  for (const Field& field : report_fields(report, options)) {
    line += ',';
    line += std::visit(CsvText{}, field.cell);
  }
  return line + "\n";
}

std::string report_json(const Report& report, const ReportOptions& options, bool one_line) {
  Json object{{"version", kJsonVersion}, {"name", report.name}, {"n", report.inputs}, {"m", report.outputs}};
  for (const Field& field : report_fields(report, options))
    object[std::string(field.name)] = std::visit(JsonValue{}, field.cell);
  object["scale"] = "walsh";
  object["conventions"] = 1;
  return one_line ? json_line(object) : json_text(object);
}

}  // namespace fugu::cli
