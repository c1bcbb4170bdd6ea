#include "fugu/format/openssl/detail/trial.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/plausibility.hpp"
#include "fugu/format/evidence.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// How much likelier the best has to be than the second best.
constexpr double kNeededLeadBits = 8;

// A match this likely by chance is not worth a hint at which flags would accept it.
constexpr double kWeakMatchBits = 4;

std::vector<std::byte> decrypt(engine::Engine& engine, const cipher::Schedule& schedule, mode::Mode mode,
                               std::span<const std::byte> iv, std::span<const std::byte> ciphertext) {
  mode::Settings settings;
  settings.mode = mode;
  settings.padding = mode::Padding::none;
  std::ranges::copy(iv, settings.iv.emplace().begin());
  std::vector<std::byte> bytes(ciphertext.begin(), ciphertext.end());
  mode::CipherStream(engine, schedule, settings, core::Direction::decrypt).process(bytes, bytes.size(), true);
  return bytes;
}

// Bytes of padding at the end of the last block, 0 when they are not padding.
std::size_t padding_bytes(std::span<const std::byte> last_block) {
  const auto n = std::to_integer<std::size_t>(last_block.back());
  if (n == 0 || n > kBlockBytes) return 0;
  const auto padding = last_block.last(n);
  return std::ranges::all_of(padding, [&](std::byte b) { return b == padding.back(); }) ? n : 0;
}

class Judge {
 public:
  Judge(engine::Engine& engine, const Trial& trial, const CiphertextView& view)
      : engine_(engine), parameters_(trial.parameters), iv_(trial.key.iv), view_(view) {
    cipher::expand(trial.key.key.span(), schedule_);
  }

  Judgement operator()(double prior) const {
    Judgement evidence;
    evidence.bits = std::log2(prior);
    if (!can_have_size(parameters_, view_)) {
      evidence.padding = PaddingSeen::invalid;
      return evidence;
    }
    const std::size_t padding = judge_padding(evidence);
    evidence.beginning = beginning();
    const bool reaches_padding = view_.whole && view_.head.size() <= kPlausibilityBytes;
    if (reaches_padding) evidence.beginning.resize(evidence.beginning.size() - padding);
    evidence.bits += plausibility_bits(evidence.beginning);
    return evidence;
  }

 private:
  // Returns how many bytes of padding there are, 0 when it cannot be seen or is not valid.
  std::size_t judge_padding(Judgement& evidence) const {
    if (!mode::is_padded(parameters_.mode) || !parameters_.padded) return 0;
    std::vector<std::byte> block = last_block();
    if (block.empty()) return 0;
    const std::size_t padding = padding_bytes(block);
    core::wipe(block.data(), block.size());
    evidence.padding = padding == 0 ? PaddingSeen::invalid : PaddingSeen::valid;
    evidence.bits += 8.0 * static_cast<double>(padding) - 3;
    return padding;
  }

  std::vector<std::byte> beginning() const {
    std::size_t bytes = std::min(view_.head.size(), kPlausibilityBytes);
    if (mode::is_padded(parameters_.mode)) bytes -= bytes % kBlockBytes;
    return decrypt(engine_, schedule_, parameters_.mode, iv_, view_.head.first(bytes));
  }

  // Plaintext of the last block, empty where it cannot be seen.
  std::vector<std::byte> last_block() const {
    if (view_.last_two) {
      const auto blocks = std::span(*view_.last_two);
      return decrypt(engine_, schedule_, parameters_.mode, blocks.first(kBlockBytes),
                     blocks.last(kBlockBytes));
    }
    const bool only_block = view_.whole && view_.head.size() == kBlockBytes;
    return only_block ? decrypt(engine_, schedule_, parameters_.mode, iv_, view_.head)
                      : std::vector<std::byte>{};
  }

  engine::Engine& engine_;
  const OpensslParameters& parameters_;
  std::span<const std::byte> iv_;
  const CiphertextView& view_;
  cipher::Schedule schedule_;
};

bool same_derivation(const OpensslParameters& a, const OpensslParameters& b) {
  return a.digest == b.digest && a.pbkdf2_iterations == b.pbkdf2_iterations;
}

std::size_t longest_stream_bytes(const std::vector<Candidate>& candidates) {
  std::size_t key_bytes = 0;
  for (const Candidate& candidate : candidates)
    key_bytes = std::max(key_bytes, candidate.parameters.key_bytes);
  return key_bytes + kBlockBytes;
}

bool better(const Trial& a, const Trial& b) {
  const bool a_possible = a.evidence.padding != PaddingSeen::invalid;
  const bool b_possible = b.evidence.padding != PaddingSeen::invalid;
  return a_possible != b_possible ? a_possible : a.evidence.bits > b.evidence.bits;
}

