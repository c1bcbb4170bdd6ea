// Functions in the CCZ class of a box, made of its Walsh-zero spaces.
#include <utility>

#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/equivalence/walsh_zeros.hpp"
#include "fugu/spectral/sbox/algebra.hpp"

namespace fugu::spectral {
namespace {

using Masks = std::vector<std::uint32_t>;

// The linear map whose output bit i is the parity of masks[i] & x.
AffineMap map_of(const Masks& masks, int inputs) {
  return detail::transposed({inputs, masks, 0});
}

Masks span_of(const Masks& basis) {
  Masks span{0};
  for (const std::uint32_t v : basis) {
    const std::size_t size = span.size();
    for (std::size_t i = 0; i < size; ++i) span.push_back(span[i] ^ v);
  }
  return span;
}

// The masks, and unit vectors that complete them to a basis of F_2^bits.
Masks completed(Masks masks, int bits) {
  detail::LinearPairs pairs(masks);
  for (std::uint32_t unit = 1; unit != std::uint32_t{1} << bits; unit *= 2) {
    if (pairs.image(unit)) continue;
    pairs.add(unit, unit);
    masks.push_back(unit);
  }
  return masks;
}

// The image of the graph under the map of these masks, the m of y first, then the n of x.
Image image_of(const SBox& box, const Masks& masks) {
  const int m = box.outputs();
  Witness witness{.relation = Equivalence::ccz, .l = map_of(masks, box.inputs() + m)};
  std::vector<std::uint32_t> values(box.size());
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    const std::uint32_t image = witness.l(x << m | box[x]);
    values[image >> m] = image & box.last_mask();
  }
  return {SBox(box.inputs(), m, std::move(values)), std::move(witness)};
}

AffineMap composed(const AffineMap& outer, const AffineMap& inner) {
  AffineMap map{outer.outputs, {}, outer(inner.constant)};
  for (const std::uint32_t column : inner.columns) map.columns.push_back(outer(column) ^ outer.constant);
  return map;
}

// A space as {(a + a_i + a_j + ..., b_i + b_j + ...)}, a in the span of `kernel`.
struct Split {
  Masks kernel;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // (b_i, a_i), a_i = 0 where that is possible
};

Split split(const WalshZeroSpace& space, int outputs) {
  Split found;
  for (const std::uint32_t v : space.basis) {
    std::uint32_t b = v & ((std::uint32_t{1} << outputs) - 1);
    std::uint32_t a = v >> outputs;
    for (const auto& [other_b, other_a] : found.pairs) {
      if ((b ^ other_b) >= b) continue;
      b ^= other_b;
      a ^= other_a;
    }
    if (b == 0) {
      found.kernel.push_back(a);
    } else {
      found.pairs.emplace_back(b, a);
      std::ranges::sort(found.pairs, std::greater());
    }
  }
  const detail::LinearPairs kernel(found.kernel);
  for (auto& [b, a] : found.pairs)
    if (kernel.image(a)) a = 0;
  return found;
}

bool is_product(const Split& split) {
  return std::ranges::all_of(split.pairs, [](const auto& pair) { return pair.second == 0; });
}

// S + C has the product of the span of the b_i and of the kernel among its Walsh-zero spaces, for C^T(b_i) =
// a_i: C(x) is the sum of the phi_i with a_i.x = 1, and b_j.phi_i = 1 for i = j only.
AffineMap straightening(const Split& split, int inputs, const AffineMap& phi) {
  AffineMap c{phi.outputs, Masks(static_cast<std::size_t>(inputs)), 0};
  for (std::size_t i = 0; i < split.pairs.size(); ++i) {
    for (std::size_t j = 0; j < c.columns.size(); ++j)
      if ((split.pairs[i].second >> j & 1) != 0) c.columns[j] ^= phi.columns[i];
  }
  return c;
}

Image tu_of(const SBox& box, const Split& split) {
  Masks b_masks;
  for (const auto& [b, a] : split.pairs) b_masks.push_back(b);
  Masks x_masks = completed(split.kernel, box.inputs());
  std::rotate(x_masks.begin(), x_masks.begin() + static_cast<std::ptrdiff_t>(split.kernel.size()),
              x_masks.end());
  const AffineMap b = map_of(completed(b_masks, box.outputs()), box.outputs());
  const AffineMap a = inverse(map_of(x_masks, box.inputs()));
  const AffineMap c = composed(b, composed(straightening(split, box.inputs(), inverse(b)), a));
  std::vector<std::uint32_t> values(box.size());
  for (std::uint32_t z = 0; z < box.size(); ++z) values[z] = b(box[a(z)]) ^ c(z);
  return {SBox(box.inputs(), box.outputs(), std::move(values)),
          {.relation = Equivalence::ea, .a = a, .b = b, .c = c}};
}

Masks joined(Masks first, const Masks& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Different for most EA classes, and found faster than a search.
struct Key {
  Key(const SBox& box, const SBoxOptions& options)
      : degrees(nonaffine_degrees(box, options)),
        rows(ddt_rows_digest(box, options)),
        sums(sums_digest(box, options)) {}
  friend bool operator==(const Key&, const Key&) = default;

  Histogram degrees;
  Digest rows;
  Digest sums;
};

// A space of each orbit under the maps of a quadratic APN function to itself, which make EA-equivalent
// functions. The translations are a normal subgroup, so they act last.
std::vector<WalshZeroSpace> of_orbits(const SBox& box, const SBox& pi,
                                      const std::vector<WalshZeroSpace>& spaces,
                                      const SearchOptions& options) {
  detail::Budget budget(options);
  std::vector<AffineMap> maps;
  for (const AffineMap& l : detail::quadratic_automorphisms(box, pi, budget))
    maps.push_back(detail::transposed(l));
  const std::span translations = std::span(maps).first(static_cast<std::size_t>(box.inputs()));
  std::map<Masks, std::size_t> places;
  for (std::size_t i = 0; i < spaces.size(); ++i) places[detail::reduced(spaces[i].basis)] = i;
  std::vector<bool> seen(spaces.size());
  std::vector<WalshZeroSpace> chosen;
  for (std::size_t first = 0; first < spaces.size(); ++first) {
    if (seen[first]) continue;
    chosen.push_back(spaces[first]);
    seen[first] = true;
    std::vector<std::size_t> orbit{first};
    const auto add_image = [&](const AffineMap& map, std::size_t of) {
      Masks image;
      for (const std::uint32_t v : spaces[of].basis) image.push_back(map(v));
      const std::size_t place = places.at(detail::reduced(std::move(image)));
      if (!seen[place]) orbit.push_back(place);
      seen[place] = true;
    };
    for (const AffineMap& map : maps) add_image(map, first);
    for (std::size_t next = 0; next < orbit.size(); ++next) {
      budget.look();
      for (const AffineMap& map : translations) add_image(map, orbit[next]);
    }
  }
  return chosen;
}

// Whether functions that spaces of different orbits make are not EA-equivalent: if only one of them is
// quadratic, any map of the graph to itself is an EA-equivalence.
bool are_classes(const std::vector<Image>& functions) {
  return std::ranges::count_if(functions, [](const Image& made) { return degree(made.box) <= 2; }) == 1;
}

}  // namespace

Image function_of(const SBox& box, const WalshZeroSpace& space) {
  const Masks all = completed(space.basis, box.inputs() + box.outputs());
  return image_of(box, joined({all.begin() + box.inputs(), all.end()}, space.basis));
}

std::optional<Image> permutation_of(const SBox& box, const std::vector<WalshZeroSpace>& spaces,
                                    const SBoxOptions& options) {
  if (box.inputs() != box.outputs()) return std::nullopt;
  std::vector<Masks> spans;
  for (const WalshZeroSpace& space : spaces) spans.push_back(span_of(space.basis));
  std::vector<std::size_t> last_with(std::size_t{1}
                                     << 2 * box.inputs());  // by vector: the last span with it, from 1
  const Progress done = options.begin ? options.begin(spans.size() * (spans.size() - 1) / 2) : Progress();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    detail::throw_if_stopped(options.stop);
    for (const std::uint32_t v : spans[i]) last_with[v] = v == 0 ? 0 : i + 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (std::ranges::none_of(spans[j], [&](std::uint32_t v) { return last_with[v] == i + 1; }))
        return image_of(box, joined(spaces[i].basis, spaces[j].basis));
    }
    if (done) done(i);
  }
  return std::nullopt;
}

