// Opens the embedded files, and altered copies of them that must not open.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/check/checks.hpp"
#include "cli/check/embedded_vectors.hpp"
#include "fugu/auth/mac.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"

namespace fugu::cli {
namespace {

using Bytes = std::vector<std::byte>;

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
  return fmt::format("{} has a wrong plaintext", file.name);
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
      fmt::format("{} of a second implementation, {} altered ones refused", checked.files, checked.altered),
      {{"files", checked.files}, {"altered", checked.altered}}};
}

}  // namespace fugu::cli
