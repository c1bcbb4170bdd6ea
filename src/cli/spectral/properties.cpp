// The properties of Boolean functions, and their algebraic normal form.
#include "cli/spectral/properties.hpp"

#include <fmt/format.h>

#include "cli/process/json.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/properties.hpp"
#include "fugu/spectral/sbox/equations.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;

// Linear algebra beyond this takes minutes.
constexpr int kMostImmunityVariables = 14;

struct Immunity {
  spectral::Annihilators of_function;
  spectral::Annihilators of_complement;
  int degree() const { return std::min(of_function.degree, of_complement.degree); }
};

std::optional<Immunity> immunity_of(TruthTable function) {
  if (function.variables() > kMostImmunityVariables) return std::nullopt;
  const spectral::Annihilators first = annihilators(function);
  for (std::size_t x = 0; x < function.size(); ++x) function.set(x, !function[x]);
  return Immunity{first, annihilators(function)};
}

constexpr std::string_view kColumns =
    "n,weight,balanced,linearity,nonlinearity,degree,terms,ci,resiliency,absind,ssi,pc,ls,ls_neg,zeros,"
    "plateaued,bent,ai,ann_f,ann_f1,walsh,ac\n";

std::string spectrum_text(const std::map<std::int64_t, std::uint64_t>& spectrum) {
  std::string text;
  for (const auto& [value, count] : spectrum)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", value, count);
  return text;
}

std::string annihilators_text(const spectral::Annihilators& found) {
  return fmt::format("{}:{}", found.degree, found.dimension);
}

std::string csv_line(const TruthTable& function, const spectral::BooleanProperties& p,
                     const std::optional<Immunity>& immunity) {
  const std::string algebra =
      immunity ? fmt::format("{},{},{}", immunity->degree(), annihilators_text(immunity->of_function),
                             annihilators_text(immunity->of_complement))
               : "-,-,-";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", function.variables(),
                     p.weight, p.balanced ? 1 : 0, p.linearity, p.nonlinearity, p.degree, p.terms,
                     p.correlation_immunity, p.resiliency, p.absolute_indicator, p.sum_of_squares,
                     p.propagation, p.linear_structures, p.negative_structures, p.zeros, p.plateaued ? 1 : 0,
                     p.bent ? 1 : 0, algebra, spectrum_text(p.walsh), spectrum_text(p.autocorrelation));
}

using Json = nlohmann::ordered_json;

Json pairs_of(const std::map<std::int64_t, std::uint64_t>& spectrum) {
  Json pairs = Json::array();
  for (const auto& [value, count] : spectrum) pairs.push_back({value, count});
  return pairs;
}

Json json_of(const TruthTable& function, const spectral::BooleanProperties& p,
             const std::optional<Immunity>& immunity) {
  const auto annihilators = [](const spectral::Annihilators& found) {
    return Json{found.degree, found.dimension};
  };
  return {{"version", kJsonVersion},
          {"n", function.variables()},
          {"weight", p.weight},
          {"balanced", p.balanced},
          {"linearity", p.linearity},
          {"nonlinearity", p.nonlinearity},
          {"degree", p.degree},
          {"terms", p.terms},
          {"ci", p.correlation_immunity},
          {"resiliency", p.resiliency},
          {"absind", p.absolute_indicator},
          {"ssi", p.sum_of_squares},
          {"pc", p.propagation},
          {"ls", p.linear_structures},
          {"ls_neg", p.negative_structures},
          {"zeros", p.zeros},
          {"plateaued", p.plateaued},
          {"bent", p.bent},
          {"ai", immunity ? Json(immunity->degree()) : Json()},
          {"ann_f", immunity ? annihilators(immunity->of_function) : Json()},
          {"ann_f1", immunity ? annihilators(immunity->of_complement) : Json()},
          {"walsh", pairs_of(p.walsh)},
          {"ac", pairs_of(p.autocorrelation)}};
}

std::string hex_text(const TruthTable& table, bool sage_order) {
  if (!sage_order) return table.to_hex();
  std::string bits = table.to_bits();
  std::ranges::reverse(bits);
  return TruthTable::from_bits(bits).to_hex();
}

void write_text(const SpectralRequest& request, const SpectralInput& input, const std::string& text) {
  write_output(request.arguments, {.input = input.file},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace

void run_properties(const SpectralRequest& request) {
  const bool json = request.arguments.has("json");
  const SpectralInput input =
      read_input(file_operands(request, 1)[0], request.arguments, Needs::table, request.pool);
  std::string text(json ? std::string_view() : kColumns);
  for (const TruthTable& function : std::get<Tables>(input.data)) {
    const spectral::BooleanProperties found = spectral::properties(function, request.work());
    const std::optional<Immunity> immunity = immunity_of(function);
    text += json ? json_line(json_of(function, found, immunity)) : csv_line(function, found, immunity);
  }
  write_text(request, input, text);
}

void run_anf(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  const bool is_polynomial = format_option(arguments, "from") == ValueFormat::polynomial;
  const ValueFormat to =
      format_option(arguments, "to").value_or(is_polynomial ? ValueFormat::bits : ValueFormat::polynomial);
  if (to != ValueFormat::bits && to != ValueFormat::hex && to != ValueFormat::polynomial)
    throw Error(Errc::usage, "anf writes bits, hex or polynomial");
  const SpectralInput input = read_input(file_operands(request, 1)[0], arguments, Needs::table, request.pool);
  std::string text;
  for (const TruthTable& function : std::get<Tables>(input.data)) {
    const TruthTable form = moebius(function, request.work());
    if (to == ValueFormat::polynomial) {
      text += polynomial_text(form);
    } else {
      const TruthTable& table = is_polynomial ? function : form;
      text += to == ValueFormat::bits ? table.to_bits() : hex_text(table, is_sage_order(arguments));
    }
    text += '\n';
  }
  write_text(request, input, text);
}

}  // namespace fugu::cli
