// T_d(x) + T_d(x + a) = a says that x + T_d(x) is the same at x and at x + a. For each d, the pairs of inputs
// of one c = x + T_d(x) are therefore all that is counted, with a = x + x' and b = S(x) + S(x').
#include "fugu/spectral/sbox/boomerang.hpp"

#include <algorithm>
#include <tuple>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {
namespace {

struct Meeting {
  std::uint32_t a, b, c;
};

// visit(d, the meetings of d), for d != 0. Each meeting stands for two x.
template <class Visit>
void for_each_switch(const SBox& box, const SBoxOptions& options, Visit visit) {
  detail::require_at_most(kMaxFamilyBits, box.inputs(), "the tables of boomerangs through several rounds",
                          "inputs");
  const SBox back = inverse(box);
  std::vector<Meeting> meetings;
  for (std::uint32_t d = 1; d < box.size(); ++d) {
    detail::throw_if_stopped(options.stop);
    std::vector<std::vector<std::uint32_t>> inputs(box.size());  // by c
    for (std::uint32_t x = 0; x < box.size(); ++x) inputs[x ^ back[box[x] ^ d]].push_back(x);
    meetings.clear();
    for (std::uint32_t c = 0; c < box.size(); ++c) {
      for (std::size_t i = 1; i < inputs[c].size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const std::uint32_t x = inputs[c][i], y = inputs[c][j];
          meetings.push_back({x ^ y, box[x] ^ box[y], c});
        }
      }
    }
    visit(d, meetings);
  }
}

// visit(meeting, 2 times how many meetings have the same key).
template <class Key, class Visit>
void for_each_entry(std::vector<Meeting>& meetings, Key key, Visit visit) {
  std::ranges::sort(meetings, {}, key);
  for (std::size_t first = 0, end = 0; first < meetings.size(); first = end) {
    while (end < meetings.size() && key(meetings[end]) == key(meetings[first])) ++end;
    visit(meetings[first], static_cast<std::int64_t>(2 * (end - first)));
  }
}

constexpr auto with_b = [](const Meeting& meeting) { return std::tuple(meeting.a, meeting.b); };
constexpr auto with_c = [](const Meeting& meeting) { return std::tuple(meeting.a, meeting.c); };
constexpr auto with_both = [](const Meeting& meeting) { return std::tuple(meeting.a, meeting.b, meeting.c); };

void add_zeros(Histogram& histogram, std::uint64_t entries) {
  for (const auto& [value, count] : histogram) entries -= count;
  if (entries != 0) histogram[0] = entries;
}

// UBCT(a,b,d) by a, and LBCT(b,c,d) by b and c, of d != 0.
struct Sparse {
  struct Upper {
    std::uint32_t b, d;
    std::int64_t count;
  };
  struct Lower {
    std::uint32_t d;
    std::int64_t count;
  };
  std::vector<std::vector<Upper>> upper;
  std::vector<std::vector<Lower>> lower;
};

Sparse sparse_tables(const SBox& box, const SBoxOptions& options) {
  Sparse tables{std::vector<std::vector<Sparse::Upper>>(box.size()),
                std::vector<std::vector<Sparse::Lower>>(box.size() * box.size())};
  for_each_switch(box, options, [&](std::uint32_t d, std::vector<Meeting>& meetings) {
    for_each_entry(meetings, with_b, [&](const Meeting& entry, std::int64_t count) {
      tables.upper[entry.a].push_back({entry.b, d, count});
    });
    for_each_entry(meetings, with_c, [&](const Meeting& entry, std::int64_t count) {
      tables.lower[entry.a * box.size() + entry.c].push_back({d, count});
    });
  });
  return tables;
}

}  // namespace

std::vector<SwitchEntry> switch_entries(const SBox& box, SwitchTable table, const SBoxOptions& options) {
  std::vector<SwitchEntry> entries;
  for_each_switch(box, options, [&](std::uint32_t d, std::vector<Meeting>& meetings) {
    const auto keep = [&](const Meeting& entry, std::int64_t count) {
      entries.push_back({entry.a, table == SwitchTable::lbct ? 0 : entry.b,
                         table == SwitchTable::ubct ? 0 : entry.c, d, count});
    };
    if (table == SwitchTable::ubct) for_each_entry(meetings, with_b, keep);
    if (table == SwitchTable::lbct) for_each_entry(meetings, with_c, keep);
    if (table == SwitchTable::ebct) for_each_entry(meetings, with_both, keep);
  });
  std::ranges::sort(entries);
  return entries;
}

// The row and the column of 0 are N^2: all x pass.
std::vector<std::int64_t> dbct(const SBox& box, const SBoxOptions& options) {
  const Sparse tables = sparse_tables(box, options);
  const std::size_t size = box.size();
  std::vector<std::int64_t> table(size * size);
  for (std::size_t i = 0; i < size; ++i) table[i] = table[i * size] = static_cast<std::int64_t>(size * size);
  for (std::size_t a = 1; a < size; ++a) {
    for (const Sparse::Upper& upper : tables.upper[a]) {
      for (const Sparse::Lower& lower : tables.lower[upper.b * size + upper.d])
        table[a * size + lower.d] += upper.count * lower.count;
    }
  }
  return table;
}

BoomerangFamily boomerang_family(const SBox& box, const SBoxOptions& options) {
  BoomerangFamily found;
  for_each_switch(box, options, [&](std::uint32_t, std::vector<Meeting>& meetings) {
    const auto count_in = [](Histogram& histogram) {
      return [&](const Meeting&, std::int64_t count) { ++histogram[count]; };
    };
    for_each_entry(meetings, with_b, count_in(found.ubct));
    for_each_entry(meetings, with_c, count_in(found.lbct));
    for_each_entry(meetings, with_both, count_in(found.ebct));
  });
  const std::vector<std::int64_t> doubled = dbct(box, options);
  for (std::size_t a = 1; a < box.size(); ++a) {
    for (std::size_t d = 1; d < box.size(); ++d) ++found.dbct[doubled[a * box.size() + d]];
  }
  const std::uint64_t others = box.size() - 1;
  add_zeros(found.ubct, others * others * others);
  add_zeros(found.lbct, others * others * others);
  add_zeros(found.ebct, others * others * others * others);
  return found;
}

}  // namespace fugu::spectral
