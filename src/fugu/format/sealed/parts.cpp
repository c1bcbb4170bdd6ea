#include <algorithm>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/format/sealed/detail/parts.hpp"
#include "fugu/format/sealed/detail/streams.hpp"

namespace fugu::format {
namespace {

bool is_encryption(const PartPlan& plan) {
  return plan.direction == core::Direction::encrypt;
}

PartPlan plan_of(core::Direction direction, std::uint64_t input_bytes, const SealedHeader& header,
                 const SealedKeys& keys) {
  return {.direction = direction,
          .input_bytes = input_bytes,
          .header = header.bytes,
          .settings = {},
          .key = auth::SecretBytes(keys.prk.span())};
}

std::uint64_t body_bytes(const PartPlan& plan) {
  return plan.input_bytes - std::min<std::uint64_t>(plan.input_bytes, plan.header.size());
}

void seal_units(const SealedHeader& header, const SealedKeys& keys, const PartPlan& plan, const Job& job,
                std::uint64_t first, std::uint64_t end) {
  const bool to_end = end == sealed_units(plan);
  const std::uint64_t plain_end = to_end ? plan.input_bytes : end * header.segment_bytes();
  PartSource part(job.source, first * header.segment_bytes(), plain_end);
  if (first == 0) write_counted(job, plan.header);
  encrypt_sealed_segments(with_source(job, part), header, keys, first, to_end);
}

}  // namespace

PartPlan plan_sealing(std::uint64_t plain_bytes, const SealedSecret& secret, const SealedOptions& options) {
  require_room(plain_bytes, kMaxSealedBytes);
  SealedKeys keys;
  const SealedHeader header =
      make_sealed_header(options.segment_log2, secret, options.cost, keys, options.bounds);
  return plan_of(core::Direction::encrypt, plain_bytes, header, keys);
}

PartPlan plan_opening(std::uint64_t file_bytes, const SealedHeader& header, const SealedKeys& keys) {
  return plan_of(core::Direction::decrypt, file_bytes, header, keys);
}

std::uint64_t sealed_units(const PartPlan& plan) {
  const SealedHeader header = parse_sealed_header(plan.header);
  if (is_encryption(plan)) return plan.input_bytes / header.segment_bytes() + 1;
  const std::uint64_t stored = header.stored_segment_bytes();
  return std::max<std::uint64_t>(1, (body_bytes(plan) + stored - 1) / stored);
}

std::uint64_t sealed_output_offset(const PartPlan& plan, std::uint64_t unit) {
  const SealedHeader header = parse_sealed_header(plan.header);
  if (!is_encryption(plan)) return unit * header.segment_bytes();
  return unit == 0 ? 0 : header.bytes.size() + unit * header.stored_segment_bytes();
}

void run_sealed_units(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end) {
  const SealedHeader header = parse_sealed_header(plan.header);
  const SealedKeys keys{.file_key = {}, .prk = auth::SecretBytes(plan.key.span())};
  if (is_encryption(plan)) return seal_units(header, keys, plan, job, first, end);
  const bool to_end = end == sealed_units(plan);
  const std::uint64_t body_end = to_end ? body_bytes(plan) : end * header.stored_segment_bytes();
  decrypt_sealed_segments(job, header, keys, first, body_end, to_end);
}

}  // namespace fugu::format