// Both give the same plaintext: nothing has to decide between cfb and ofb over a single block.
bool is_same_plaintext(const Trial& a, const Trial& b, const CiphertextView& view) {
  return view.whole && view.head.size() <= kPlausibilityBytes && a.evidence.beginning == b.evidence.beginning;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

// "bf-cbc; bf-ecb, each under EVP_BytesToKey with SHA256; ...": in one order, whatever came nearest.
std::string what_was_tried(const std::vector<Trial>& trials) {
  std::set<std::string> ciphers;
  std::set<std::string> derivations;
  for (const Trial& trial : trials) {
    ciphers.insert(cipher_name(trial.parameters.mode));
    derivations.insert(derivation_name(trial.parameters));
  }
  return joined(ciphers) + ", each under " + joined(derivations);
}

// Blowfish has blocks of 8 bytes, AES and most other ciphers of 16.
std::string_view what_the_length_says(const CiphertextView& view) {
  if (!view.size_bytes) return "";
  if (*view.size_bytes % kBlockBytes != 0) return "; bf-cbc and bf-ecb cannot have this length";
  return *view.size_bytes % (2 * kBlockBytes) == 0 ? "; perhaps AES or another cipher" : "";
}

[[noreturn]] void nothing_matches(const std::vector<Trial>& trials, const CiphertextView& view) {
  const std::string tried = "tried " + what_was_tried(trials);
  const bool padding_unseen = std::ranges::any_of(trials, [](const Trial& t) {
    return mode::is_padded(t.parameters.mode) && t.evidence.padding == PaddingSeen::unseen;
  });
  if (padding_unseen && trials.front().parameters.padded && !view.whole) {
    throw Error(
        Errc::unknown_format,
        "the beginning does not tell whether passphrase and parameters are right, and a pipe's end cannot be "
        "seen in advance (" +
            tried + "); give a file, or --cipher, --md and --pbkdf2, --iter or --no-pbkdf2");
  }
  throw Error(Errc::wrong_key,
              std::string("wrong passphrase, or parameters that were not tried (") + tried +
                  std::string(what_the_length_says(view)) +
                  "); if the passphrase is right, give --cipher, --md and --pbkdf2, --iter or --no-pbkdf2");
}

bool is_dear(const Candidate& candidate) {
  return candidate.parameters.pbkdf2_iterations > kDefaultPbkdf2Iterations;
}

bool is_sufficient_match(const Trial& trial) {
  return trial.evidence.padding != PaddingSeen::invalid &&
         is_sufficient({.certain = false, .bits = trial.evidence.bits});
}

bool is_weak_match(const Trial& trial) {
  return trial.evidence.padding != PaddingSeen::invalid && trial.evidence.bits >= kWeakMatchBits;
}

}  // namespace

bool can_have_size(const OpensslParameters& parameters, const CiphertextView& view) {
  if (!view.size_bytes || !mode::is_padded(parameters.mode)) return true;
  return *view.size_bytes % kBlockBytes == 0 && (*view.size_bytes != 0 || !parameters.padded);
}

Trial::~Trial() {
  core::wipe(evidence.beginning.data(), evidence.beginning.size());
}

std::vector<Trial> try_all(engine::Engine& engine, const std::vector<Candidate>& candidates,
                           const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                           const CiphertextView& view) {
  std::vector<Trial> trials;
  auth::SecretBytes stream;  // PBKDF2 is slow on purpose: once for all candidates that share it
  for (const Candidate& candidate : candidates) {
    Trial trial;
    trial.parameters = candidate.parameters;
    if (trials.empty() || !same_derivation(trials.back().parameters, candidate.parameters)) {
      if (is_dear(candidate) && std::ranges::any_of(trials, is_sufficient_match)) break;
      stream = derive_stream(candidate.parameters, passphrase, salt, longest_stream_bytes(candidates));
    }
    trial.key = cut_key(stream, candidate.parameters.key_bytes);
    trial.evidence = Judge(engine, trial, view)(candidate.prior);
    trials.push_back(std::move(trial));
  }
  std::ranges::stable_sort(trials, better);
  return trials;
}

Trial choose(std::vector<Trial> trials, const CiphertextView& view, bool accepted) {
  Trial& best = trials.front();
  if (!is_sufficient_match(best)) {
    if (!is_weak_match(best)) nothing_matches(trials, view);
    require_evidence({.certain = false, .bits = best.evidence.bits}, false, accepted,
                     best.parameters.describe(), best.parameters.flags());
    return std::move(best);
  }
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const Trial& other = trials[i];
    if (other.evidence.padding == PaddingSeen::invalid || is_same_plaintext(best, other, view)) continue;
    if (best.evidence.bits - other.evidence.bits >= kNeededLeadBits) break;
    throw Error(Errc::unknown_format, "the passphrase fits " + best.parameters.describe() + " and also " +
                                          other.parameters.describe() + "; give " + best.parameters.flags() +
                                          ", or " + other.parameters.flags());
  }
  return std::move(best);
}

}  // namespace fugu::format
