#include "cli/check/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "cli/check/embedded_vectors.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"
#include "fugu/spectral/limits.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/spectral/walsh.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {
namespace {

using engine::Op;
using Bytes = std::vector<std::byte>;

// --- published vectors

Bytes run_stream(engine::Engine& engine, const EmbeddedVector& vector, core::Direction direction,
                 std::span<const std::byte> input) {
  cipher::Schedule schedule;
  cipher::expand(vector.key, schedule);
  mode::Settings settings{vector.mode, mode::Padding::none, {}, vector.words, vector.counter};
  std::ranges::copy(vector.iv, settings.iv.emplace().begin());
  mode::CipherStream stream(engine, schedule, settings, direction);
  Bytes buffer(input.begin(), input.end());
  buffer.resize(input.size() + mode::kMaxPaddingBytes);
  buffer.resize(stream.process(buffer, input.size(), true));
  return buffer;
}

bool vector_agrees(engine::Engine& engine, const EmbeddedVector& vector) {
  return std::ranges::equal(run_stream(engine, vector, core::Direction::encrypt, vector.plaintext),
                            vector.ciphertext) &&
         std::ranges::equal(run_stream(engine, vector, core::Direction::decrypt, vector.ciphertext),
                            vector.plaintext);
}

// Returns the first difference; empty: none.
std::string difference_at_vectors(engine::Engine& engine, std::size_t& agreed) {
  for (const EmbeddedVector& vector : embedded_vectors()) {
    if (!vector_agrees(engine, vector)) return fmt::format("vector {}", vector.where);
    ++agreed;
  }
  return "";
}

// --- random segments against OpenSSL

constexpr std::size_t kMaxSegments = 5;
constexpr std::size_t kMaxBlocks = 700;  // more than any engine processes at a time

// An operation of engines, and OpenSSL's for the same work.
struct CheckedOp {
  Op op;
  std::string_view name;
  mode::Mode mode;
  core::Direction direction;
};
constexpr CheckedOp kOps[] = {
    {Op::ecb_encrypt, "ecb encryption", mode::Mode::ecb, core::Direction::encrypt},
    {Op::ecb_decrypt, "ecb decryption", mode::Mode::ecb, core::Direction::decrypt},
    {Op::ctr, "ctr", mode::Mode::ctr, core::Direction::encrypt},
    {Op::cbc_decrypt, "cbc decryption", mode::Mode::cbc, core::Direction::decrypt},
    {Op::cfb_decrypt, "cfb decryption", mode::Mode::cfb64, core::Direction::decrypt},
};

// Uses only what the standard fixes for every library, so no distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t any() { return generator_(); }
  std::size_t up_to(std::size_t most) { return static_cast<std::size_t>(generator_() % (most + 1)); }
  Bytes bytes(std::size_t count) {
    Bytes result(count);
    for (std::byte& byte : result) byte = static_cast<std::byte>(generator_());
    return result;
  }

 private:
  std::mt19937_64 generator_;
};

struct Case {
  Bytes key;
  std::uint64_t iv = 0;
  std::uint64_t first_block = 0;
  Bytes input;
  cipher::Schedule schedule;
  Bytes output;

  explicit Case(Random& random)
      : key(random.bytes(1 + random.up_to(cipher::kMaxKeyBytes - 1))),
        iv(random.any()),
        first_block(random.any()),
        input(random.bytes(core::kBlockBytes * random.up_to(kMaxBlocks))),
        output(input.size()) {
    cipher::expand(key, schedule);
  }

  engine::Segment segment() { return {&schedule, iv, first_block, input, output}; }
};

Bytes by_openssl(const CheckedOp& work, const Case& c) {
  mode::Settings settings{work.mode, mode::Padding::none, {}, {}, {}};
  core::store_u64_big(settings.iv.emplace().data(), work.op == Op::ctr ? c.iv + c.first_block : c.iv);
  Bytes result(c.input.size());
  OpensslStream(settings, work.direction, c.key).process(c.input, result);
  return result;
}

