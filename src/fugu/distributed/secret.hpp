// A secret from rank 0 to every rank.
//
// MPI keeps copies of what it moves in buffers of its own, which nobody wipes, and sends them to other
// machines as they are. Of a secret it gets ciphertext only: for this one call each rank draws a key pair
// (X25519), and rank 0 encrypts for each under a key that these two alone can compute (HKDF-SHA256,
// ChaCha20-Poly1305). All keys are wiped before the call ends.
//
// This protects from who reads MPI's buffers, later or at the time, and from who listens between the
// machines. It does not protect from who can change what MPI moves, or take part as a rank: nothing tells a
// rank who the others are. To see to that is for mpirun and the network.
#pragma once

#include "fugu/auth/secret.hpp"
#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed {

// Collective: rank 0's secret, of at most 64 KiB, on every rank. Its size is public. Throws on every rank:
// Error{usage} for a longer one, Error{io} where MPI brought one of them other bytes than were sent.
void broadcast(const Communicator& communicator, auth::SecretBytes& secret);

}  // namespace fugu::distributed
