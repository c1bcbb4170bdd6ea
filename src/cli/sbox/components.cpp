// The components of a box: their properties and their algebraic normal forms.
#include <bit>

#include "cli/picture/picture.hpp"
#include "cli/sbox/operations.hpp"
#include "fugu/spectral/properties.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

std::uint32_t mask_of(const std::string& text, const SBox& box) {
  if (const auto mask = word_of(text, box.outputs())) return *mask;
  refuse("--masks: '{}' is not a mask of {} bits", printable(text), box.outputs());
}

bool means_all(const Arguments& arguments, const SBox& box) {
  const std::optional<std::string> masks = arguments.value("masks");
  return masks ? *masks == "all" : box.outputs() <= spectral::kMaxOutputsOfAll;
}

std::vector<std::uint32_t> masks_of(const Arguments& arguments, const SBox& box, std::string_view otherwise) {
  const std::string given = arguments.value("masks").value_or(std::string(otherwise));
  std::vector<std::uint32_t> masks;
  if (given == "all") {
    if (box.outputs() > spectral::kMaxOutputsOfAll) {
      refuse("all components need at most {} outputs, not {}; choose some with --masks",
             spectral::kMaxOutputsOfAll, box.outputs());
    }
    for (std::uint32_t b = 1; b <= box.last_mask(); ++b) masks.push_back(b);
  } else if (given == "coordinates") {
    for (int j = 0; j < box.outputs(); ++j) masks.push_back(std::uint32_t{1} << j);
  } else {
    for (const std::string& item : list_value(arguments, "masks")) masks.push_back(mask_of(item, box));
  }
  return masks;
}

// The columns by name, and type in .npy files.
struct ComponentColumn {
  std::string_view name;
  std::string_view type;  // <u4, <i4, <u8 or |u1
};
constexpr ComponentColumn kComponentColumns[] = {{"b", "<u4"},
                                                 {"nonlinearity", "<u8"},
                                                 {"degree", "<i4"},
                                                 {"absolute_indicator", "<u8"},
                                                 {"sum_of_squares", "<u8"},
                                                 {"correlation_immunity", "<i4"},
                                                 {"resiliency", "<i4"},
                                                 {"balanced", "|u1"},
                                                 {"linear_structures", "<u8"}};
using ComponentRow = std::array<std::int64_t, std::size(kComponentColumns)>;

template <class... T>
ComponentRow row_of(T... values) {
  return {static_cast<std::int64_t>(values)...};
}

// Counts off that many components, if they take long.
spectral::Progress shown_components(const Arguments& arguments, std::size_t count, double seconds) {
  return shown_work(arguments, fmt::format("{} components", count), count, seconds, "components");
}

ComponentRow measured(const SBox& box, std::uint32_t mask) {
  const spectral::BooleanProperties p = spectral::properties(component(box, mask), {.threads = 1});
  return row_of(mask, p.nonlinearity, p.degree, p.absolute_indicator, p.sum_of_squares,
                p.correlation_immunity, p.resiliency, p.balanced, p.linear_structures - 1);
}

// All at once is faster than one after the other.
std::vector<ComponentRow> all_rows(const Arguments& arguments, spectral::lab::Box box) {
  require_asked(arguments, "the spectra of all components",
                box.seconds(spectral::lab::Computation::linear) +
                    box.seconds(spectral::lab::Computation::autocorrelation));
  const spectral::Linear& linear = box.linear();
  const spectral::Autocorrelation& r = box.autocorrelation();
  const std::vector<std::int8_t>& degrees = box.component_degrees();
  std::vector<ComponentRow> rows;
  for (std::uint32_t b = 1; b < linear.components.size(); ++b) {
    const spectral::LinearComponent& c = linear.components[b];
    rows.push_back(row_of(b, nonlinearity_of(box.values(), c.largest), degrees[b], r.indicators[b], r.sums[b],
                          c.correlation_immunity, c.balanced ? c.correlation_immunity : -1, c.balanced,
                          r.structures[b]));
  }
  return rows;
}

std::string rows_text(const std::vector<ComponentRow>& rows, bool csv) {
  std::string text = csv ? fmt::format("{}\n", fmt::join(names_in(kComponentColumns), ",")) : "";
  for (const ComponentRow& row : rows) text += fmt::format("{}\n", fmt::join(row, csv ? "," : " "));
  return text;
}

std::string rows_npy(const std::vector<ComponentRow>& rows) {
  std::vector<std::string> fields;
  for (const auto& [name, type] : kComponentColumns)
    fields.push_back(fmt::format("('{}', '{}')", name, type));
  std::string bytes = npy_header(fmt::format("[{}]", fmt::join(fields, ", ")), {1, rows.size()});
  for (const ComponentRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      append_bytes(bytes, static_cast<std::uint64_t>(row[i]), kComponentColumns[i].type.back() - '0');
  }
  return bytes;
}

std::string profile_text(const NamedBox& named, const spectral::ExhaustiveProfile& profile, bool json) {
  if (json) {
    return json_text({{"version", kJsonVersion},
                      {"name", named.name},
                      {"n", named.box.inputs()},
                      {"m", named.box.outputs()},
                      {"linearity", profile.linearity},
                      {"nl", profile.nonlinearities.begin()->first},
                      {"nl_dist", value_json(profile.nonlinearities)},
                      {"masks", profile.masks},
                      {"conventions", 1}});
  }
  std::string text;
  for (const auto& [value, count] : profile.nonlinearities) text += fmt::format("{}:{}\n", value, count);
  return text + fmt::format("masks 0x{:08x}\n", fmt::join(profile.masks, " 0x"));
}

