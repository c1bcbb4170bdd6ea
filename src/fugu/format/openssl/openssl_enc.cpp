#include "fugu/format/openssl/openssl_enc.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"
#include "fugu/format/openssl/detail/trial.hpp"

namespace fugu::format {
namespace {

// Enough to judge a beginning by, and to take small inputs from pipes whole.
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kHeaderBytes = kSaltedMagic.size() + sizeof(Salt);

mode::Settings settings_of(const OpensslParameters& parameters, const OpensslKey& key) {
  mode::Settings settings;
  settings.mode = parameters.mode;
  settings.padding = parameters.padded ? mode::Padding::pkcs7 : mode::Padding::none;
  settings.iv = key.iv;
  return settings;
}

void run(const Job& job, const OpensslParameters& parameters, const OpensslKey& key,
         core::Direction direction) {
  run_cipher(job, key.key.span(), settings_of(parameters, key), direction);
}

std::span<const std::byte> bytes_of(const std::optional<Salt>& salt) {
  return salt ? std::span<const std::byte>(*salt) : std::span<const std::byte>{};
}

std::optional<Salt> salt_to_encrypt(const OpensslEncryptRequest& request) {
  if (request.salt_place == SaltPlace::none) {
    if (request.salt) throw Error(Errc::usage, "a salt and no salt cannot be combined");
    return std::nullopt;
  }
  if (request.salt) return request.salt;
  if (request.salt_place == SaltPlace::given) throw Error(Errc::usage, "the salt is missing");
  Salt salt;
  auth::random_bytes(salt);
  return salt;
}

Salt parse_header(std::span<const std::byte> header) {
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  const std::string_view magic(kSaltedMagic.data(), kSaltedMagic.size());
  if (text.starts_with("U2FsdGVkX1")) throw Error(Errc::unknown_format, "this is base64: give -a");
  if (text.empty()) throw Error(Errc::damaged, "the input is empty");
  if (!text.starts_with(magic.substr(0, text.size()))) {
    throw Error(
        Errc::unknown_format,
        "no 'Salted__' at the beginning: not written by openssl enc with a salt; if it was written without a "
        "header, give --nosalt or --salt");
  }
  if (header.size() < kHeaderBytes) throw Error(Errc::damaged, "the input ends inside the salt");
  Salt salt;
  std::ranges::copy(header.last(salt.size()), salt.begin());
  return salt;
}

std::optional<Salt> salt_to_decrypt(const Job& job, const OpensslDecryptRequest& request) {
  if (request.salt && request.salt_place != SaltPlace::given) {
    throw Error(Errc::usage,
                "a given salt and " +
                    std::string(request.salt_place == SaltPlace::none ? "no salt" : "a salt in the header") +
                    " cannot be combined");
  }
  if (request.salt_place == SaltPlace::none) return std::nullopt;
  if (request.salt_place == SaltPlace::given) {
    if (!request.salt) throw Error(Errc::usage, "the salt is missing");
    return request.salt;
  }
  std::array<std::byte, kHeaderBytes> header;
  const std::size_t bytes = job.source.read(header);
  count_read(job, bytes);
  return parse_header(std::span(header).first(bytes));
}

// `head` was read from the source after `header_bytes`.
CiphertextView look_at(stream::Source& source, std::span<const std::byte> head, std::size_t header_bytes) {
  CiphertextView view;
  view.head = head;
  view.whole = head.size() < kHeadBytes;
  const auto size = source.size_bytes();
  if (view.whole) {
    view.size_bytes = head.size();
  } else if (size && *size >= header_bytes + head.size()) {
    view.size_bytes = *size - header_bytes;
  }
  std::array<std::byte, 16> last_two;
  if (view.whole && head.size() >= last_two.size()) {
    std::ranges::copy(head.last(last_two.size()), last_two.begin());
    view.last_two = last_two;
  } else if (!view.whole && source.peek_tail(last_two)) {
    view.last_two = last_two;
  }
  return view;
}

void check_size(const std::vector<Candidate>& all, const CiphertextView& view) {
  if (std::ranges::any_of(all, [&](const Candidate& c) { return can_have_size(c.parameters, view); })) return;
  throw Error(Errc::damaged, "the length is not one that " + cipher_name(all.front().parameters.mode) +
                                 " gives: truncated, or written in another mode");
}

// Nothing to choose between: only what the padding rules out is refused.
Trial only_one(Trial trial) {
  if (trial.evidence.padding != PaddingSeen::invalid) return trial;
  throw Error(Errc::wrong_key,
              "wrong passphrase, or not " + trial.parameters.describe() + ", or a damaged end");
}

}  // namespace

void encrypt_openssl(const Job& job, const OpensslEncryptRequest& request,
                     const auth::SecretBytes& passphrase) {
  const std::optional<Salt> salt = salt_to_encrypt(request);
  const OpensslKey key = derive_openssl_key(request.parameters, passphrase, bytes_of(salt));
  if (request.salt_place == SaltPlace::header) {
    write_counted(job, std::as_bytes(std::span(kSaltedMagic)));
    write_counted(job, *salt);
  }
  run(job, request.parameters, key, core::Direction::encrypt);
}

OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                  const auth::SecretBytes& passphrase) {
  return decrypt_openssl(job, request, AskSecret(SecretKind::passphrase, passphrase));
}

OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                  const AskSecret& ask) {
  const std::vector<Candidate> all = candidates(request);
  for (const Candidate& candidate : all) check(candidate.parameters);
  const std::optional<Salt> salt = salt_to_decrypt(job, request);
  const auth::SecretBytes& passphrase = ask(SecretKind::passphrase);
  std::vector<std::byte> head(kHeadBytes);
  head.resize(job.source.read(head));
  const CiphertextView view =
      look_at(job.source, head, request.salt_place == SaltPlace::header ? kHeaderBytes : 0);
  check_size(all, view);

  std::vector<Trial> trials = try_all(job.engine, all, passphrase, bytes_of(salt), view);
  const bool by_trial = trials.size() > 1;
  const Trial match = by_trial ? choose(std::move(trials), view, request.accept_weak_evidence)
                               : only_one(std::move(trials.front()));
  const OpensslDecryption decryption{match.parameters, by_trial, match.evidence.bits};
  const auto source = stream::prepend(head, stream::borrow(job.source));
  const Job rest{job.engine, *source, job.sink, job.chunk_bytes, job.counters, job.watcher};
  run(rest, match.parameters, match.key, core::Direction::decrypt);
  return decryption;
}

}  // namespace fugu::format
