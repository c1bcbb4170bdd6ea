// One input through one format into one output: what encrypt, decrypt and verify have in common.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cipher/request.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::cli {

// What the first bytes of a file say.
enum class Detected : std::uint8_t { nothing, sealed, salted, salted_base64 };

inline constexpr std::size_t kDetectBytes = 16;

Detected detect(std::span<const std::byte> head);

// The first kDetectBytes or fewer of `source`, which still hands them out afterwards.
std::vector<std::byte> look_at_head(std::unique_ptr<stream::Source>& source);

// Undoes base64, said or seen, and hexadecimal digits, said. Throws Error{unknown_format}, saying what to
// give, for input that has to be recognised and is not.
std::unique_ptr<stream::Source> binary_input(const CipherRequest& request,
                                             std::unique_ptr<stream::Source> source);

struct CipherRun {
  engine::Engine& engine;
  std::size_t chunk_bytes = 0;
  stream::PumpCounters* counters = nullptr;
  std::function<void(std::span<const std::byte>, std::span<const std::byte>)> observer;  // as in format::Job
};

// What a decryption found out.
struct Decrypted {
  std::string parameters;  // for people
  bool by_trial = false;
  double evidence_bits = 0;  // 0: nothing tells a wrong key
  std::optional<format::OpensslParameters> openssl;
  bool authenticated = false;
  format::SalvageReport salvage;  // of --salvage
};

// Both throw Error as the formats do.
void encrypt(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
             std::unique_ptr<stream::Source> source, stream::Sink& sink);
Decrypted decrypt(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                  std::unique_ptr<stream::Source> source, stream::Sink& sink);

// "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations" or "raw cbc"
std::string describe(const CipherRequest& request);
std::string describe(const format::RawParameters& raw);

}  // namespace fugu::cli
