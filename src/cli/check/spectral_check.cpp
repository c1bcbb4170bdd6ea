// S-boxes whose tables are published, and bent functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cli/check/checks.hpp"
#include "fugu/spectral/limits.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::cli {
namespace {

struct CheckedValues {
  std::size_t values = 0;  // published values that were reproduced
  std::string difference = {};
};

// The largest |W(a,b)| of a, b != 0, as published: AES has nonlinearity 112 (Daemen and Rijmen, The Design of
// Rijndael, 2002), PRESENT is optimal among 4 x 4 boxes (Bogdanov et al., CHES 2007), and the best
// approximation of DES's S5 holds for 12 of 64 inputs (Matsui, EUROCRYPT 1993).
struct PublishedBox {
  std::string_view name;
  int linearity;
};
constexpr PublishedBox kBoxes[] = {{"AES", 32}, {"PRESENT", 8}, {"DES_S5", 40}};

// Rothaus 1976: x0 x1 + x2 x3 + ... is bent, every |W(a)| is 2^(n/2), and its dual is itself.
constexpr int kBentVariables[] = {2, 8, 14, 20};

template <class T>
class Check {
 public:
  Check(spectral::Isa isa, unsigned threads, CheckedValues& checked)
      : checked_(checked), limits_{isa}, options_{.threads = threads, .limits = &limits_} {}

  void box(const PublishedBox& published) {
    const spectral::SBox box = spectral::named_box(published.name).value();
    T largest = 0;
    for (std::uint32_t mask = 1; mask <= box.last_mask(); ++mask) {
      std::vector<T> values(box.size());
      for (std::size_t x = 0; x < values.size(); ++x)
        values[x] = static_cast<T>(__builtin_parity(box[x] & mask) != 0 ? -1 : 1);
      spectral::walsh<T>(values, box.inputs(), options_);
      for (std::size_t a = 1; a < values.size(); ++a)
        largest = std::max(largest, static_cast<T>(std::abs(values[a])));
    }
    compare(largest == static_cast<T>(published.linearity), published.name);
  }

  void bent(int variables) {
    std::vector<T> values(std::size_t{1} << variables);
    for (std::size_t x = 0; x < values.size(); ++x) values[x] = sign(x);
    spectral::walsh<T>(values, variables, options_);
    bool is_dual = true;
    for (std::size_t a = 0; a < values.size(); ++a)
      is_dual = is_dual && values[a] == static_cast<T>(std::int64_t{1} << variables / 2) * sign(a);
    compare(is_dual, fmt::format("the bent function of {} variables", variables));
    spectral::inverse_walsh<T>(values, variables, options_);
    bool is_back = true;
    for (std::size_t x = 0; x < values.size(); ++x) is_back = is_back && values[x] == sign(x);
    compare(is_back, fmt::format("the inverse of {} variables", variables));
  }

 private:
  static T sign(std::size_t x) {
    return static_cast<T>(__builtin_parityll(x & x >> 1 & 0x5555555555555555) != 0 ? -1 : 1);
  }

  void compare(bool same, std::string_view what) {
    if (!checked_.difference.empty()) return;
    ++checked_.values;
    if (same) return;
    constexpr std::string_view kIsas[] = {"baseline", "avx2", "avx512"};
    checked_.difference = fmt::format("{} is wrong ({} bytes per value, {})", what, sizeof(T),
                                      kIsas[static_cast<std::size_t>(limits_.isa)]);
  }

  CheckedValues& checked_;
  spectral::WalshLimits limits_;
  spectral::WalshOptions options_;
};

template <class T>
void check_type(spectral::Isa isa, unsigned threads, CheckedValues& checked) {
  Check<T> check(isa, threads, checked);
  for (const PublishedBox& box : kBoxes) check.box(box);
  for (const int variables : kBentVariables) check.bent(variables);
}

}  // namespace

Verdict check_spectral(unsigned threads) {
  CheckedValues checked;
  for (const spectral::Isa isa : {spectral::Isa::baseline, spectral::Isa::avx2, spectral::Isa::avx512}) {
    if (isa > spectral::best_isa()) break;
    check_type<std::int32_t>(isa, threads, checked);
    check_type<std::int64_t>(isa, threads, checked);
    check_type<float>(isa, threads, checked);
    check_type<double>(isa, threads, checked);
  }
  return {"spectra",
          std::move(checked.difference),
          fmt::format("{} published values", checked.values),
          {{"values", checked.values}}};
}

}  // namespace fugu::cli
