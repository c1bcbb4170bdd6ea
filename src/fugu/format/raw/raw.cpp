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

void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  check(parameters, key);
  mode::Settings settings = parameters.settings;
  if (parameters.iv_place == IvPlace::prefix) {
    auth::random_bytes(settings.iv.emplace());
    write_counted(job, *settings.iv);
  }
  run_cipher(job, key.span(), settings, core::Direction::encrypt);
}

void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key) {
  check(parameters, key);
  mode::Settings settings = parameters.settings;
  if (parameters.iv_place == IvPlace::prefix) {
    const std::size_t bytes = job.source.read(settings.iv.emplace());
    count_read(job, bytes);
    if (bytes != settings.iv->size())
      throw Error(Errc::damaged, "the data ends inside the iv, its first 8 bytes");
  }
  run_cipher(job, key.span(), settings, core::Direction::decrypt);
}

}  // namespace fugu::format
