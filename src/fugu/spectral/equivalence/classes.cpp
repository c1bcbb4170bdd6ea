// Published lists of classes: a list has a key that the boxes of a class share, or its representatives are
// searched.

#include "fugu/spectral/equivalence/canonical.hpp"
#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/differential.hpp"

namespace fugu::spectral {
namespace {

// Keys of listed classes, in the order of their numbers; tests/spectral/equivalence_test.cpp finds most
// again.
struct KeyList {
  std::string_view of, keys;
};
constexpr KeyList kKeyLists[] = {
#include "fugu/spectral/equivalence/class_lists.inc"  // made of class_lists.tsv
};

// The least affine representatives of all permutations of 3 and of 4 bits, ascending. There are 4 and 302 (De
// Canniere, thesis, KU Leuven 2007).
constexpr std::string_view kPermutations3 = kKeyLists[0].keys;
constexpr std::string_view kPermutations4 = kKeyLists[1].keys;

// The low 32 bits of ortho_digest() of the quadratic APN functions of 7 variables: 488 CCZ classes (Yu, Wang,
// Li, DCC 73, 2014; complete by Kalgin, Idrisova, Cryptogr. Commun. 15, 2023), in the order in which
// sboxU 2.0 lists them.
constexpr std::string_view kQuadratic7 = kKeyLists[2].keys;

// Of functions of 3 variables, the first three, and of 4, up to affine functions (Berlekamp, Welch, IEEE TIT
// 18, 1972).
constexpr auto kFunctions = std::span(kKeyLists).subspan(3, 8);

// Of APN functions of 6 variables, over GF(2^6) modulo 0x5b, the last not quadratic (Browning, Dillon,
// Kibler, McQuistan, J. Combin. Inform. System Sci. 34, 2009; Edel, Pott, AMC 3, 2009).
constexpr auto kApn6 = std::span(kKeyLists).subspan(11, 14);

constexpr std::string_view kByLeast = "the least affine representative";
constexpr std::string_view kByOrthoSpectra = "the spectra of the ortho-derivative";
constexpr std::string_view kBySearch = "a search for the map";

// The place in the list, from 0 on, and what decided it.
struct Place {
  int at;
  std::string_view by;
};

// A class of no list is empty; throws OutOfTime.
using FindClass = std::optional<Place> (*)(const SBox&, const SearchOptions&);

std::string digits(std::uint32_t value, int count) {
  std::string text;
  while (count-- > 0) text += "0123456789abcdef"[value >> 4 * count & 15];
  return text;
}

// The values of the least affine representative, of at most four bits each.
std::string least_key(const SBox& box, const SearchOptions& options) {
  const std::optional<Image> least = canonical(box, Equivalence::affine, options);
  if (!least) throw detail::OutOfTime();
  std::string key;
  for (const std::uint32_t value : least->box.values()) key += digits(value, 1);
  return key;
}

// Of all sums with linear functions.
std::string least_sum_key(const SBox& function, const SearchOptions& options) {
  std::string least;
  for (std::uint32_t l = 0; l < function.size(); ++l) {
    std::vector<std::uint32_t> values(function.values().begin(), function.values().end());
    for (std::uint32_t x = 0; x < values.size(); ++x) values[x] ^= std::popcount(x & l) % 2 != 0 ? 1u : 0u;
    const std::string key = least_key({function.inputs(), 1, std::move(values)}, options);
    if (least.empty() || key < least) least = key;
  }
  return least;
}

std::string ortho_key(const SBox& box) {
  return digits(static_cast<std::uint32_t>(ortho_digest(box).value_or(Digest{0}).value), 8);
}

// Keys of one length with blanks between them.
std::optional<Place> found(std::string_view keys, const std::string& key, std::string_view by) {
  const std::size_t at = keys.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return Place{static_cast<int>(at / (key.size() + 1)), by};
}

template <const std::string_view& keys>
std::optional<Place> find_permutation(const SBox& box, const SearchOptions& options) {
  return found(keys, least_key(box, options), kByLeast);
}

std::optional<Place> find_optimal(const SBox& box, const SearchOptions& options) {
  static const std::string keys = [] {
    std::string all;
    for (int i = 0; i < 16; ++i) all += least_key(*named_box("Optimal_S" + std::to_string(i)), {}) + " ";
    return all;
  }();
  return found(keys, least_key(box, options), kByLeast);
}

template <int variables>
std::optional<Place> find_function(const SBox& box, const SearchOptions& options) {
  static const std::string keys = [] {
    std::string all;
    for (const auto& [of, polynomial] : kFunctions) {
      if (polynomial.find(static_cast<char>('0' + variables)) != std::string_view::npos) break;
      const TruthTable table = TruthTable::from_polynomial(polynomial, variables);
      std::vector<std::uint32_t> values(table.size());
      for (std::size_t x = 0; x < values.size(); ++x) values[x] = table[x] ? 1u : 0u;
      all += least_sum_key({variables, 1, std::move(values)}, {}) + " ";
    }
    return all;
  }();
  return found(keys, least_sum_key(box, options),
               "the least affine representative of all sums with linear functions");
}

std::optional<Place> find_by_search(const SBox& box, const std::vector<SBox>& representatives,
                                    Equivalence relation, const SearchOptions& options) {
  for (std::size_t i = 0; i < representatives.size(); ++i) {
    const Verdict verdict = find_equivalence(box, representatives[i], relation, options).verdict;
    if (verdict == Verdict::undecided) throw detail::OutOfTime();
    if (verdict == Verdict::equivalent) return Place{static_cast<int>(i), kBySearch};
  }
  return std::nullopt;
}

std::optional<Place> find_apn6(const SBox& box, const SearchOptions& options) {
  static const std::vector<SBox> representatives = [] {
    std::vector<SBox> all;
    for (const auto& [of, polynomial] : kApn6) all.push_back(box_of_polynomial(polynomial, {6, 0x5b}));
    return all;
  }();
  static const std::string keys = [] {
    std::string all;
    for (const SBox& representative : representatives) all += ortho_key(representative) + " ";
    return all;
  }();
  if (ortho_derivative(box)) return found(keys, ortho_key(box), kByOrthoSpectra);
  return find_by_search(box, representatives, Equivalence::ccz, options);
}

// x^3 and x^9, the first two, have the same key.
std::optional<Place> find_quadratic7(const SBox& box, const SearchOptions& options) {
  const std::optional<Place> by_key = found(kQuadratic7, ortho_key(box), kByOrthoSpectra);
  if (!by_key || by_key->at != 0) return by_key;
  return find_by_search(box, {*named_box("power:7:3"), *named_box("power:7:9")}, Equivalence::ea, options);
}

bool is_permutation_of(const SBox& box, int bits) {
  return box.inputs() == bits && basic(box).permutation;
}

bool is_apn_of(const SBox& box, int bits) {
  return box.inputs() == bits && box.outputs() == bits && differential(box).uniformity == 2;
}

struct List {
  std::string_view of;
  int classes;
  int first;  // number
  Equivalence relation;
  std::string_view origin;
  bool (*covers)(const SBox&);
  FindClass find;
};
constexpr List kLists[] = {
    {"permutations of 3 bits", 4, 1, Equivalence::affine, "De Canniere 2007; by ascending representatives",
     [](const SBox& box) { return is_permutation_of(box, 3); }, find_permutation<kPermutations3>},
    {"permutations of 4 bits", 302, 1, Equivalence::affine, "De Canniere 2007; by ascending representatives",
     [](const SBox& box) { return is_permutation_of(box, 4); }, find_permutation<kPermutations4>},
    {"optimal permutations of 4 bits", 16, 0, Equivalence::affine, "Leander, Poschmann 2007",
     [](const SBox& box) { return is_permutation_of(box, 4) && differential(box).uniformity == 4; },
     find_optimal},
    {"functions of 3 variables", 3, 1, Equivalence::ea, "Berlekamp, Welch 1972",
     [](const SBox& box) { return box.inputs() == 3 && box.outputs() == 1; }, find_function<3>},
    {"functions of 4 variables", 8, 1, Equivalence::ea, "Berlekamp, Welch 1972",
     [](const SBox& box) { return box.inputs() == 4 && box.outputs() == 1; }, find_function<4>},
    {"APN functions of 6 variables", 14, 1, Equivalence::ccz,
     "Browning, Dillon, Kibler, McQuistan 2009; Edel, Pott 2009",
     [](const SBox& box) { return is_apn_of(box, 6); }, find_apn6},
    {"quadratic APN functions of 7 variables", 488, 1, Equivalence::ccz,
     "Yu, Wang, Li 2014; Kalgin, Idrisova 2023; numbers of sboxU 2.0",
     [](const SBox& box) { return is_apn_of(box, 7) && ortho_derivative(box); }, find_quadratic7}};

}  // namespace

std::optional<std::vector<ListedClass>> classes_of(const SBox& box, const SearchOptions& options) {
  std::vector<ListedClass> classes;
  try {
    for (const List& list : kLists) {
      if (!list.covers(box)) continue;
      if (const auto found = list.find(box, options))
        classes.push_back({list.of, list.classes, list.first, list.first + found->at, list.relation,
                           found->by, list.origin});
    }
  } catch (const detail::OutOfTime&) {
    return std::nullopt;
  }
  return classes;
}

}  // namespace fugu::spectral
