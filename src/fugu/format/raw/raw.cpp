#include "fugu/format/raw/raw.hpp"

#include <string>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"

namespace fugu::format {
namespace {

void check(const RawParameters& parameters, const auth::SecretBytes& key) {
  if (key.empty() || key.size() > cipher::kMaxClassicKeyBytes) {
    throw Error(Errc::usage, "a key of " + std::to_string(key.size()) +
                                 " bytes: blowfish takes 1 to 56, and up to 72 "
                                 "as OpenSSL has it");
  }
  if (parameters.iv_place == IvPlace::prefix && parameters.settings.mode == mode::Mode::ecb) {
    throw Error(Errc::usage, "ecb has no iv that could stand before the data");
  }
}

}  // namespace

PreparedRaw prepare_encryption(const RawParameters& parameters, const auth::SecretBytes& key) {
  check(parameters, key);
  PreparedRaw prepared{.header = {}, .settings = parameters.settings};
  if (parameters.iv_place == IvPlace::given) return prepared;
  mode::Iv& iv = prepared.settings.iv.emplace();
  auth::random_bytes(iv);
  prepared.header.assign(iv.begin(), iv.end());
  return prepared;
}

PreparedRaw prepare_decryption(const Job& job, const RawParameters& parameters,
                               const auth::SecretBytes& key) {
  check(parameters, key);
  PreparedRaw prepared{.header = {}, .settings = parameters.settings};
  if (parameters.iv_place == IvPlace::given) return prepared;
  mode::Iv& iv = prepared.settings.iv.emplace();
  const std::size_t bytes = job.source.read(iv);
  count_read(job, bytes);
  if (bytes != iv.size()) throw Error(Errc::damaged, "the data ends inside the iv, its first 8 bytes");
  prepared.header.assign(iv.begin(), iv.end());
  return prepared;
}

void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  const PreparedRaw prepared = prepare_encryption(parameters, key);
  if (!prepared.header.empty()) write_counted(job, prepared.header);
  run_cipher(job, key.span(), prepared.settings, core::Direction::encrypt);
}

void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  const PreparedRaw prepared = prepare_decryption(job, parameters, key);
  run_cipher(job, key.span(), prepared.settings, core::Direction::decrypt);
}

}  // namespace fugu::format
