// The one table of properties of S-boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fugu/spectral/lab/anomalies.hpp"
#include "fugu/spectral/lab/box.hpp"

namespace fugu::spectral::lab {
namespace {

// How often each value of `values` but the first, which belongs to b = 0, occurs.
template <class Values>
Histogram of_components(const Values& values) {
  Histogram histogram;
  for (std::size_t b = 1; b < values.size(); ++b) ++histogram[static_cast<std::int64_t>(values[b])];
  return histogram;
}

std::uint64_t least(const Numbers& values) {
  return *std::min_element(values.begin() + 1, values.end());
}

std::uint64_t largest(const Numbers& values) {
  return *std::max_element(values.begin() + 1, values.end());
}

template <class Get>
auto of_cycles(Box& box, Get get)
    -> std::optional<std::remove_cvref_t<std::invoke_result_t<Get, const Cycles&>>> {
  if (!box.basic().cycles) return std::nullopt;
  return get(*box.basic().cycles);
}

std::optional<double> anomaly(Box& box, double (*get)(Box&)) {
  return box.has_anomalies() ? std::optional(get(box)) : std::nullopt;
}

std::optional<std::uint64_t> equations_of(Box& box, int degree) {
  if (!has_equations(box.values(), degree)) return std::nullopt;
  return equations(box.values(), degree, box.work(Computation::algebra));
}

template <class Get>
std::optional<std::uint64_t> of_pairs(Box& box, Get get) {
  return box.outputs() > 1 ? std::optional<std::uint64_t>(get(box)) : std::nullopt;
}

std::optional<Histogram> of_ortho_derivative(Box& box, const Histogram& (*get)(Box&)) {
  Box* const ortho = box.ortho_derivative();
  return ortho != nullptr ? std::optional(get(*ortho)) : std::nullopt;
}

// A histogram of the boomerang family.
template <class Get>
std::optional<Histogram> of_family(Box& box, Get get) {
  return box.family() ? std::optional<Histogram>(get(*box.family())) : std::nullopt;
}

// The largest value of one.
template <class Get>
std::optional<std::int64_t> most_of_family(Box& box, Get get) {
  if (!box.family() || get(*box.family()).empty()) return std::nullopt;
  return get(*box.family()).rbegin()->first;
}

Pair invariant_dimensions(Box& box) {
  const auto basis = nonlinear_invariants(box.values(), box.work(Computation::nonlinear_invariants));
  const auto all = static_cast<std::uint32_t>(basis.size());
  return {all - (!basis.empty() && basis.back().constant ? 1u : 0u), all};
}

// Two pairs {x, x + a} with one b are such a plane, which has three directions a.
std::uint64_t vanishing_flats(Box& box) {
  std::uint64_t pairs_of_pairs = 0;
  for (const auto& [value, count] : box.differential().ddt) {
    const auto pairs = static_cast<std::uint64_t>(value / 2);
    if (pairs != 0) pairs_of_pairs += count * (pairs * (pairs - 1) / 2);
  }
  return pairs_of_pairs / 3;
}

template <class Get>
constexpr BoxProperty box_row(std::string_view column, std::string_view attribute, Group group,
                              Computation computation, std::string_view formula, std::string_view source,
                              Get get, std::string_view label = {}) {
  return property<Box>(column, attribute, group, computation, formula, source, get, label);
}

using enum Group;
using P = Computation;

constexpr std::array kBoxRows{
    box_row("image", "image", basic, P::values, "Distinct values", "", [](Box& s) { return s.basic().image; }),
    box_row("collisions", "collisions", basic, P::values, "Pairs x < y with S(x) = S(y)", "Vaudenay 1996",
        [](Box& s) { return s.basic().collisions; }),
    box_row("", "first_collision", basic, P::values, "The pair x < y with S(x) = S(y) and the smallest x, then y; none if S is injective", "",
        [](Box& s) { return s.basic().first_collision; }),
    box_row("balanced", "balanced", basic, P::values, "Whether every one of the 2^m values is taken equally often", "",
        [](Box& s) { return s.basic().balanced; }),
    box_row("permutation", "permutation", basic, P::values, "Whether S is one-to-one with n = m", "",
        [](Box& s) { return s.basic().permutation; }),
    box_row("fixed", "fixed_points", basic, P::values, "S(x) = x; n = m", "", [](Box& s) { return s.basic().fixed; }),
    box_row("antifixed", "opposite_fixed_points", basic, P::values, "S(x) = ~x; n = m", "",
        [](Box& s) { return s.basic().antifixed; }),
    box_row("cycles", "cycle_lengths", basic, P::values, "Lengths of the cycles of a permutation", "",
        [](Box& s) { return of_cycles(s, [](const Cycles& c) { return c.lengths; }); }),
    box_row("order", "order", basic, P::values, "Least common multiple of the cycles' lengths", "",
        [](Box& s) { return of_cycles(s, [](const Cycles& c) { return BigNumber{c.order}; }); }),
    box_row("odd", "odd", basic, P::values, "Whether the permutation is odd", "",
        [](Box& s) { return of_cycles(s, [](const Cycles& c) { return c.odd; }); }),
    box_row("involution", "involution", basic, P::values, "Whether the permutation is its own inverse", "",
        [](Box& s) { return of_cycles(s, [](const Cycles& c) { return c.involution; }); }),

    box_row("du", "differential_uniformity", differential, P::differential, "max delta(a,b), a != 0, all b", "Nyberg 1993",
        [](Box& s) { return s.differential().uniformity; }),
    box_row("du_count", "differential_uniformity_count", differential, P::differential, "How many entries reach the uniformity", "",
        [](Box& s) { return s.differential().attained; }),
    box_row("du0", "largest_zero_difference", differential, P::differential, "max delta(a,0), a != 0", "",
        [](Box& s) { return s.differential().largest_zero; }),
    box_row("ddt", "ddt_histogram", differential, P::differential, "Histogram of delta(a,b), a != 0, all b", "Biham and Shamir 1991",
        [](Box& s) { return s.differential().ddt; }),
    box_row("apn", "apn", differential, P::differential, "Almost perfect nonlinear: uniformity 2 and n = m",
        "Nyberg and Knudsen 1992", [](Box& s) { return s.differential().apn; }),
    box_row("dbn", "differential_branch_number", differential, P::differential,
        "min wt(a) + wt(b), a != 0, delta(a,b) > 0", "", [](Box& s) { return s.differential().branch_number; }),
    box_row("d1", "one_bit_differences", differential, P::differential, "Nonzero delta(a,b) with wt(a) = wt(b) = 1",
        "Zhang et al. 2015", [](Box& s) { return s.differential().one_bit_to_one; }),
    on_host(box_row("anomaly_d", "differential_anomaly", differential, P::differential,
        "-log2 of the probability that a random permutation's DDT is as good; 2 to 10 bits",
        "Bonnetain, Perrin and Tian 2019",
        [](Box& s) {
          return anomaly(s, [](Box& box) {
            return spectral::differential_anomaly(box.inputs(), box.differential().uniformity,
                                                  box.differential().attained);
          });
        })),

    box_row("linearity", "linearity", linear, P::all_components, "max |W(a,b)|, all a, b != 0", "Nyberg 1993",
        [](Box& s) { return s.all_linearity(); }),
    box_row("nl", "nonlinearity", linear, P::all_components, "2^(n-1) - linearity / 2", "Nyberg 1993",
        [](Box& s) { return s.all_nonlinearity(); }),
    box_row("lin_count", "linearity_count", linear, P::linear, "How many entries reach the linearity", "",
        [](Box& s) { return s.linear().attained; }),
    box_row("lin_first", "first_linearity", linear, P::linear, "(a, b) of the first entry that reaches the linearity, row by row", "",
        [](Box& s) { return Pair(s.linear().first_a, s.linear().first_b); }),
    box_row("walsh", "walsh_histogram", linear, P::linear, "Histogram of W(a,b), all a, b != 0", "Matsui 1993",
        [](Box& s) { return s.linear().walsh; }),
    box_row("walsh_zeros", "walsh_zeros", linear, P::linear, "Entries with W(a,b) = 0, b != 0", "",
        [](Box& s) { return s.linear().zeros; }),
    on_gpu(box_row("nl_coord", "coordinate_nonlinearities", linear, P::single_components, "Nonlinearities of y_0, y_1, ...", "",
        [](Box& s) { return s.coordinates(); })),
    box_row("ab", "almost_bent", linear, P::linear, "n = m odd and linearity 2^((n+1)/2)", "Chabaud and Vaudenay 1994",
        [](Box& s) { return s.linear().almost_bent; }),
    box_row("lbn", "linear_branch_number", linear, P::linear,
        "min wt(a) + wt(b), a != 0, b != 0, W(a,b) != 0; none without such", "",
        [](Box& s) { return s.linear().branch_number; }),
    box_row("l1", "one_bit_approximations", linear, P::linear, "Nonzero W(a,b) with wt(a) = wt(b) = 1", "Zhang et al. 2015",
        [](Box& s) { return s.linear().one_bit_to_one; }),
    on_host(box_row("anomaly_l", "linear_anomaly", linear, P::linear,
        "-log2 of the probability that a random permutation's LAT is as good; 2 to 10 bits",
        "Bonnetain, Perrin and Tian 2019",
        [](Box& s) {
          return anomaly(s, [](Box& box) {
            return spectral::linear_anomaly(box.inputs(), box.linear().linearity, box.linear().attained);
          });
        })),

    box_row("nl_dist", "nonlinearity_histogram", components, P::all_components, "Histogram of the components' nonlinearities", "",
        [](Box& s) { return s.all_nonlinearities(); }),
    box_row("mindeg", "minimum_degree", components, P::component_degrees, "The least of the components' degrees", "",
        [](Box& s) { return of_components(s.component_degrees()).begin()->first; }),
    box_row("deg_dist", "degree_histogram", components, P::component_degrees, "Histogram of the components' degrees", "",
        [](Box& s) { return of_components(s.component_degrees()); }),
    box_row("ac", "absolute_indicator", components, P::autocorrelation, "max |r(a,b)|, a != 0, b != 0",
        "Zhang and Zheng 1995", [](Box& s) { return s.autocorrelation().indicator; }),
    box_row("ac_dist", "absolute_indicator_histogram", components, P::autocorrelation,
        "Histogram of max |r(a,b)|, a != 0, of each component", "",
        [](Box& s) { return of_components(s.autocorrelation().indicators); }),
    on_host(box_row("", "act_histogram", components, P::autocorrelation, "Histogram of r(a,b), a != 0, b != 0", "",
        [](Box& s) { return act_histogram(s.values(), s.work(P::autocorrelation)); })),
    box_row("lin_dist", "linear_structure_distance", components, P::autocorrelation,
        "2^(n-2) - ac / 4: of the components to the nearest function with a linear structure",
        "Meier and Staffelbach 1989", [](Box& s) { return (s.size() - s.autocorrelation().indicator) / 4; }),
    box_row("ssi_min", "least_sum_of_squares", components, P::autocorrelation,
        "Least sum of squares of r(a,b), all a, over components", "Zhang and Zheng 1995",
        [](Box& s) { return least(s.autocorrelation().sums); }),
    box_row("ssi_max", "largest_sum_of_squares", components, P::autocorrelation,
        "Largest sum of squares of r(a,b), all a, over components", "Zhang and Zheng 1995",
        [](Box& s) { return largest(s.autocorrelation().sums); }),
    box_row("plateaued", "plateaued_components", components, P::linear, "Components whose |W| takes one value besides 0",
        "Zheng and Zhang 1999", [](Box& s) { return s.linear().plateaued; }),
    box_row("bent_comp", "bent_components", components, P::linear, "Components that are bent", "Rothaus 1976",
        [](Box& s) { return s.linear().bent; }),
    box_row("pc", "propagation", components, P::autocorrelation,
        "The largest l with r(a,b) = 0 for 1 <= wt(a) <= l, b != 0", "Preneel et al. 1990",
        [](Box& s) { return s.autocorrelation().propagation; }),
    box_row("vectorial_bent", "vectorial_bent", components, P::linear, "Whether all components are bent", "Nyberg 1991",
        [](Box& s) { return s.linear().bent == s.last_mask(); }),

    box_row("bu", "boomerang_uniformity", boomerang, P::boomerang, "max of the BCT, a != 0, b != 0", "Cid et al. 2018",
        [](Box& s) { return s.boomerang().uniformity; }),
    box_row("bct", "bct_histogram", boomerang, P::boomerang, "Histogram of the BCT, a != 0, b != 0", "Li et al. 2019",
        [](Box& s) { return s.boomerang().bct; }),
    box_row("fbu", "feistel_boomerang_uniformity", boomerang, P::boomerang,
        "max of the FBCT, a != 0, b != 0, a != b; none for one input", "Boukerrou et al. 2020",
        [](Box& s) { return s.boomerang().feistel_uniformity; }),
    box_row("fbct", "fbct_histogram", boomerang, P::boomerang, "Histogram of the FBCT, a != 0, b != 0, a != b",
        "Boukerrou et al. 2020", [](Box& s) { return s.boomerang().fbct; }),
    on_host(box_row("anomaly_b", "boomerang_anomaly", boomerang, P::boomerang,
        "-log2 of the probability that a random permutation's BCT is as good; 2 to 10 bits",
        "Bonnetain, Perrin and Tian 2019",
        [](Box& s) {
          return anomaly(s, [](Box& box) {
            return spectral::boomerang_anomaly(box.inputs(), box.boomerang().uniformity,
                                               box.boomerang().bct.rbegin()->second);
          });
        })),
    box_row("ubct_max", "ubct_uniformity", boomerang, P::family, "max of the UBCT, none of the differences 0; permutations of up to 8 bits", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return most_of_family(s, [](const BoomerangFamily& f) { return f.ubct; }); }, "UBCT"),
    box_row("ubct", "ubct_histogram", boomerang, P::family, "Histogram of UBCT(a,b,d), all != 0", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return of_family(s, [](const BoomerangFamily& f) { return f.ubct; }); }),
    box_row("lbct_max", "lbct_uniformity", boomerang, P::family, "max of the LBCT, none of the differences 0; permutations of up to 8 bits", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return most_of_family(s, [](const BoomerangFamily& f) { return f.lbct; }); }, "LBCT"),
    box_row("lbct", "lbct_histogram", boomerang, P::family, "Histogram of LBCT(a,c,d), all != 0", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return of_family(s, [](const BoomerangFamily& f) { return f.lbct; }); }),
    box_row("ebct_max", "ebct_uniformity", boomerang, P::family, "max of the EBCT, none of the differences 0; permutations of up to 8 bits", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return most_of_family(s, [](const BoomerangFamily& f) { return f.ebct; }); }, "EBCT"),
    box_row("ebct", "ebct_histogram", boomerang, P::family, "Histogram of EBCT(a,b,c,d), all != 0", "Delaune, Derbez and Vavrille 2020",
        [](Box& s) { return of_family(s, [](const BoomerangFamily& f) { return f.ebct; }); }),
    box_row("dbct_max", "dbct_uniformity", boomerang, P::family, "max of the DBCT, none of the differences 0; permutations of up to 8 bits", "Hadipour, Bagheri and Song 2021",
        [](Box& s) { return most_of_family(s, [](const BoomerangFamily& f) { return f.dbct; }); }, "DBCT"),
    box_row("dbct", "dbct_histogram", boomerang, P::family, "Histogram of DBCT(a,d), a != 0, d != 0", "Hadipour, Bagheri and Song 2021",
        [](Box& s) { return of_family(s, [](const BoomerangFamily& f) { return f.dbct; }); }),

    on_gpu(box_row("deg", "degree", algebra, P::values, "The largest of the coordinates' degrees; -1 for the zero box", "",
        [](Box& s) { return s.degree(); })),
    box_row("deg_inv", "inverse_degree", algebra, P::values, "Degree of the inverse of a permutation", "",
        [](Box& s) { return s.basic().permutation ? std::optional(degree(inverse(s.values()))) : std::nullopt; }),
    box_row("eq1", "", algebra, P::algebra, "Independent equations of degree 1 that hold at every (x, S(x))",
        "Courtois and Pieprzyk 2002", [](Box& s) { return equations_of(s, 1); }),
    box_row("eq2", "", algebra, P::algebra, "Independent equations of degree 1 and 2; n + m <= 24", "Courtois and Pieprzyk 2002",
        [](Box& s) { return equations_of(s, 2); }),
    box_row("eq3", "", algebra, P::algebra, "Independent equations of degree 1 to 3; n + m <= 20", "Courtois and Pieprzyk 2002",
        [](Box& s) { return equations_of(s, 3); }),
    box_row("ai_dist", "immunity_histogram", algebra, P::immunities, "Histogram of the components' algebraic immunities",
        "Armknecht and Krause 2006", [](Box& s) { return component_immunities(s.values(), s.work(P::immunities)); }),

    box_row("sac_min", "", avalanche, P::single_components, "Least number of x for which y_j changes when x_i does",
        "Webster and Tavares 1985", [](Box& s) { return s.avalanche().least_change; }),
    box_row("sac_max", "", avalanche, P::single_components, "The largest such number", "", [](Box& s) { return s.avalanche().most_change; }),
    box_row("sac_sum", "", avalanche, P::single_components, "Sum of these numbers over i and j", "",
        [](Box& s) { return s.avalanche().changes_sum; }),
    box_row("sac", "strict_avalanche", avalanche, P::single_components, "Whether y_j changes with x_i for N / 2 of the x, for all i and j", "Webster and Tavares 1985",
        [](Box& s) {
          const Avalanche& found = s.avalanche();
          return found.least_change == s.size() / 2 && found.most_change == s.size() / 2;
        }),
    on_gpu(box_row("", "pair_nonlinearities", avalanche, P::single_components, "Nonlinearities of y_j + y_k, j < k; empty for one output",
        "Adams and Tavares 1990", [](Box& s) { return s.pair_nonlinearities(); })),
    on_gpu(box_row("bic_nl_min", "", avalanche, P::single_components, "Least nonlinearity of y_j + y_k, j < k", "Adams and Tavares 1990",
        [](Box& s) { return of_pairs(s, [](Box& box) { return std::ranges::min(box.pair_nonlinearities()); }); })),
    on_gpu(box_row("bic_nl_sum", "", avalanche, P::single_components, "Sum of these nonlinearities", "",
        [](Box& s) {
          return of_pairs(s, [](Box& box) {
            const Numbers& pairs = box.pair_nonlinearities();
            return std::accumulate(pairs.begin(), pairs.end(), std::uint64_t{0});
          });
        })),
    box_row("bic_sac_sum", "", avalanche, P::single_components, "Sum over j < k and i of #{x: y_j + y_k changes when x_i does}",
        "Webster and Tavares 1985",
        [](Box& s) { return of_pairs(s, [](Box& box) { return box.avalanche().pair_changes_sum; }); }),
    box_row("", "pair_changes_sum", avalanche, P::single_components, "Over j < k and i: #{x: y_j + y_k changes when x_i does}",
        "Webster and Tavares 1985", [](Box& s) { return s.avalanche().pair_changes_sum; }),
    box_row("ci", "correlation_immunity", avalanche, P::linear, "The least of the components' correlation immunities", "Siegenthaler 1984",
        [](Box& s) { return s.linear().correlation_immunity; }),
    box_row("resil", "resiliency", avalanche, P::linear, "Correlation immunity if balanced, otherwise -1", "Siegenthaler 1984",
        [](Box& s) { return s.linear().resiliency; }),

    box_row("ls_pos", "positive_structures", structure, P::values, "(a,b) with r(a,b) = N, a != 0, b != 0",
        "Evertse 1987; Lai 1994", [](Box& s) { return s.structures().positive; }),
    box_row("ls_neg", "negative_structures", structure, P::values, "(a,b) with r(a,b) = -N", "Evertse 1987; Lai 1994",
        [](Box& s) { return s.structures().negative; }),

    box_row("to", "transparency_order", sidechannel, P::transparency,
        "max over beta of |m - 2 wt(beta)| - sum over a != 0 of |sum over j of (-1)^beta_j r(a,2^j)| / (N^2 - N); "
        "m <= 16",
        "Prouff 2005", [](Box& s) { return s.transparency_order(); }, "transparency order"),
    box_row("rto", "revised_transparency_order", sidechannel, P::revised_transparency,
        "max over beta of m - sum over a != 0 and j of |sum over i of (-1)^(beta_i + beta_j) C_ij(a)| / (N^2 - N), C_ij(a) = "
        "sum over x of (-1)^(y_i(x) + y_j(x + a)); m <= 16",
        "Chakraborty et al. 2017", [](Box& s) { return revised_transparency_order(s.values(), s.work(P::revised_transparency)); }, "revised"),
    box_row("snr", "signal_to_noise_ratio", sidechannel, P::values,
        "m N^2 / sqrt(sum over a of (sum over j of W(a,2^j))^4); none for a sum of 0", "Guilley, Hoogvorst and Pacalet 2004",
        [](Box& s) {
          const double ratio = signal_to_noise_ratio(s.values(), s.work(P::values));
          return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
        }, "signal to noise"),
    box_row("cc_mean", "confusion_mean", sidechannel, P::values,
        "Mean over d != 0 of the confusion coefficients, the mean over x of (wt(S(x)) - wt(S(x + d)))^2", "Fei, Luo and Ding 2012",
        [](Box& s) { return s.confusion().mean; }),
    box_row("cc_var", "confusion_variance", sidechannel, P::values, "Their variance", "Picek et al. 2014",
        [](Box& s) { return s.confusion().variance; }, "confusion variance"),
    box_row("cc_min", "confusion_minimum", sidechannel, P::values, "The least of them", "Fei, Luo and Ding 2012",
        [](Box& s) { return s.confusion().minimum; }, "confusion minimum"),

    box_row("gamma_rank", "gamma_rank", ccz, P::ranks,
        "Rank over F_2 of [u + v is an (x, S(x))]; n = m <= 8, minutes above 6", "Edel and Pott 2009",
        [](Box& s) { return s.gamma_rank(); }),
    box_row("delta_rank", "delta_rank", ccz, P::ranks,
        "Rank over F_2 of [u + v is an (a,b) with a != 0, delta(a,b) > 0]; n = m <= 8, minutes above 6",
        "Edel and Pott 2009", [](Box& s) { return s.delta_rank(); }),
    box_row("ortho_ddt", "", ccz, P::ortho_derivative, "Histogram of the DDT of the ortho-derivative of a quadratic APN function",
        "Canteaut, Couvreur and Perrin 2022",
        [](Box& s) {
          return of_ortho_derivative(s, [](Box& ortho) -> const Histogram& { return ortho.differential().ddt; });
        }),
    box_row("ortho_walsh", "", ccz, P::ortho_derivative, "Histogram of the LAT of the ortho-derivative", "Canteaut, Couvreur and Perrin 2022",
        [](Box& s) {
          return of_ortho_derivative(s, [](Box& ortho) -> const Histogram& { return ortho.linear().walsh; });
        }),

    box_row("nl2", "second_order_nonlinearity", extended, P::second_order,
        "Least distance of a component to the functions of degree 2; n <= 9", "Carlet 2008",
        [](Box& s) { return s.second_order_nonlinearity(); }, "second-order nonlinearity"),
    box_row("cdu", "", extended, P::c_differential,
        "For c = 0, 1, 2, ...: max over a, b (a != 0 for c = 1) of #{x: S(x + a) + c S(x) = b} over GF(2^n), modulo the field's polynomial; n <= 12",
        "Ellingsen et al. 2020", [](Box& s) { return s.c_differential(); }),
    box_row("delta_k", "product_degrees", extended, P::products,
        "For k = 1 to m: the largest degree of a product of at most k coordinates; n + m <= 32", "Boura and Canteaut 2013",
        [](Box& s) { return product_degrees(s.values(), s.work(P::products)); }, "degrees of products"),
    box_row("nonlin_inv", "nonlinear_invariant_dimensions", extended, P::nonlinear_invariants,
        "Dimensions of the g of degree 1 and 2, without constant term, with g(S(x)) = g(x), and with g(S(x)) = g(x) + c for any c; n = m",
        "Todo, Leander and Sasaki 2016", [](Box& s) { return invariant_dimensions(s); },
        "dimensions of nonlinear invariants"),
    on_host(box_row("flats", "vanishing_flats", extended, P::differential,
        "Planes {x, y, z, x + y + z} on which S sums to 0", "Li et al. 2020",
                    [](Box& s) { return vanishing_flats(s); }, "vanishing flats")),

    box_row("", "exhaustive_nonlinearity_histogram", components, P::exhaustive,
        "Histogram of all 2^m - 1 components, for any m with n <= 10: minutes for m = 32", "",
        [](Box& s) { return s.exhaustive().nonlinearities; }),
    box_row("", "exhaustive_linearity", components, P::exhaustive, "max |W(a,b)| of all 2^m - 1 components", "",
        [](Box& s) { return s.exhaustive().linearity; }),
    box_row("", "exhaustive_masks", components, P::exhaustive,
        "The b that reach this linearity, ascending: the smallest 4096 at most", "",
        [](Box& s) { return Numbers(s.exhaustive().masks.begin(), s.exhaustive().masks.end()); }),
};

}  // namespace

std::span<const BoxProperty> box_properties() {
  return kBoxRows;
}

}  // namespace fugu::spectral::lab
