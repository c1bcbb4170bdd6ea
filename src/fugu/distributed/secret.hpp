// Sends a secret from rank 0 to every rank.
//
// MPI keeps copies of its messages in buffers that nobody wipes, and sends them to other machines
// unencrypted. So it gets only the ciphertext of a secret: for this one call each rank draws a key pair
// (X25519), and rank 0 encrypts for each under a key that only these two can compute (HKDF-SHA256,
// ChaCha20-Poly1305). All keys are wiped before the call ends.
//
// This protects against reading MPI's buffers, later or at the time, and against eavesdropping between the
// machines. It does not protect against an attacker who can alter messages or join as a rank: ranks are not
// authenticated. That is the task of mpirun and the network.
#pragma once

#include "fugu/auth/secret.hpp"
#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed {

// Collective: copies rank 0's secret, at most 64 KiB, to every rank. Its size is public. Throws on every
// rank: Error{usage} for a longer one, Error{io} when MPI delivered other bytes to one of them than were
// sent.
void broadcast(const Communicator& communicator, auth::SecretBytes& secret);

}  // namespace fugu::distributed
