#include "fugu/format/detail/cipher_parts.hpp"

#include <algorithm>
#include <string>

#include "fugu/error.hpp"
#include "fugu/format/detail/chaining.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/range.hpp"

namespace fugu::format {
namespace {

using core::Direction;

constexpr std::uint64_t kUnitBytes = std::uint64_t{1} << 20;

// Bytes of input before the first unit.
std::uint64_t skipped_bytes(const PartPlan& plan) {
  return plan.direction == Direction::decrypt ? plan.header.size() : 0;
}

std::uint64_t data_bytes(const PartPlan& plan) {
  return plan.input_bytes - std::min(plan.input_bytes, skipped_bytes(plan));
}

}  // namespace

PartPlan cipher_plan(Direction direction, std::uint64_t input_bytes, std::span<const std::byte> header,
                     const mode::Settings& settings, std::span<const std::byte> key) {
  if (!independent_op(settings.mode, direction)) {
    throw Error(Errc::usage, std::string(mode::name_of(settings.mode)) + " cannot be " +
                                 (direction == Direction::encrypt ? "encrypted" : "decrypted") +
                                 " in parts: one process does the whole file (fugu)");
  }
  return {.direction = direction,
          .input_bytes = input_bytes,
          .header = {header.begin(), header.end()},
          .settings = settings,
          .key = auth::SecretBytes(key)};
}

std::uint64_t cipher_units(const PartPlan& plan) {
  return std::max<std::uint64_t>(1, (data_bytes(plan) + kUnitBytes - 1) / kUnitBytes);
}

std::uint64_t cipher_output_offset(const PartPlan& plan, std::uint64_t unit) {
  if (unit == 0) return 0;
  return unit * kUnitBytes + (plan.direction == Direction::encrypt ? plan.header.size() : 0);
}

void run_cipher_units(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end) {
  if (first == 0 && plan.direction == Direction::encrypt) write_counted(job, plan.header);
  const bool last = end == cipher_units(plan);
  const std::uint64_t data_end = last ? data_bytes(plan) : end * kUnitBytes;
  PartSource part(job.source, skipped_bytes(plan) + first * kUnitBytes, skipped_bytes(plan) + data_end);
  mode::Settings settings =
      settings_at(plan.settings, plan.direction, job.source, skipped_bytes(plan), first * kUnitBytes);
  if (!last) settings.padding = mode::Padding::none;
  run_cipher(with_source(job, part), plan.key.span(), settings, plan.direction);
}

}  // namespace fugu::format