bool round_agrees(engine::Engine& engine, const CheckedOp& work, Random& random) {
  std::vector<Case> cases;
  cases.reserve(kMaxSegments);
  for (std::size_t i = random.up_to(kMaxSegments - 1) + 1; i > 0; --i) cases.emplace_back(random);
  std::vector<engine::Segment> segments;
  for (Case& c : cases) segments.push_back(c.segment());
  engine.run(work.op, segments);
  return std::ranges::all_of(cases, [&](const Case& c) { return c.output == by_openssl(work, c); });
}

std::string difference_from_openssl(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed,
                                    std::size_t& agreed) {
  Random random(seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const CheckedOp& work = kOps[round % std::size(kOps)];
    if (!round_agrees(engine, work, random))
      return fmt::format("{} differs from OpenSSL in round {} of seed {}", work.name, round, seed);
    ++agreed;
  }
  return "";
}

}  // namespace

Verdict check_engine(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed) {
  std::size_t vectors = 0, cross_checks = 0;
  std::string difference = difference_at_vectors(engine, vectors);
  if (difference.empty()) difference = difference_from_openssl(engine, rounds, seed, cross_checks);
  return {std::string(engine.name()),
          std::move(difference),
          fmt::format("{} known-answer vectors, {} cross-checks against OpenSSL", vectors, cross_checks),
          {{"vectors", vectors}, {"cross_checks", cross_checks}}};
}

namespace {

// --- embedded files, and altered copies of them that must not open

Secret secret_of(const EmbeddedSealedFile& file) {
  if (file.slot == "key") return Secret::key(file.secret);
  return Secret::passphrase({reinterpret_cast<const char*>(file.secret.data()), file.secret.size()});
}

// The plaintext; empty for a file that is refused, with the reason.
std::optional<Bytes> opened(std::span<const std::byte> bytes, const EmbeddedSealedFile& file,
                            std::string& reason) {
  try {
    return open(bytes, secret_of(file), {.engine = &engine::local_engine()});
  } catch (const Error& error) {
    reason = error.text();
    return std::nullopt;
  }
}

std::string difference_of(const EmbeddedSealedFile& file) {
  std::string reason;
  const std::optional<Bytes> plaintext = opened(file.file, file, reason);
  if (!file.opens) return plaintext ? fmt::format("{} opens, but must not", file.name) : "";
  if (!plaintext) return fmt::format("{}: {}", file.name, reason);
  if (std::ranges::equal(auth::sha256(*plaintext), file.plaintext_sha256)) return "";
  return fmt::format("{} opens with the wrong plaintext", file.name);
}

// Alters the header, its slot, the first segment and its tag, and the last byte.
std::vector<Bytes> altered_copies(std::span<const std::byte> file) {
  std::vector<Bytes> copies{Bytes(file.begin(), file.end() - 1)};
  for (const std::size_t at : {std::size_t{13}, std::size_t{60}, file.size() / 2, file.size() - 1}) {
    copies.emplace_back(file.begin(), file.end());
    copies.back()[at] ^= std::byte{1};
  }
  return copies;
}

struct Checked {
  std::size_t files = 0;    // opened or refused as expected
  std::size_t altered = 0;  // copies with one byte changed or missing, all refused
};

// Returns the first difference.
std::string difference_of_all(Checked& checked) {
  for (const EmbeddedSealedFile& file : embedded_sealed_files()) {
    if (std::string difference = difference_of(file); !difference.empty()) return difference;
    ++checked.files;
    if (!file.opens) continue;
    for (const Bytes& copy : altered_copies(file.file)) {
      std::string reason;
      if (opened(copy, file, reason)) return fmt::format("an altered copy of {} opens", file.name);
      ++checked.altered;
    }
  }
  return "";
}

}  // namespace

Verdict check_sealed() {
  Checked checked;
  std::string difference = difference_of_all(checked);
  return {
      "sealed files",
      std::move(difference),
      fmt::format("{} from a second implementation, {} altered ones refused", checked.files, checked.altered),
      {{"files", checked.files}, {"altered", checked.altered}}};
}

namespace {

// --- S-boxes whose tables are published, and bent functions

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