void plot_nonlinearities(const Arguments& arguments, const NamedBox& named, const std::string& of,
                         const spectral::Histogram& histogram) {
  plot(arguments, named.file,
       Bars{fmt::format("{} of {}", of, printable(named.name)), "nonlinearity", "components", histogram});
}

void write_profile(const Arguments& arguments, const NamedBox& named,
                   const spectral::ExhaustiveProfile& profile) {
  if (arguments.has("plot"))
    return plot_nonlinearities(arguments, named, fmt::format("all 2^{}-1 components", named.box.outputs()),
                               profile.nonlinearities);
  write_text(arguments, named.file, profile_text(named, profile, arguments.has("json")));
}

// With --exhaustive; other boxes have the table of all components, however long it takes.
bool has_profile(const SBox& box) {
  return box.inputs() <= spectral::kMaxExhaustiveInputs || box.outputs() > spectral::kMaxOutputsOfAll;
}

int weight_of(const spectral::TruthTable& form) {
  int weight = 0;
  for (const std::uint64_t word : form.words()) weight += std::popcount(word);
  return weight;
}

std::string anf_text(const NamedBox& named, std::uint32_t mask, BoxOutput format) {
  const spectral::TruthTable function = component(named.box, mask);
  const spectral::TruthTable form = moebius(function);
  const std::string title =
      std::has_single_bit(mask) ? fmt::format("y{}", std::countr_zero(mask)) : fmt::format("0x{:x}", mask);
  return fmt::format("# {}: degree {}, {} terms\n{}\n", title, algebraic_degree(function), weight_of(form),
                     format == BoxOutput::hex ? form.to_hex() : polynomial_text(form));
}

std::string field_text(const SBox& box, std::uint32_t polynomial) {
  const std::vector<std::uint32_t> coefficients =
      univariate(box, spectral::BinaryField(box.inputs(), polynomial));
  int degree = -1;
  std::uint64_t terms = 0;
  std::string text;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    if (coefficients[k] == 0) continue;
    degree = std::max(degree, std::popcount(k));
    if (terms++ != 0) text += " + ";
    text += k == 0 ? fmt::format("{}", coefficients[k]) : fmt::format("{} x^{}", coefficients[k], k);
  }
  return fmt::format("# algebraic degree {}, {} terms\n{}\n", degree, terms, terms == 0 ? "0" : text);
}

}  // namespace

// With --from univariate, --field is the field of the input.
bool prints_univariate(const Arguments& arguments) {
  return arguments.has("field") && arguments.value("from") != kUnivariate;
}

void run_components(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  if (arguments.has("exhaustive") && has_profile(named.box))
    return write_profile(arguments, named, BoxEngine(arguments).box(named.box).exhaustive());
  if (arguments.has("json"))
    refuse("components of more than {} inputs are not written as JSON", spectral::kMaxExhaustiveInputs);
  const BoxOutput format = output_format(arguments);
  if (format != BoxOutput::text && format != BoxOutput::npy && format != BoxOutput::csv)
    refuse("components are written as text, npy or CSV");
  const bool binary = format == BoxOutput::npy;
  std::vector<ComponentRow> rows;
  if (means_all(arguments, named.box) && named.box.outputs() <= spectral::kMaxOutputsOfAll) {
    rows = all_rows(arguments, BoxEngine(arguments).box(named.box));
  } else {
    const std::vector<std::uint32_t> masks = masks_of(arguments, named.box, "coordinates");
    const double seconds = 1e-7 * static_cast<double>(masks.size() * named.box.size());
    const spectral::Progress shown = shown_components(arguments, masks.size(), seconds);
    for (const std::uint32_t mask : masks) {
      rows.push_back(measured(named.box, mask));
      if (shown) shown(1);
    }
  }
  if (arguments.has("plot")) {
    spectral::Histogram histogram;
    for (const ComponentRow& row : rows) ++histogram[row[1]];  // nonlinearity
    return plot_nonlinearities(arguments, named, "components", histogram);
  }
  const std::string text = binary ? rows_npy(rows) : rows_text(rows, format == BoxOutput::csv);
  write_output(arguments, {.binary = binary, .npy = binary, .input = named.file}, text);
}

void run_box_anf(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  if (prints_univariate(arguments))
    return write_text(arguments, named.file, field_text(named.box, *field_option(arguments)));
  const BoxOutput format = output_format(arguments);
  if (format != BoxOutput::text && format != BoxOutput::hex) refuse("anf is written as text or hex");
  const std::vector<std::uint32_t> masks = masks_of(arguments, named.box, "coordinates");
  const double value_seconds = format == BoxOutput::hex ? 3e-9 : 4e-8;
  const double seconds = value_seconds * static_cast<double>(masks.size() * named.box.size());
  require_asked(arguments, "the algebraic normal forms", seconds);
  const spectral::Progress shown = shown_components(arguments, masks.size(), seconds);
  write_output(arguments, {.input = named.file}, [&](stream::Sink& sink) {
    for (const std::uint32_t mask : masks) {
      const std::string text = anf_text(named, mask, format);
      sink.write(std::as_bytes(std::span(text)));
      if (shown) shown(1);
    }
  });
}

}  // namespace fugu::cli
