#include "fugu/format/raw/raw.hpp"

#include <algorithm>
#include <array>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/random.hpp"
#include "fugu/engine/local_engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/range.hpp"

namespace fugu::format {
namespace {

using core::Direction;

UnitPlan plan_of(Direction direction, const RawParameters& parameters, const auth::SecretBytes& secret) {
  if (parameters.iv_place != IvPlace::given && parameters.settings.mode == mode::Mode::ecb)
    throw Error(Errc::usage, "ecb has no iv");
  UnitPlan plan{.direction = direction, .settings = parameters.settings, .key = raw_key(parameters, secret)};
  if (parameters.iv_place == IvPlace::encrypted_zero)
    plan.settings.iv = raw_encrypted_zero(plan.key, plan.settings.words);
  return plan;
}

void read_past(const Job& job, std::uint64_t bytes) {
  std::array<std::byte, std::size_t{4} << 10> passed;
  while (bytes != 0) {
    const std::size_t got = job.source.read(
        std::span(passed).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, passed.size()))));
    if (got == 0) throw Error(Errc::damaged, "the data ends inside what --skip leaves out");
    count_read(job, got);
    bytes -= got;
  }
}

// Parameters of a part, for the job on that part.
RawParameters of_part(RawParameters parameters) {
  parameters.skip = 0;
  parameters.length.reset();
  return parameters;
}

Job with_same_watcher(const Job& job, stream::Source& source) {
  return {job.engine, source, job.sink, job.chunk_bytes, job.counters, job.watcher, job.stop, job.memory};
}

std::vector<std::byte> head_at(stream::Source& source, std::uint64_t offset) {
  const std::uint64_t end = source.size_bytes().value_or(0);
  std::vector<std::byte> head(
      static_cast<std::size_t>(std::min<std::uint64_t>(end - std::min(end, offset), kRawHeadBytes)));
  return source.read_at(head, offset) ? head : std::vector<std::byte>();
}

std::vector<std::byte> head_of(Lookahead& source) {
  const auto head = source.peek(kRawHeadBytes);
  return {head.begin(), head.end()};
}

}  // namespace

mode::Iv raw_encrypted_zero(const auth::SecretBytes& key, core::ByteOrder words) {
  mode::Iv iv;
  transform(engine::local_engine(), key.span(), {.mode = mode::Mode::ecb, .words = words}, Direction::encrypt,
            iv);
  return iv;
}

auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret) {
  constexpr std::size_t kMost = cipher::kMaxClassicKeyBytes;
  if (secret.empty()) throw Error(Errc::usage, "a key of 0 bytes: blowfish takes 1 and more");
  if (parameters.key_fill > kMost) throw Error(Errc::usage, "a key is filled to at most 72 bytes");
  const auth::SecretBytes key = parameters.key_hash.empty()
                                    ? auth::SecretBytes(secret.span())
                                    : auth::digest(parameters.key_hash, {secret.span()});
  auth::SecretBytes filled(std::clamp(key.size(), parameters.key_fill, kMost));
  std::ranges::copy(key.span().first(std::min(key.size(), filled.size())), filled.data());
  return filled;
}

UnitPlan plan_encryption(const RawParameters& parameters, const auth::SecretBytes& secret) {
  UnitPlan plan = plan_of(Direction::encrypt, parameters, secret);
  if (parameters.iv_place != IvPlace::prefix) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  auth::random_bytes(iv);
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

UnitPlan plan_decryption(const Job& job, const RawParameters& parameters, const auth::SecretBytes& secret) {
  if (parameters.skip != 0 || parameters.length)
    throw Error(Errc::usage, "a part of a file is not divided: one process does it");
  UnitPlan plan = plan_of(Direction::decrypt, parameters, secret);
  if (parameters.iv_place != IvPlace::prefix) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  const std::size_t bytes = job.source.read(iv);
  count_read(job, bytes);
  if (bytes != iv.size()) throw Error(Errc::damaged, "the data ends inside the iv, its first 8 bytes");
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& secret) {
  const UnitPlan plan = plan_encryption(parameters, secret);
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, plan.key.span(), plan.settings, Direction::encrypt);
}

void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& secret) {
  RawBeginning beginning;
  decrypt_raw(job, parameters, secret, beginning);
}

void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& secret,
                 RawBeginning& beginning) {
  read_past(job, parameters.skip);
  LimitedSource part(job.source, parameters.skip, parameters.length);
  beginning.plan = plan_decryption(with_same_watcher(job, part), of_part(parameters), secret);
  Lookahead pipe(part);
  const std::optional<std::uint64_t> offset = part.offset();
  beginning.ciphertext = offset ? head_at(part, *offset) : head_of(pipe);
  run_cipher(with_same_watcher(job, offset ? static_cast<stream::Source&>(part) : pipe),
             beginning.plan.key.span(), beginning.plan.settings, Direction::decrypt);
}

}  // namespace fugu::format
