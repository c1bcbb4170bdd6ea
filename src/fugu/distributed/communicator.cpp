#include "fugu/distributed/communicator.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/exchange.hpp"
#include "fugu/distributed/secret.hpp"

namespace fugu::distributed {
namespace {

// What agree() throws.
struct Agreed {
  virtual ~Agreed() = default;
};
template <class Failure>
struct AgreedOn final : Failure, Agreed {
  using Failure::Failure;
};

// The order of a failure among those of other ranks; 0: none.
int severity(const std::exception_ptr& failure, bool& of_output, std::string& text) {
  try {
    if (failure) std::rethrow_exception(failure);
    return 0;
  } catch (const Stopped& stopped) {
    text = stopped.text();
    return 1;
  } catch (const Error& error) {
    of_output = dynamic_cast<const OutputError*>(&error) != nullptr;
    text = error.text();
    return static_cast<int>(error.code()) + 2;
  } catch (const std::bad_alloc&) {
    text = "not enough memory";
    return static_cast<int>(Errc::memory) + 2;
  } catch (const std::exception& error) {
    text = std::string("unexpected failure: ") + error.what();
  } catch (...) {
    text = "unexpected failure";
  }
  return static_cast<int>(Errc::engine) + 2;
}

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

Runtime::Runtime() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI does not start");
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    throw Error(Errc::engine, "this MPI takes no calls from several threads (MPI_THREAD_MULTIPLE)");
  }
}

Runtime::~Runtime() {
  MPI_Finalize();
}

Communicator::Communicator(MPI_Comm given) {
  check(MPI_Comm_dup(given, &comm_), "MPI_Comm_dup");
  look();
}

Communicator::Communicator(const Communicator& all, int ranks) {
  const int color = all.rank() < ranks ? 0 : MPI_UNDEFINED;
  check(MPI_Comm_split(all.get(), color, all.rank(), &comm_), "MPI_Comm_split");
  if (in()) look();
}

void Communicator::look() {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() {
  if (in()) MPI_Comm_free(&comm_);
}

NodePlace place_on_node(const Communicator& communicator, int processors_of_this, int processors_online) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  NodePlace place;
  MPI_Comm_rank(node, &place.rank);
  MPI_Comm_size(node, &place.ranks);
  const int result = MPI_Allreduce(&processors_of_this, &place.processors, 1, MPI_INT, MPI_SUM, node);
  MPI_Comm_free(&node);
  check(result, "MPI_Allreduce");
  place.processors = std::min(place.processors, processors_online);
  return place;
}

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  int kind = result;
  MPI_Error_class(result, &kind);  // some libraries' error text is a stack of lines
  MPI_Error_string(kind, text, &length);
  throw Error(Errc::io, std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

bool is_agreed(const std::exception& failure) noexcept {
  return dynamic_cast<const Agreed*>(&failure) != nullptr;
}

void agree(const Communicator& communicator, const std::exception_ptr& failure) {
  bool of_output = false;
  std::string text;
  struct {
    int severity;
    int rank;
  } mine{severity(failure, of_output, text), communicator.rank()}, worst{};
  check(MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, communicator.get()), "MPI_Allreduce");
  if (worst.severity == 0) return;
  int facts[] = {of_output ? 1 : 0, static_cast<int>(text.size())};
  check(MPI_Bcast(facts, 2, MPI_INT, worst.rank, communicator.get()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(facts[1]));
  check(MPI_Bcast(text.data(), facts[1], MPI_CHAR, worst.rank, communicator.get()), "MPI_Bcast");
  if (worst.severity == 1) throw AgreedOn<Stopped>();
  const auto code = static_cast<Errc>(worst.severity - 2);
  if (facts[0] != 0) throw AgreedOn<OutputError>(code, text);
  throw AgreedOn<Error>(code, text);
}

void broadcast(const Communicator& communicator, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t now = std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max());
    check(MPI_Bcast(bytes.data(), static_cast<int>(now), MPI_BYTE, 0, communicator.get()), "MPI_Bcast");
    bytes = bytes.subspan(now);
  }
}

std::string broadcast(const Communicator& communicator, std::string text) {
  std::size_t size = text.size();
  broadcast(communicator, std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  broadcast(communicator, std::as_writable_bytes(std::span(text)));
  return text;
}

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
