#include "fugu/format/raw/raw.hpp"

#include <string>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"

namespace fugu::format {
namespace {

using core::Direction;

UnitPlan plan_of(Direction direction, const RawParameters& parameters, const auth::SecretBytes& key) {
  if (key.empty() || key.size() > cipher::kMaxClassicKeyBytes) {
    throw Error(Errc::usage, "a key of " + std::to_string(key.size()) +
                                 " bytes: blowfish takes 1 to 56, and up to 72 "
                                 "as OpenSSL has it");
  }
  if (parameters.iv_place == IvPlace::prefix && parameters.settings.mode == mode::Mode::ecb) {
    throw Error(Errc::usage, "ecb has no iv that could stand before the data");
  }
  return {.direction = direction,
          .input_bytes = 0,
          .header = {},
          .settings = parameters.settings,
          .key = auth::SecretBytes(key.span())};
}

}  // namespace

UnitPlan plan_encryption(const RawParameters& parameters, const auth::SecretBytes& key) {
  UnitPlan plan = plan_of(Direction::encrypt, parameters, key);
  if (parameters.iv_place == IvPlace::given) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  auth::random_bytes(iv);
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

UnitPlan plan_decryption(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  UnitPlan plan = plan_of(Direction::decrypt, parameters, key);
  if (parameters.iv_place == IvPlace::given) return plan;
  mode::Iv& iv = plan.settings.iv.emplace();
  const std::size_t bytes = job.source.read(iv);
  count_read(job, bytes);
  if (bytes != iv.size()) throw Error(Errc::damaged, "the data ends inside the iv, its first 8 bytes");
  plan.header.assign(iv.begin(), iv.end());
  return plan;
}

void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  const UnitPlan plan = plan_encryption(parameters, key);
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, key.span(), plan.settings, Direction::encrypt);
}

void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  const UnitPlan plan = plan_decryption(job, parameters, key);
  run_cipher(job, key.span(), plan.settings, Direction::decrypt);
}

}  // namespace fugu::format
