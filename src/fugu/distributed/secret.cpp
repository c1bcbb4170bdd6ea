#include "fugu/distributed/secret.hpp"

#include <array>
#include <vector>

#include "fugu/auth/exchange.hpp"
#include "fugu/auth/mac.hpp"

namespace fugu::distributed {
namespace {

using auth::SecretBytes;
using auth::X25519PublicKey;

constexpr std::size_t kMaxBytes = std::size_t{1} << 16;
constexpr auth::AeadNonce kNonce{};  // each key encrypts one message
constexpr std::string_view kPurpose = "fugu: a secret from rank 0";

// A rank's private key, and the public keys of all ranks, of which it initially knows only its own.
struct Keys {
  SecretBytes mine;
  std::vector<X25519PublicKey> all;
};

Keys keys_of(const Communicator& communicator) {
  Keys keys{auth::random_secret(auth::kX25519Bytes),
            std::vector<X25519PublicKey>(static_cast<std::size_t>(communicator.size()))};
  keys.all[static_cast<std::size_t>(communicator.rank())] = auth::x25519_public_key(keys.mine);
  return keys;
}

// The shared key of rank 0 and another rank.
struct Pair {
  SecretBytes key;
  std::array<X25519PublicKey, 2> public_keys;  // authenticated with the message

  // `rank` is the other one; `partner` is the rank that this one shares the key with.
  Pair(const Keys& keys, std::size_t rank, std::size_t partner)
      : key(auth::kAeadKeyBytes), public_keys{keys.all[0], keys.all[rank]} {
    const auto shared = auth::x25519(keys.mine, keys.all[partner]);
    if (!shared) throw Error(Errc::io, "MPI damaged a public key of rank " + std::to_string(partner));
    const SecretBytes prk = auth::hkdf_extract({}, shared->span());
    auth::hkdf_expand(prk.span(), std::as_bytes(std::span(kPurpose)), key.span());
  }

  std::span<const std::byte> associated_data() const { return std::as_bytes(std::span(public_keys)); }
};

// Encrypts a message for each rank; rank 0's is empty.
void encrypt_for_all(const SecretBytes& secret, const Keys& keys, std::vector<std::byte>& messages) {
  const std::size_t bytes = secret.size() + auth::kAeadTagBytes;
  messages.resize(bytes * keys.all.size());
  for (std::size_t rank = 1; rank < keys.all.size(); ++rank) {
    const Pair pair(keys, rank, rank);
    auth::chacha20_poly1305_encrypt(pair.key, kNonce, pair.associated_data(), secret.span(),
                                    std::span(messages).subspan(rank * bytes, bytes));
  }
}

void decrypt(std::span<const std::byte> message, const Keys& keys, std::size_t rank, SecretBytes& secret) {
  const Pair pair(keys, rank, 0);
  if (!auth::chacha20_poly1305_decrypt(pair.key, kNonce, pair.associated_data(), message, secret.span()))
    throw Error(Errc::io, "MPI damaged the secret on its way to rank " + std::to_string(rank));
}

}  // namespace

void broadcast(const Communicator& communicator, SecretBytes& secret) {
  std::uint64_t size = secret.size();
  broadcast(communicator, std::as_writable_bytes(std::span(&size, 1)));
  Keys keys;
  std::vector<std::byte> messages;  // at rank 0 only
  std::vector<std::byte> message;
  together(communicator, [&] {
    if (size > kMaxBytes) throw Error(Errc::usage, "a secret for all ranks has more than 64 KiB");
    if (!communicator.is_root()) secret = SecretBytes(size);
    message.resize(size + auth::kAeadTagBytes);
    keys = keys_of(communicator);
  });
  check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, keys.all.data(), auth::kX25519Bytes, MPI_BYTE,
                      communicator.get()),
        "MPI_Allgather");
  at_root(communicator, [&] { encrypt_for_all(secret, keys, messages); });
  const int bytes = static_cast<int>(message.size());
  check(MPI_Scatter(messages.data(), bytes, MPI_BYTE, message.data(), bytes, MPI_BYTE, 0, communicator.get()),
        "MPI_Scatter");
  together(communicator, [&] {
    if (!communicator.is_root())
      decrypt(message, keys, static_cast<std::size_t>(communicator.rank()), secret);
  });
}

}  // namespace fugu::distributed