std::optional<std::vector<Image>> ea_classes(const SBox& box, const std::vector<WalshZeroSpace>& all_spaces,
                                             const SearchOptions& options, const Progress& made) {
  std::vector<WalshZeroSpace> spaces = all_spaces;
  if (const std::optional<SBox> pi = ortho_derivative(box)) {
    try {
      spaces = of_orbits(box, *pi, all_spaces, options);
    } catch (const detail::OutOfTime&) {
      return std::nullopt;
    }
    std::vector<Image> functions;
    for (const WalshZeroSpace& space : spaces) functions.push_back(function_of(box, space));
    if (made) made(all_spaces.size() - spaces.size());
    if (are_classes(functions)) return functions;
  }
  std::vector<Image> classes;
  std::vector<Key> keys;
  for (const WalshZeroSpace& space : spaces) {
    Image image = function_of(box, space);
    Key key(image.box, {.threads = 1, .stop = options.stop});
    bool is_new = true;
    for (std::size_t i = 0; i < classes.size() && is_new; ++i) {
      if (keys[i] != key) continue;
      const Verdict verdict = find_equivalence(classes[i].box, image.box, Equivalence::ea, options).verdict;
      if (verdict == Verdict::undecided) return std::nullopt;
      is_new = verdict == Verdict::inequivalent;
    }
    if (made) made(1);
    if (!is_new) continue;
    classes.push_back(std::move(image));
    keys.push_back(std::move(key));
  }
  return classes;
}

std::optional<Image> tu_decomposition(const SBox& box, const std::vector<WalshZeroSpace>& spaces, int t) {
  std::optional<Split> best;
  for (const WalshZeroSpace& space : spaces) {
    if (space.thickness != t) continue;
    Split found = split(space, box.outputs());
    if (!best || (is_product(found) && !is_product(*best))) best = std::move(found);
  }
  return best ? std::optional(tu_of(box, *best)) : std::nullopt;
}

}  // namespace fugu::spectral
